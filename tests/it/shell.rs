//! A shell in which `flow` is the program that is tested, without the user's own settings, daemons and trust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::FLOW;

/// Bash in a folder, with `base` as the home, and `$SKILLS` for the folders of skills. git makes the same commits each time.
pub(crate) fn bash(at: &Path, base: &Path) -> Command {
    let program = Path::new(*FLOW).parent().unwrap().display();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    // A script that hangs must not hold up the others.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", "300", "bash"]);
    command.current_dir(at).env("PATH", path).env("HOME", base).env("COLUMNS", "80");
    command.env("LC_ALL", "C");
    command.env("SKILLS", Path::new(env!("CARGO_MANIFEST_DIR")).join("skills"));
    command.env("FLOW_RUNTIME_DIR", base.join("runtime")).env_remove("FLOW_PROJECT");
    command.env("XDG_CONFIG_HOME", base.join("config")).env("XDG_STATE_HOME", base.join("state"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada");
        command.env(format!("GIT_{role}_EMAIL"), "ada@example.org");
        command.env(format!("GIT_{role}_DATE"), "2026-01-01T00:00:00Z");
    }
    command
}

/// A folder to begin in, without links in its path.
pub(crate) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

/// Runs git in a folder, which is created if it is not there, with an author and without the settings of the user.
#[track_caller]
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    const SETTINGS: [&str; 4] =
        ["user.name=a", "user.email=a@b", "commit.gpgsign=false", "protocol.file.allow=always"];
    fs::create_dir_all(folder).unwrap();
    let mut command = Command::new("git");
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(words);
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
    let done = command.output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}
