//! No program that a repository's settings name is run, nothing is fetched, and no submodule is entered.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::repositories::call;
use crate::shell::git;
use crate::support::Project;

/// All git calls of the skills.
const CALLS: [&[&str]; 6] = [
    &["commit-message-formatter", "type=chore"],
    &["changelog-entry", "range=HEAD"],
    &["changelog-entry", "range=HEAD", "version=next"],
    &["pr-description", "range=HEAD"],
    &["tech-debt-register", "scan=."],
    &["handoff-note", "agent=AG-1"],
];

/// A repository that tries to run a program, which would create a file.
struct Trap {
    project: Project,
    program: PathBuf,
    mark: PathBuf,
}

impl Trap {
    /// A repository with a commit, a tag, and a staged change of two files.
    fn new() -> Self {
        let project = Project::new();
        let (mark, program) = (project.runtime.join("mark"), project.runtime.join("program"));
        fs::create_dir_all(&project.runtime).unwrap();
        let script = format!("#!/bin/sh\ntouch '{}'\ncat 2>/dev/null\nexit 0\n", mark.display());
        write_program(&program, &script);
        let trap = Self { project, program, mark };
        trap.git(&["init", "-q", "-b", "main"]);
        trap.project.write("src/a.rs", "fn a() {}\n// TODO: one\n");
        trap.project.write("src/b.rs", "fn b() {}\n");
        trap.git(&["add", "-A"]);
        trap.git(&["commit", "-q", "-m", "feat: begin"]);
        trap.git(&["tag", "v1.0.0"]);
        trap.project.write("src/a.rs", "fn a() {}\nfn more() {}\n// TODO: one\n");
        trap.project.write("src/b.rs", "fn b() { more() }\n");
        trap.git(&["add", "-A"]);
        trap
    }

    fn git(&self, words: &[&str]) -> String {
        git(&self.project.root, words)
    }

    /// A setting whose value may name the program as `PROGRAM`.
    fn set(&self, key: &str, value: &str) {
        let value = value.replace("PROGRAM", self.program.to_str().unwrap());
        self.git(&["config", key, &value]);
    }

    /// The calls that ran the program, of every skill that calls git in a folder of the project.
    fn sprung(&self, folder: &str, what: &str) -> Vec<String> {
        // Creating the repository may have run it.
        let _ = fs::remove_file(&self.mark);
        let mut sprung = Vec::new();
        for words in CALLS {
            let mut command = self.project.command();
            command.current_dir(self.project.root.join(folder));
            command.arg("skill").args(words).stdin(Stdio::null()).output().unwrap();
            if fs::remove_file(&self.mark).is_ok() {
                sprung.push(format!("{what}: a program was run by {words:?}"));
            }
        }
        sprung
    }

    #[track_caller]
    fn expect_nothing_runs(&self, folder: &str, what: &str) {
        assert_none(&self.sprung(folder, what));
    }
}

#[track_caller]
fn assert_none(sprung: &[String]) {
    assert!(sprung.is_empty(), "{}", sprung.join("\n"));
}

fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Settings that name a program for git's commands, and further conditions for git to use them.
const SETTINGS: [&[(&str, &str)]; 20] = [
    &[("core.fsmonitor", "PROGRAM")],
    &[("core.hooksPath", ".")],
    &[("diff.external", "PROGRAM")],
    &[("diff.evil.command", "PROGRAM")],
    &[("diff.evil.textconv", "PROGRAM")],
    &[("filter.evil.clean", "PROGRAM"), ("filter.evil.smudge", "PROGRAM")],
    &[("filter.evil.process", "PROGRAM"), ("filter.evil.required", "true")],
    &[("gpg.program", "PROGRAM"), ("log.showSignature", "true")],
    &[("gpg.ssh.program", "PROGRAM"), ("log.showSignature", "true")],
    &[("core.pager", "PROGRAM"), ("pager.log", "PROGRAM"), ("pager.diff", "PROGRAM")],
    &[("pager.tag", "PROGRAM"), ("column.ui", "always")],
    &[("core.editor", "PROGRAM"), ("sequence.editor", "PROGRAM")],
    &[("core.askPass", "PROGRAM"), ("credential.helper", "!PROGRAM")],
    &[("core.sshCommand", "PROGRAM"), ("core.gitProxy", "PROGRAM")],
    &[("core.alternateRefsCommand", "PROGRAM")],
    &[("interactive.diffFilter", "PROGRAM")],
    &[("alias.log", "!PROGRAM"), ("alias.diff", "!PROGRAM"), ("alias.ls-files", "!PROGRAM")],
    &[("merge.evil.driver", "PROGRAM"), ("trailer.x.command", "PROGRAM")],
    &[("uploadpack.packObjectsHook", "PROGRAM"), ("ssh.variant", "simple")],
    &[("submodule.x.update", "!PROGRAM"), ("difftool.x.cmd", "PROGRAM")],
];

/// Adds a signature to the last commit, so that a log with signatures runs a program to verify it.
fn sign(trap: &Trap, kind: &str) {
    let text = trap.git(&["cat-file", "commit", "HEAD"]);
    let (head, message) = text.split_once("\n\n").unwrap();
    let signed = format!(
        "{head}\ngpgsig -----BEGIN {kind} SIGNATURE-----\n \n aaaa\n -----END {kind} SIGNATURE-----\n\n{message}\n"
    );
    fs::write(trap.project.runtime.join("commit"), signed).unwrap();
    let file = trap.project.runtime.join("commit");
    let id = trap.git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    trap.git(&["update-ref", "HEAD", &id]);
}

#[test]
fn no_setting_of_a_repository_runs_a_program() {
    let mut sprung = Vec::new();
    for settings in SETTINGS {
        let trap = Trap::new();
        trap.project.write(".gitattributes", "* diff=evil filter=evil merge=evil\n");
        trap.git(&["add", ".gitattributes"]);
        sign(&trap, if settings[0].0.contains("ssh") { "SSH" } else { "PGP" });
        write_program(
            &trap.project.root.join("post-index-change"),
            &fs::read_to_string(&trap.program).unwrap(),
        );
        for (key, value) in settings {
            trap.set(key, value);
        }
        // The index must look stale, so that git would refresh it.
        trap.project.write("src/a.rs", "fn a() {}\nfn more() {}\n// TODO: one\n");
        sprung.extend(trap.sprung(".", settings[0].0));
    }
    assert_none(&sprung);
}

#[test]
fn no_setting_of_an_included_file_runs_a_program() {
    let trap = Trap::new();
    trap.project.write(".gitattributes", "* diff=evil\n");
    trap.set("include.path", trap.project.root.join("included").to_str().unwrap());
    let program = trap.program.display();
    let text = format!(
        "[core]\nfsmonitor = {program}\n[diff]\nexternal = {program}\n[diff \"evil\"]\ntextconv = {program}\ncommand = {program}\n"
    );
    trap.project.write("included", &text);
    trap.expect_nothing_runs(".", "include.path");
}

/// Makes the repository one that fetches missing objects from a remote, and removes an object that a diff needs.
fn lack_an_object(trap: &Trap, folder: &str) {
    let at = trap.project.root.join(folder);
    let id = git(&at, &["rev-parse", "HEAD:src/a.rs"]);
    let dir = at.join(git(&at, &["rev-parse", "--git-dir"]));
    let object = dir.join("objects").join(&id[..2]).join(&id[2..]);
    let kept = trap.project.runtime.join("object");
    fs::rename(&object, kept).unwrap();
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
    ] {
        git(&at, &["config", key, value]);
    }
}

/// Remotes that run a program when something is fetched from them.
const REMOTES: [(&str, &[(&str, &str)]); 6] = [
    ("uploadpack", &[("remote.origin.url", "ROOT"), ("remote.origin.uploadpack", "PROGRAM")]),
    ("ssh", &[("remote.origin.url", "a@localhost:b"), ("core.sshCommand", "PROGRAM")]),
    ("ext", &[("remote.origin.url", "ext::PROGRAM"), ("protocol.ext.allow", "always")]),
    ("git proxy", &[("remote.origin.url", "git://localhost/a"), ("core.gitProxy", "PROGRAM")]),
    (
        "file, allowed by itself",
        &[
            ("remote.origin.url", "file://ROOT"),
            ("remote.origin.uploadpack", "PROGRAM"),
            ("protocol.file.allow", "always"),
            ("protocol.allow", "always"),
        ],
    ),
    (
        "credentials",
        &[
            ("remote.origin.url", "http://a@127.0.0.1:9/a"),
            ("credential.helper", "!PROGRAM"),
            ("http.proxy", "http://a@127.0.0.1:9"),
        ],
    ),
];

#[test]
fn what_a_repository_lacks_is_never_fetched() {
    let mut sprung = Vec::new();
    for (what, settings) in REMOTES {
        let trap = Trap::new();
        lack_an_object(&trap, ".");
        for (key, value) in settings {
            trap.set(key, &value.replace("ROOT", trap.project.root.to_str().unwrap()));
        }
        sprung.extend(trap.sprung(".", what));
    }
    assert_none(&sprung);
}

#[test]
fn a_tracked_folder_that_is_a_bare_repository_is_not_taken_for_one() {
    let trap = Trap::new();
    let bare = trap.project.root.join("vendor");
    fs::create_dir(&bare).unwrap();
    for name in ["objects", "refs"] {
        let from = trap.project.root.join(".git").join(name);
        let copied = Command::new("cp").arg("-r").arg(from).arg(&bare).status().unwrap();
        assert!(copied.success());
    }
    for name in ["HEAD", "index"] {
        fs::copy(trap.project.root.join(".git").join(name), bare.join(name)).unwrap();
    }
    let config = format!(
        "[core]\nbare = true\nfsmonitor = {0}\nrepositoryFormatVersion = 1\n[extensions]\npartialClone = origin\n\
         [remote \"origin\"]\nurl = {1}\npromisor = true\nuploadpack = \"{0}\"\n",
        trap.program.display(),
        trap.project.root.display()
    );
    fs::write(bare.join("config"), config).unwrap();
    let id = git(&bare, &["--git-dir=.", "rev-parse", "HEAD:src/a.rs"]);
    fs::remove_file(bare.join("objects").join(&id[..2]).join(&id[2..])).unwrap();
    trap.expect_nothing_runs("vendor", "a bare repository");
    // It is a folder of the repository that contains it, like any other.
    let mut command = trap.project.command();
    command.current_dir(&bare).args(["skill", "changelog-entry", "range=HEAD"]);
    let done = command.stdin(Stdio::null()).output().unwrap();
    let out = String::from_utf8_lossy(&done.stdout);
    assert!(out.contains("Begin"), "{out}{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn no_submodule_is_entered() {
    let trap = Trap::new();
    let other = trap.project.runtime.join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q", "-b", "main"]);
    fs::write(other.join("a"), "one\n").unwrap();
    git(&other, &["add", "-A"]);
    git(&other, &["commit", "-q", "-m", "feat: one"]);
    trap.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "sub"]);
    trap.git(&["commit", "-q", "-m", "feat: sub"]);
    let sub = trap.project.root.join("sub");
    fs::write(sub.join("a"), "two\n").unwrap();
    git(&sub, &["commit", "-q", "-a", "-m", "feat: two"]);
    for key in ["diff.external", "core.fsmonitor"] {
        git(&sub, &["config", key, trap.program.to_str().unwrap()]);
    }
    trap.git(&["add", "sub"]);
    trap.set("diff.submodule", "diff");
    trap.set("diff.ignoreSubmodules", "none");
    trap.set("submodule.recurse", "true");
    trap.expect_nothing_runs(".", "diff.submodule");
    // The staged change of the submodule itself still counts as a change.
    let ran = call(&trap.project, &trap.project.root, &["commit-message-formatter", "type=chore"]);
    assert_eq!(ran.expect(0).out.trim(), "chore: update sub");
}
