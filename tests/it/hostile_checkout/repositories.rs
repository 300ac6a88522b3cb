//! A checkout whose `.git` leads to the repository of another project shows none of its commits.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flow::store::Restriction;

use crate::shell::git;
use crate::support::{FLOW, Project, Ran};
use crate::tools;

const SECRET: &str = "plan the merger";

/// Makes the `.git` of a checkout lead to the `.git` of another project.
type Lead = fn(&Path, &Path);

/// The calls that print commits or names of staged files.
const CALLS: [&[&str]; 4] = [
    &["changelog-entry", "range=HEAD"],
    &["pr-description", "range=HEAD"],
    &["handoff-note", "agent=AG-1"],
    &["commit-message-formatter", "type=chore"],
];

/// A repository with a commit and a staged file.
fn repository(at: &Path, subject: &str) -> PathBuf {
    fs::create_dir_all(at).unwrap();
    git(at, &["init", "-q", "-b", "main"]);
    fs::write(at.join("a"), subject).unwrap();
    git(at, &["add", "-A"]);
    git(at, &["commit", "-q", "-m", &format!("feat: {subject}")]);
    fs::write(at.join("merger.rs"), "fn plan() {}\n").unwrap();
    git(at, &["add", "-A"]);
    at.join(".git")
}

pub(super) fn call(project: &Project, folder: &Path, words: &[&str]) -> Ran {
    let mut command = project.command();
    command.current_dir(folder).arg("skill").args(words);
    Ran::from(command.stdin(Stdio::null()).output().unwrap())
}

/// Gives a checkout a repository of its own, whose branch is at the commit of another one.
fn own_with_head_of(checkout: &Path, other: &Path) {
    git(checkout, &["init", "-q", "-b", "main"]);
    fs::copy(other.join("refs/heads/main"), checkout.join(".git/refs/heads/main")).unwrap();
}

fn link_entries(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        symlink(from.join(&name), to.join(&name)).unwrap();
    }
}

const LEADS: [(&str, Lead); 10] = [
    ("a file that names it", |checkout, other| {
        fs::write(checkout.join(".git"), format!("gitdir: {}\n", other.display())).unwrap();
    }),
    ("a file that names a folder which claims to be a worktree of it", |checkout, other| {
        fs::write(checkout.join(".git"), "gitdir: own\n").unwrap();
        fs::create_dir(checkout.join("own")).unwrap();
        fs::write(checkout.join("own/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(checkout.join("own/commondir"), other.to_str().unwrap()).unwrap();
        fs::write(checkout.join("own/gitdir"), checkout.join(".git").to_str().unwrap()).unwrap();
    }),
    ("a link to it", |checkout, other| symlink(other, checkout.join(".git")).unwrap()),
    ("a folder with its commondir", |checkout, other| {
        git(checkout, &["init", "-q", "-b", "main"]);
        fs::write(checkout.join(".git/commondir"), other.to_str().unwrap()).unwrap();
    }),
    ("links to its parts", |checkout, other| {
        link_entries(other, &checkout.join(".git"));
    }),
    ("alternates", |checkout, other| {
        own_with_head_of(checkout, other);
        let objects = other.join("objects").display().to_string();
        fs::write(checkout.join(".git/objects/info/alternates"), objects).unwrap();
    }),
    ("alternates that are a link", |checkout, other| {
        own_with_head_of(checkout, other);
        let objects = other.join("objects").display().to_string();
        fs::write(checkout.join("list"), objects).unwrap();
        symlink("../../../list", checkout.join(".git/objects/info/alternates")).unwrap();
    }),
    ("a link to its objects", |checkout, other| {
        own_with_head_of(checkout, other);
        fs::remove_dir_all(checkout.join(".git/objects")).unwrap();
        symlink(other.join("objects"), checkout.join(".git/objects")).unwrap();
    }),
    ("links to folders of its objects", |checkout, other| {
        own_with_head_of(checkout, other);
        fs::remove_dir_all(checkout.join(".git/objects")).unwrap();
        link_entries(&other.join("objects"), &checkout.join(".git/objects"));
    }),
    ("links to its packs", |checkout, other| {
        own_with_head_of(checkout, other);
        git(other, &["repack", "-q", "-a", "-d"]);
        fs::remove_dir_all(checkout.join(".git/objects/pack")).unwrap();
        link_entries(&other.join("objects/pack"), &checkout.join(".git/objects/pack"));
    }),
];

#[test]
fn a_checkout_shows_no_commits_of_another_repository() {
    let mut shown = Vec::new();
    for (what, lead) in LEADS {
        let project = Project::new();
        let other = repository(&project.runtime.join("other"), SECRET);
        lead(&project.root, &other);
        project.write("docs/09-agents/status.json", r#"{"stories":{"US-1":{"owner":"AG-1"}}}"#);
        for words in CALLS {
            let ran = call(&project, &project.root, words);
            if [SECRET, "merger"].iter().any(|secret| ran.out.contains(secret)) {
                shown.push(format!("{what}: {words:?}"));
            }
            if !(ran.err + &ran.out).contains("/.git") {
                shown.push(format!("{what}: {words:?} does not say why"));
            }
        }
    }
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

#[test]
fn worktrees_and_submodules_show_their_own_commits() {
    let project = Project::new();
    let base = project.runtime.join("base");
    let library = repository(&base.join("library"), "lend books");
    let main = project.root.join("main");
    repository(&main, "sell books");
    git(&main, &["submodule", "--quiet", "add", library.to_str().unwrap(), "library"]);
    git(&main, &["worktree", "add", "-q", "../side"]);
    let separate = project.root.join("separate");
    let folder = base.join("separate.git");
    fs::create_dir_all(&separate).unwrap();
    git(&separate, &["init", "-q", "--separate-git-dir", folder.to_str().unwrap()]);
    git(&separate, &["config", "core.worktree", separate.to_str().unwrap()]);
    git(&separate, &["commit", "-q", "--allow-empty", "-m", "feat: sell books"]);
    let below = project.root.join("main/below");
    fs::create_dir(&below).unwrap();
    for (folder, subject) in [
        (&main, "sell books"),
        (&below, "sell books"),
        (&project.root.join("side"), "sell books"),
        (&main.join("library"), "lend books"),
        (&separate, "sell books"),
    ] {
        let ran = call(&project, folder, CALLS[0]);
        let out = ran.expect(0).out.to_lowercase();
        assert!(out.contains(subject), "{}: {out}", folder.display());
    }
}

/// No check looks at each object: there are too many. The kernel denies the rest.
#[test]
fn git_reads_nothing_outside_of_its_repository() {
    if Restriction::of_kernel() == Restriction::Missing {
        return tools::not_here("this kernel has no Landlock, or it is not enabled");
    }
    let project = Project::new();
    let other = repository(&project.runtime.join("other"), SECRET);
    own_with_head_of(&project.root, &other);
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
        command.args(["-e", "inject=landlock_create_ruleset:error=ENOSYS", FLOW]).args(words);
        let ran = Ran::from(command.current_dir(&project.root).output().unwrap());
        assert!(ran.err.starts_with("strace:") || ran.out.contains("erger"), "{ran:?}");
    }
}
