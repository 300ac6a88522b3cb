//! The documents, tested: README's commands are run as written, the requests of docs/api.md are sent, and lists are
//! compared with the route table.

use std::fs;
use std::path::Path;
use std::process::Command;

use flow::model::record::Kind;
use flow::routes::ROUTES;
use serde_json::Value;

use crate::live::Live;
use crate::shell::git;
use crate::tools::has;

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The lines of the fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    text.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_answers_in_the_api_page_are_what_the_demo_gives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo");
    let live = Live::at(&root);
    let page = text("docs/api.md");
    let mut tried = 0;
    for part in page.split("\n`GET ").skip(1) {
        let (target, rest) = part.split_once('`').unwrap();
        let shown: Value = serde_json::from_str(blocks(rest, "json")[0]).unwrap();
        let reply = live.get(target);
        let mut given: Value = serde_json::from_slice(&reply.body).unwrap();
        if let Some(time) = given.get_mut("timestamp") {
            *time = "…".into();
        }
        // Compared as text, since the order of members is part of the answer.
        assert_eq!(shown.to_string(), given.to_string(), "{target}");
        tried += 1;
    }
    assert!(tried >= 7, "only {tried} answers were found in the page");
}

#[test]
fn the_documents_name_every_path_and_parameter() {
    for (name, page) in [("README.md", text("README.md")), ("docs/api.md", text("docs/api.md"))] {
        for route in ROUTES.iter().filter(|route| !route.path.contains(":id")) {
            assert!(page.contains(route.path), "{name} does not name {}", route.path);
            for parameter in route.parameters {
                assert!(page.contains(parameter.name), "{name} does not name {}", parameter.name);
            }
        }
    }
}

#[test]
fn the_documents_name_the_answers_without_an_etag() {
    let live = Live::new();
    for (name, before, after) in [
        ("docs/api.md", "**`ETag`** on every resource but ", ", derived"),
        ("README.md", "every answer has a strong `ETag`, except ", ";"),
    ] {
        let page = text(name).split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, rest) = page.split_once(before).unwrap();
        let named = rest.split_once(after).unwrap().0.replace(" and ", ", ").replace('`', "");
        let named: Vec<&str> = named.split(", ").collect();
        let is_whole = |path: &&str| !path.contains(":id") && *path != "/api/status";
        let without = ROUTES.iter().map(|route| route.path).filter(is_whole).filter(|path| {
            let reply = live.get(path);
            assert!(reply.status.is_success(), "{path}");
            reply.etag.is_none()
        });
        let expected: Vec<&str> = without.map(|path| path.trim_start_matches("/api/")).collect();
        assert_eq!(named, expected, "{name}");
    }
}

#[test]
fn the_parameter_q_names_the_fields_that_it_searches() {
    for (path, kind) in [
        ("/api/stories", Kind::Story),
        ("/api/epics", Kind::Epic),
        ("/api/tasks", Kind::Task),
        ("/api/sessions", Kind::Session),
        ("/api/bus/messages", Kind::Message),
    ] {
        let route = ROUTES.iter().find(|route| route.path == path).unwrap();
        let q = route.parameters.iter().find(|parameter| parameter.name == "q").unwrap();
        let (_, rest) = q.gives.split_once("occur in ").unwrap();
        let names = rest.split_once(", ignoring").unwrap().0.replace(" or ", ", ");
        assert_eq!(names.split(", ").collect::<Vec<_>>(), kind.searched(), "{path}");
    }
}

/// README's shell commands that a test can run, in order: those of cargo run, curl and flow.
fn readme_commands() -> Vec<String> {
    let readme = text("README.md");
    let lines = blocks(&readme, "sh").concat();
    let is_tried = |line: &&str| {
        ["cargo run", "curl", "flow", "mkdir"].iter().any(|word| line.starts_with(word))
    };
    lines.lines().filter(is_tried).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_readme_work_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let demo = folder.path().join("examples/demo");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo"), &demo);
    for words in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-q", "-m", "x"],
        &["update-ref", "refs/remotes/origin/main", "HEAD"],
    ] {
        git(&demo, words);
    }
    let port = free_port();
    let mut tried = 0;
    let has_curl = has("curl");
    for written in readme_commands() {
        if written.starts_with("curl") && !has_curl {
            continue;
        }
        let line = written
            .replace("cargo run --release --", "flow")
            .replace("3456", &port.to_string())
            // It would go on for ten minutes.
            .replace("flow demo", "flow demo --once")
            .replace("ACTION=start --project", &format!("ACTION=start PORT={port} --project"))
            .replace("flow api start  ", &format!("flow api start PORT={port}  "));
        let is_own_project = !written.contains("examples/demo") && !written.starts_with("curl");
        let at = if is_own_project { demo.as_path() } else { folder.path() };
        run(&line, at, folder.path());
        tried += 1;
    }
    assert!(tried >= 10, "only {tried} commands were found");
}

fn run(line: &str, at: &Path, runtime: &Path) {
    let program = Path::new(env!("CARGO_BIN_EXE_flow")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let done = Command::new("sh")
        .args(["-c", line])
        .current_dir(at)
        .env("PATH", path)
        .env("FLOW_RUNTIME_DIR", runtime.join("runtime"))
        .env("XDG_STATE_HOME", runtime.join("state"))
        .env_remove("FLOW_PROJECT")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&done.stdout);
    assert!(
        done.status.success(),
        "{line}: {}\n{shown}\n{}",
        done.status,
        String::from_utf8_lossy(&done.stderr)
    );
    if line.starts_with("curl") {
        let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert!(answer.get("error").is_none(), "{line}: {answer}");
        assert_ne!(answer.get("count"), Some(&0.into()), "{line}: {answer}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in
        fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != ".flow")
    {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Every test that this binary has, by its name.
fn tests() -> Vec<String> {
    let listed = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

#[test]
fn every_row_of_the_scoreboard_has_its_tests() {
    let tests = tests();
    let rows = text("tests/reliability.rows");
    let rows: Vec<&str> = rows.lines().filter(|line| !line.starts_with('#')).collect();
    let mut numbers: Vec<&str> = Vec::new();
    for row in rows {
        let parts: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = parts[0];
        assert!(!numbers.contains(&number), "row {number} is there twice");
        numbers.push(number);
        let named: Vec<&str> =
            parts[2].split_whitespace().filter(|word| word.contains("::")).collect();
        for name in &named {
            assert!(tests.iter().any(|test| test == name), "row {number}: there is no {name}");
        }
        let fuzzed: Vec<&str> =
            parts[2].split_whitespace().filter_map(|word| word.strip_prefix("fuzz/")).collect();
        for target in &fuzzed {
            assert!(text(&format!("fuzz/fuzz_targets/{target}.rs")).contains("fuzz_target!"));
            assert!(
                text("fuzz/run").contains(target),
                "row {number}: fuzz/run leaves {target} out"
            );
        }
        // What else is named is one of the script's commands, with its name in quotes.
        let script = text("tests/reliability");
        let is_test = |word: &&str| word.contains("::") || word.starts_with("fuzz/");
        let commands: Vec<&str> =
            parts[2].split_whitespace().filter(|word| !is_test(word)).collect();
        for name in &commands {
            assert!(script.contains(&format!("\"{name}\": [")), "row {number}: no command {name}");
        }
        assert!(
            !(named.is_empty() && fuzzed.is_empty() && commands.is_empty()),
            "row {number} has no test"
        );
    }
    assert!((1..=97).all(|row| numbers.contains(&row.to_string().as_str())), "{numbers:?}");
}

#[test]
fn the_tests_that_the_security_page_names_exist() {
    let tests = tests();
    let page = text("SECURITY.md");
    let mut module = String::new();
    let mut named = 0;
    // "…" stands for the module of the name before, or for the rest of a name.
    for name in page.split('`').skip(1).step_by(2) {
        let whole = match name.strip_prefix('…') {
            Some(rest) => format!("{module}::{rest}"),
            None => name.trim_end_matches('…').to_owned(),
        };
        let is_test = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
        if let Some((parent, _)) = whole.rsplit_once("::").filter(|_| is_test(&whole)) {
            assert!(tests.iter().any(|test| test.starts_with(&whole)), "there is no {whole}");
            module = parent.to_owned();
            named += 1;
        }
    }
    assert!(named >= 15, "only {named} tests were found in the page");
}
