//! No template of a checkout runs before this user has trusted it, and a checkout cannot contain trust.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::{Uid, mkfifo};
use serde_json::json;

use crate::support::{FLOW, Project, Ran};
use crate::tools::not_here;

const NOTE: &str = ".claude/skills/note.md.tera";

fn with_note() -> Project {
    let project = Project::new();
    project.write(NOTE, "one {{ a }}\n");
    project
}

#[test]
fn a_checkout_cannot_bring_trust_along() {
    let project = with_note();
    let text = fs::read_to_string(project.root.join(NOTE)).unwrap();
    let hash = flow::skill::runtime::registry::sha256(&text);
    let registry = json!({"roots": {project.root.to_str().unwrap(): {NOTE: {"name": "note", "sha256": hash}}}});
    for path in [".flow/trusted-templates.json", ".local/state/flow/trusted-templates.json"] {
        project.write(path, &registry.to_string());
        let ran = project.flow(&["skill", "note", "x"]).expect(1);
        assert!(ran.err.contains("not trusted") && ran.out.is_empty(), "{ran:?}");
    }
    // The same file where the user's own one is gives that trust.
    let own = project.state().join("flow/trusted-templates.json");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(own, registry.to_string()).unwrap();
    project.flow(&["skill", "note", "x"]).expect(0);
}

#[test]
fn trust_lies_in_the_users_state_and_is_of_one_root() {
    let (project, other) = (with_note(), with_note());
    project.flow(&["skill", "add", NOTE]).expect(0);
    let file = project.state().join("flow/trusted-templates.json");
    let stored = fs::read_to_string(&file).unwrap();
    assert!(stored.contains(&flow::skill::runtime::registry::sha256("one {{ a }}\n")), "{stored}");
    assert!(!project.root.join(".flow/skills.json").exists(), "the project is not written to");
    assert_eq!(project.flow(&["skill", "note", "x"]).expect(0).out, "one x\n");
    // The same content in another project of the same user.
    let mut command = other.command();
    command.env("XDG_STATE_HOME", project.state()).args(["skill", "note", "x"]);
    Ran::from(command.output().unwrap()).expect(1);
    // Another user has a state folder with another name.
    let mut command = project.command();
    command.env("XDG_STATE_HOME", other.state()).args(["skill", "note", "x"]);
    Ran::from(command.output().unwrap()).expect(1);
}

#[test]
fn a_folders_template_stays_in_its_folder() {
    let project = Project::new();
    let secret = project.runtime.with_file_name("secret.md.tera");
    fs::write(&secret, "PRIVATE KEY\n").unwrap();
    project.write(".claude/skills/top.md.tera", "PRIVATE KEY\n");
    let folder = project.root.join(".claude/skills/note");
    fs::create_dir_all(folder.join("assets")).unwrap();
    mkfifo(&folder.join("assets/fifo"), Mode::S_IRWXU).unwrap();
    symlink(&secret, folder.join("assets/link")).unwrap();
    symlink(project.runtime.parent().unwrap(), folder.join("out")).unwrap();
    let absolute = secret.display().to_string();
    let started = Instant::now();
    for named in [
        "../top.md.tera",
        "assets/../../top.md.tera",
        &absolute,
        "/proc/self/environ",
        "/dev/tty",
        "/dev/zero",
        "assets/fifo",
        "assets/link",
        "out/secret.md.tera",
        "assets",
        "",
        ".",
    ] {
        let page = format!(
            "---\nname: note\ndescription: x\nmetadata:\n  flow-template: \"{named}\"\n---\n"
        );
        project.write(".claude/skills/note/SKILL.md", &page);
        for words in [
            &["skill", "add", ".claude/skills/note"][..],
            &["skill", "add", "--all", "--yes"],
            &["skill", "note"],
            &["skill", "list"],
            &["skill", "check"],
        ] {
            let ran = project.flow(words);
            assert!(
                words[1] == "list" || ran.code == 1 || ran.code == 2,
                "{named}: {words:?}: {ran:?}"
            );
            assert!(
                !ran.out.contains("PRIVATE") && !ran.err.contains("PRIVATE"),
                "{named}: {ran:?}"
            );
        }
    }
    assert!(started.elapsed() < Duration::from_mins(1), "a reader waited");
}

#[test]
fn links_in_place_of_folders_are_not_followed() {
    let project = with_note();
    let outside = project.runtime.with_file_name("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::rename(project.root.join(".claude"), outside.join("claude")).unwrap();
    symlink(outside.join("claude"), project.root.join(".claude")).unwrap();
    for words in
        [&["skill", "note", "x"][..], &["skill", "add", NOTE], &["skill", "add", "--all", "--yes"]]
    {
        let ran = project.flow(words);
        assert!(ran.code == 1 || ran.code == 2, "{words:?}: {ran:?}");
    }
    assert!(!project.state().join("flow/trusted-templates.json").exists());
    fs::remove_file(project.root.join(".claude")).unwrap();
    project.write(NOTE, "one {{ a }}\n");
    symlink(&outside, project.root.join(".flow")).unwrap();
    project.flow(&["skill", "add", NOTE]).expect(0);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "nothing is written behind the link");
}

#[test]
fn what_belongs_to_another_user_is_refused_by_the_owners_name() {
    if !Uid::effective().is_root() {
        not_here("only root can give files away");
        return;
    }
    for path in ["", ".flow", ".claude", ".claude/skills"] {
        let project = with_note();
        fs::create_dir_all(project.root.join(".flow")).unwrap();
        project.flow(&["skill", "add", NOTE]).expect(0);
        chown(project.root.join(path), Some(65534), None).unwrap();
        for words in [
            &["skill", "note", "x"][..],
            &["skill", "add", NOTE],
            &["skill", "add", "--all", "--yes"],
        ] {
            let mut command = project.command();
            command.arg("--project").arg(&project.root).args(words);
            let ran = Ran::from(command.output().unwrap()).expect(1);
            assert!(ran.err.contains("nobody"), "{path}: {words:?}: {ran:?}");
        }
    }
}

#[test]
fn the_question_is_asked_on_a_terminal() {
    for (answer, code) in [("n", 1), ("", 1), ("y", 0)] {
        let project = with_note();
        let mut command = std::process::Command::new("script");
        let call = format!("'{FLOW}' skill add --all");
        command.args(["-q", "-e", "-c", &call, "/dev/null"]).current_dir(&project.root);
        command.env("XDG_STATE_HOME", project.state()).env("FLOW_RUNTIME_DIR", &project.runtime);
        let done = crate::support::fed(&mut command, format!("{answer}\n").as_bytes());
        let shown = String::from_utf8_lossy(&done.stdout);
        assert!(shown.contains("Trust this template? [y/N]"), "{shown}");
        assert_eq!(done.status.code(), Some(code), "{answer:?}: {shown}");
        project.flow(&["skill", "note", "x"]).expect(code);
    }
}
