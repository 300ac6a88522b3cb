//! What the kernel denies to git. `tests/cases/hostile-checkout/repositories.in` shows the checks before it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use flow::store::Restriction;

use crate::shell::git;
use crate::support::{FLOW, Project, Ran};
use crate::tools;

fn link_entries(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        symlink(from.join(&name), to.join(&name)).unwrap();
    }
}

/// No check looks at each object: there are too many. The kernel denies the rest.
#[test]
fn git_reads_nothing_outside_of_its_repository() {
    if Restriction::of_kernel() == Restriction::Missing {
        return tools::not_here("this kernel has no Landlock, or it is not enabled");
    }
    let project = Project::new();
    let other = project.runtime.join("other");
    git(&other, &["init", "-q", "-b", "main"]);
    git(&other, &["commit", "-q", "--allow-empty", "-m", "feat: plan the merger"]);
    let other = other.join(".git");
    // A repository of its own, whose branch is at the commit of the other one.
    git(&project.root, &["init", "-q", "-b", "main"]);
    fs::copy(other.join("refs/heads/main"), project.root.join(".git/refs/heads/main")).unwrap();
    for folder in fs::read_dir(other.join("objects")).unwrap() {
        let name = folder.unwrap().file_name();
        link_entries(
            &other.join("objects").join(&name),
            &project.root.join(".git/objects").join(&name),
        );
    }
    let words = ["skill", "changelog-entry", "range=HEAD"];
    let mut command = project.command();
    let ran = Ran::from(command.current_dir(&project.root).args(words).output().unwrap());
    assert!(ran.code != 0 && !ran.out.contains("erger"), "{ran:?}");
    // Without the restriction it is shown: the test can fail.
    if tools::has("strace") {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null"]);
        command.args(["-e", "inject=landlock_create_ruleset:error=ENOSYS", *FLOW]).args(words);
        let ran = Ran::from(command.current_dir(&project.root).output().unwrap());
        assert!(ran.err.starts_with("strace:") || ran.out.contains("erger"), "{ran:?}");
    }
}
