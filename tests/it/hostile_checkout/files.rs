//! Skills read only files of the project, and write through no link; `tests/cases/out` shows which files are replaced.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::shell::git;
use crate::support::Project;

fn read(project: &Project, path: &str) -> String {
    fs::read_to_string(project.root.join(path)).unwrap()
}

/// A project with something to report.
fn with_a_story() -> Project {
    let project = Project::new();
    project.write("docs/09-agents/status.json", r#"{"stories": {"US-1": {"title": "Basket"}}}"#);
    project
}

#[test]
fn no_link_leads_a_reader_out_of_the_project() {
    let project = Project::new();
    let secret = project.runtime.with_file_name("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("0001-key.md"), "# 1. PRIVATE KEY\n\n## Status\n\nAccepted\n").unwrap();
    fs::write(secret.join("log.md"), "# Changelog\n\n## [9.9.9]\n\nPRIVATE KEY\n").unwrap();
    fs::create_dir_all(project.root.join("docs/adr")).unwrap();
    symlink(secret.join("0001-key.md"), project.root.join("docs/adr/0001-x.md")).unwrap();
    symlink(secret.join("log.md"), project.root.join("LOG.md")).unwrap();
    symlink(&secret, project.root.join("linked")).unwrap();
    let absolute = format!("path={}", secret.join("log.md").display());
    for words in [
        &["skill", "adr-template", "Use Y", "status=accepted", "supersedes=1"][..],
        &["skill", "adr-template", "Use Y", "status=accepted", "supersedes=1", "folder=linked"],
        &["skill", "adr-template", "Use Y", "status=accepted", "supersedes=1", "folder=../secret"],
        &["skill", "changelog-entry", "Added: x", "path=LOG.md"],
        &["skill", "changelog-entry", "Added: x", "path=linked/log.md"],
        &["skill", "changelog-entry", "Added: x", "path=../secret/log.md"],
        &["skill", "changelog-entry", "Added: x", &absolute],
        &["skill", "tech-debt-register", "scan=linked"],
        &["skill", "tech-debt-register", "scan=../secret"],
    ] {
        let ran = project.flow(words).expect(2);
        assert!(!ran.out.contains("PRIVATE") && !ran.err.contains("PRIVATE"), "{words:?}: {ran:?}");
    }
    assert!(fs::read_to_string(secret.join("0001-key.md")).unwrap().contains("Accepted"));
}

#[test]
fn no_link_makes_another_file_the_settings_of_a_project() {
    let (project, elsewhere) = (Project::new(), Project::new());
    elsewhere.write("secrets.json", "{\"read_from_ports\": \"SECRET\"}");
    let settings = project.root.join(".flow/config.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::remove_file(&settings).ok();
    std::os::unix::fs::symlink(elsewhere.root.join("secrets.json"), &settings).unwrap();
    for words in [&["api", "start"][..], &["doctor"], &["watch", "--once"]] {
        let ran = project.flow(words);
        assert_ne!(ran.code, 0, "{ran:?}");
        assert!(
            ran.err.contains("is a link out of") || ran.out.contains("is a link out of"),
            "{ran:?}"
        );
        assert!(!format!("{}{}", ran.out, ran.err).contains("SECRET"), "{ran:?}");
    }
    // One that stays inside is followed.
    fs::remove_file(&settings).unwrap();
    project.write(".flow/shared.json", "{\"prot\": 1}");
    std::os::unix::fs::symlink("shared.json", &settings).unwrap();
    let ran = project.flow(&["api", "start"]);
    assert!(ran.err.contains("prot"), "{ran:?}");
}

#[test]
fn no_link_leads_a_writer_out_of_the_project() {
    let project = with_a_story();
    let outside = project.runtime.with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir_all(project.root.join(".claude/skills")).unwrap();
    symlink(&outside, project.root.join(".claude/skills/adr-template")).unwrap();
    symlink(&outside, project.root.join("linked")).unwrap();
    symlink(outside.join("new"), project.root.join("dangling.md")).unwrap();
    for words in [
        &["skill", "install", "adr-template"][..],
        &["skill", "install", "--all", "--force"],
        &["skill", "status-report", "--out", "linked/a.md"],
        &["skill", "status-report", "--out", "linked/", "--force"],
        &["skill", "status-report", "--out", "dangling.md", "--force"],
        &["skill", "status-report", "--out", "./linked/../linked/a.md", "--force"],
    ] {
        let ran = project.flow(words).expect(1);
        assert!(ran.err.contains("link"), "{words:?}: {ran:?}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{words:?} wrote outside");
    }
}

#[test]
fn no_id_leads_a_suggested_path_out_of_the_folder() {
    let project = Project::new();
    for id in ["../../../../tmp/x", "/etc/x", "..", "a/../../b", ".hidden"] {
        let story = r#"{"title":"Pay","acceptance_criteria":["Given a, when b, then c"]}"#;
        let state = format!(r#"{{"stories":{{"{id}":{story}}}}}"#);
        project.write("docs/09-agents/status.json", &state);
        for skill in ["story-skeleton", "acceptance-criteria-generator", "test-case-generator"] {
            let ran = project.flow(&["skill", skill, "--from-story", id, "--json"]).expect(0);
            let path = ran.json()["artifacts"][0]["path"].as_str().unwrap().to_owned();
            let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            assert!(path.chars().all(is_plain) && !path.starts_with('.'), "{skill} {id:?}: {path}");
        }
    }
}

#[test]
fn images_and_links_of_strangers_are_text() {
    let project = Project::new();
    let hostile = "Pay ![x](http://evil/p.png) [here](http://evil/a) http://evil/b <http://evil/c>";
    let state = format!(
        r#"{{"stories":{{"US-1":{{"title":"{hostile}","status":"blocked","owner":"{hostile}"}}}}}}"#
    );
    project.write("docs/09-agents/status.json", &state);
    git(&project.root, &["init", "-q"]);
    for subject in ["begin", &format!("feat: {hostile}")] {
        git(&project.root, &["commit", "-q", "--allow-empty", "-m", subject]);
    }
    for words in [
        &["status-report"][..],
        &["blocker-analysis"],
        &["handoff-note"],
        &["agent-brief", "US-1"],
        &["sprint-planner", "capacity=5"],
        &["changelog-entry", "HEAD~1..HEAD"],
    ] {
        let text = project.flow(&[&["skill"], words].concat()).expect(0).out;
        assert!(text.contains("evil/"), "{words:?}: {text}");
        // Whatever is a link or an image in Markdown is one of these.
        for link in ["![", " [here](", "<http"] {
            assert!(!text.contains(link), "{words:?}: {text}");
        }
        let bare = text.match_indices("http://evil").filter(|(at, _)| !text[..*at].ends_with('`'));
        assert_eq!(bare.count(), 0, "{words:?}: {text}");
    }
}

#[test]
fn out_is_the_users_own_word_and_may_lead_anywhere() {
    let project = with_a_story();
    let outside = project.runtime.with_file_name("elsewhere");
    let file = outside.join("deep/report.md");
    project.flow(&["skill", "status-report", "--out", file.to_str().unwrap()]).expect(0);
    assert!(file.is_file());
    let linked = project.runtime.with_file_name("short");
    symlink(&outside, &linked).unwrap();
    let other = linked.join("other.md");
    project.flow(&["skill", "status-report", "--out", other.to_str().unwrap()]).expect(0);
    assert!(outside.join("other.md").is_file());
    let input = outside.join("in.txt");
    fs::write(&input, "As a shopper I want a basket").unwrap();
    project.flow(&["skill", "story-skeleton", "--input", input.to_str().unwrap()]).expect(0);
}

#[test]
fn a_fifo_or_a_device_is_refused_without_a_wait() {
    let project = with_a_story();
    fs::create_dir_all(project.root.join("docs/adr")).unwrap();
    for path in ["LOG.md", "docs/adr/0001-x.md", "in.json", "t.md.tera", "out.md"] {
        mkfifo(&project.root.join(path), Mode::S_IRWXU).unwrap();
    }
    let started = Instant::now();
    for (words, code) in [
        (&["skill", "changelog-entry", "Added: x", "path=LOG.md"][..], 2),
        (&["skill", "changelog-entry", "Added: x", "--out", "LOG.md"], 2),
        (&["skill", "adr-template", "Use Y", "status=accepted", "supersedes=1"], 2),
        (&["skill", "story-skeleton", "--input", "in.json"], 2),
        (&["skill", "note", "x", "--template", "t.md.tera"], 2),
        (&["skill", "note", "x", "--template", "/dev/zero"], 2),
        (&["skill", "status-report", "--out", "out.md", "--force"], 1),
        (&["skill", "status-report", "--out", "/dev/null", "--force"], 1),
        (&["skill", "tech-debt-register", "scan=LOG.md"], 2),
    ] {
        let ran = project.flow(words).expect(code);
        assert!(ran.err.contains("file"), "{words:?}: {ran:?}");
    }
    assert!(started.elapsed() < Duration::from_secs(30), "a reader waited");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn an_artifact_is_written_whole_or_not_at_all() {
    let project = Project::new();
    project.write("report.md", "mine\n");
    let script = "ulimit -f 0; exec \"$0\" skill status-report --out report.md --force";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, crate::support::FLOW]).current_dir(&project.root);
    let done = shell
        .env("FLOW_RUNTIME_DIR", &project.runtime)
        .env("XDG_STATE_HOME", project.state())
        .output()
        .unwrap();
    assert!(!done.status.success());
    assert_eq!(read(&project, "report.md"), "mine\n");
}

#[test]
fn no_skill_grants_itself_tools() {
    for name in flow::skill::runtime::catalog::names() {
        let page = flow::skill::runtime::catalog::file(name, "SKILL.md").unwrap();
        let (front, _) = page.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        assert!(!front.contains("allowed-tools"), "{name}");
    }
}
