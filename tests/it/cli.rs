//! The interface for people and scripts: arguments, exit code, stdout and stderr.

use std::io::Read;
use std::process::{Command, Stdio};

use flow::routes::ROUTES;

use crate::support::{FLOW, Project, Ran};

#[test]
fn bad_words_in_json_are_one_object() {
    let project = Project::new();
    for words in [&["api", "strat", "--json"][..], &["api", "start", "PROT=1", "--json"]] {
        let facts = project.flow(words).expect(2).json();
        assert_eq!(facts["code"], "usage");
        assert!(facts["error"].as_str().is_some_and(|error| !error.contains('\n')), "{facts}");
    }
}

#[test]
fn pasted_forms_work_as_they_stand() {
    let project = Project::new();
    project.flow(&["/flow:api", "ACTION=start", "PORT=0"]).expect(0);
    project.flow(&["flow:api", "action=STATUS"]).expect(0);
    project.flow(&["API", "STATUS"]).expect(0);
    project.flow(&["/flow:api", "ACTION=stop"]).expect(0);
    project.flow(&["api", "ACTION=status"]).expect(3);
}

#[test]
fn a_completion_script_is_one_for_its_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = Project::new().flow(&["completions", shell]).expect(0).out;
        assert!(script.contains("FLOW_COMPLETE"), "{shell}: {script}");
    }
}

/// The completions of bash for these words, the last of which is incomplete.
fn completed(words: &[&str]) -> Vec<String> {
    let script = r#"
        source <("$0" completions bash)
        COMP_WORDS=(flow "$@") COMP_CWORD=$# COMP_TYPE=9
        _clap_complete_flow flow "${@: -1}" "${COMP_WORDS[$# - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let program = env!("CARGO_BIN_EXE_flow");
    let done = Command::new("bash").args(["-c", script, program]).args(words).output().unwrap();
    let out = String::from_utf8(done.stdout).unwrap();
    out.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn bash_completes_verbs_skills_and_the_keys_of_their_fields() {
    assert_eq!(completed(&["ap"]), ["api"]);
    assert_eq!(completed(&["api", "sta"]), ["start", "status"]);
    assert_eq!(completed(&["skill", "adr"]), ["adr-template"]);
    assert_eq!(completed(&["skill", "sch"]), ["schema"]);
    assert_eq!(completed(&["skill", "show", "adr"]), ["adr-template"]);
    assert_eq!(completed(&["skill", "chain", "adr-template", "sprint-p"]), ["sprint-planner"]);
    assert_eq!(completed(&["skill", "adr-template", "supers"]), ["supersedes="]);
    let schema = Project::new().flow(&["skill", "schema", "adr-template"]).expect(0).out;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let mut keys: Vec<String> =
        schema["properties"].as_object().unwrap().keys().map(|key| format!("{key}=")).collect();
    let mut found = completed(&["skill", "adr-template", "Use a queue", ""]);
    found.retain(|word| word.ends_with('='));
    keys.sort();
    found.sort();
    assert_eq!(found, keys);
    assert_eq!(completed(&["skill", "adr-template", "--strict", "--forc"]), ["--force"]);
}

#[test]
fn status_says_everything() {
    let project = Project::new();
    let server = project.start();
    let text = project.flow(&["api", "status"]).expect(0).out;
    let (pid, port) = (server.pid.to_string(), server.port.to_string());
    let words = ["uptime", "generation", "status", "sessions", "tasks", "bus", &pid, &port];
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    assert!(ROUTES.iter().all(|route| text.contains(route.path)), "{text}");
    let facts = project.status().expect(0).json();
    assert_eq!(facts["running"], true);
    assert_eq!(facts["address"], format!("http://127.0.0.1:{port}"));
    assert_eq!(facts["url"], format!("http://127.0.0.1:{port}/api"));
    assert!(facts["uptime_seconds"].is_u64() && facts["generation"].is_u64());
    let health = server.get("/api/health").json();
    assert_eq!(facts["sources"], health["sources"]);
    assert_eq!(facts["health"], health["status"]);
    assert_eq!(facts["endpoints"].as_object().unwrap().len(), ROUTES.len());
}

#[test]
fn every_outcome_has_one_object() {
    let project = Project::new();
    let ask = |action: &str, code| project.flow(&["api", action, "--json"]).expect(code).json();
    assert_eq!(ask("status", 3)["running"], false);
    assert_eq!(ask("stop", 0)["stopped"], false);
    assert_eq!(ask("list", 0)["count"], 0);
    let started = project.flow(&["api", "start", "PORT=0", "--json"]).expect(0);
    assert!(started.err.is_empty(), "{started:?}");
    assert_eq!(started.json()["started"], true);
    assert_eq!(started.json()["missing"].as_array().unwrap().len(), 4);
    assert_eq!(ask("start", 0)["started"], false);
    assert_eq!(ask("list", 0)["daemons"][0]["project"].as_str(), project.root.to_str());
    let elsewhere = project.flow(&["api", "start", "PORT=1", "--json"]).expect(1).json();
    assert_eq!(elsewhere["code"], "running_elsewhere");
    assert_eq!(ask("stop", 0)["stopped"], true);
}

#[test]
fn the_project_can_be_named_in_three_ways() {
    let (project, other) = (Project::new(), Project::new());
    let named = project.root.to_str().unwrap();
    other.flow(&["api", "start", "PORT=0", "--project", named]).expect(0);
    let key = format!("PROJECT={named}");
    let stop = other.flow(&["api", "start", &key]).expect(0).out;
    assert!(stop.contains("flow api stop --project"), "{stop}");
    let ran = other.command().args(["api", "status"]).env("FLOW_PROJECT", named).output().unwrap();
    Ran::from(ran).expect(0);
    other.status().expect(3);
    project.status().expect(0);
    let gone = other.flow(&["api", "status", "--project", "/nowhere/at/all"]).expect(1);
    assert!(gone.err.contains("/nowhere/at/all"), "{gone:?}");
}

#[test]
fn escape_codes_in_names_are_shown_and_not_sent() {
    let project = Project::named("a\u{1b}[31mred\u{202e}turned");
    for words in [["api", "status"], ["api", "start"], ["api", "list"], ["api", "stop"]] {
        let mut command = project.command();
        command.args(words);
        if words[1] == "start" {
            command.arg("PORT=0");
        }
        let ran = Ran::from(command.output().unwrap());
        let all = format!("{}{}", ran.out, ran.err);
        assert!(!all.contains('\u{1b}') && !all.contains('\u{202e}'), "{words:?}: {all:?}");
        assert!(all.contains("\\u{1b}"), "{words:?}: {all:?}");
    }
    let ran = project.flow(&["api", "st\u{1b}[2Jart\u{202e}"]).expect(2);
    assert!(!ran.err.contains('\u{1b}') && !ran.err.contains('\u{202e}'), "{ran:?}");
}

#[test]
fn colour_only_where_it_is_wanted() {
    let project = Project::new();
    project.start();
    let status = |name: &str, value: &str| {
        let ran = project.command().args(["api", "status"]).env(name, value).output().unwrap();
        Ran::from(ran).expect(0).out
    };
    assert!(status("CLICOLOR_FORCE", "1").contains('\u{1b}'), "no colour when it is forced");
    assert!(!status("NO_COLOR", "1").contains('\u{1b}'));
    assert!(!status("TERM", "xterm").contains('\u{1b}'), "colour in a pipe");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let project = Project::new();
    project.start();
    for words in [&["api", "status"][..], &["api", "status", "--json"], &["completions", "bash"]] {
        let mut command = project.command();
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(said.is_empty(), "{said}");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn standard_streams_may_be_closed() {
    let project = Project::new();
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" api start PORT=0 <&- >&- 2>&-", FLOW]);
    shell
        .current_dir(&project.root)
        .env("FLOW_RUNTIME_DIR", &project.runtime)
        .env("XDG_STATE_HOME", project.state());
    assert_eq!(shell.status().unwrap().code(), Some(0));
    assert_eq!(project.status().code, 0);
}
