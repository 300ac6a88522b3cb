//! Attempts to make the server read a file outside of the project: a folder that is replaced by a link between two
//! checks, and a `.git` that refers to another repository.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use flow::project::Source;
use flow::store::disk::{Disk, Open, RealDisk, Stat};
use flow::store::snapshot::State;
use flow::store::{Environment, Options, RealClock};

use crate::live::{self, Live};

const SECRET: &str = r#"{"stories":{"secret":{}}}"#;

/// Exchanges `docs` and `outside` right before a file is opened, and back after it.
struct Swapping {
    root: PathBuf,
}

impl Swapping {
    fn turn(&self, from: &str, to: &str) {
        for (from, to) in [("docs", "aside"), (from, "docs"), ("aside", to)] {
            let _ = fs::rename(self.root.join(from), self.root.join(to));
        }
    }
}

impl Disk for Swapping {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        RealDisk.stat(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        RealDisk.resolve(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        self.turn("outside", "inside");
        let opened = RealDisk.open(path);
        self.turn("inside", "outside");
        opened
    }

    fn read_small(&self, path: &Path, most: u64) -> io::Result<String> {
        RealDisk.read_small(path, most)
    }
}

#[test]
fn row_23_a_folder_that_is_a_link_only_while_it_is_opened_leads_nowhere() {
    let elsewhere = tempfile::tempdir().unwrap();
    live::write(&elsewhere.path().join("09-agents/status.json"), SECRET);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    live::write(&root.join("docs/09-agents/status.json"), r#"{"stories":{"good":{}}}"#);
    symlink(elsewhere.path(), root.join("outside")).unwrap();
    let environment = Environment { disk: Box::new(Swapping { root }), clock: Box::new(RealClock) };
    let live = Live::open(folder, &Options::default(), environment);
    assert!(!live.text("/api/stories").contains("secret"), "{}", live.text("/api/health"));
    assert_ne!(live.state(Source::Status), State::Present);
}

fn git(at: &Path, words: &[&str]) {
    fs::create_dir_all(at).unwrap();
    assert!(Command::new("git").args(words).current_dir(at).status().unwrap().success());
}

/// A repository may name the folder that it shares with others, but they must refer back to it.
#[test]
fn row_23_a_git_folder_that_claims_another_repository_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let victim = base.join("victim");
    git(&victim, &["init", "-q"]);
    let path = "docs/09-agents/status.json";
    live::write(&victim.join(path), SECRET);
    let claims: [fn(&Path, &Path); 3] = [
        |root, git| live::write(&root.join(".git/commondir"), git.to_str().unwrap()),
        |root, git| live::write(&root.join(".git"), format!("gitdir: {}\n", git.display())),
        |root, git| {
            live::write(&root.join(".git"), "gitdir: own\n");
            live::write(&root.join("own/commondir"), git.to_str().unwrap());
            live::write(&root.join("own/gitdir"), root.join(".git").to_str().unwrap());
        },
    ];
    for (n, claim) in claims.into_iter().enumerate() {
        let root = base.join(format!("forged-{n}"));
        claim(&root, &victim.join(".git"));
        fs::create_dir_all(root.join("docs/09-agents")).unwrap();
        symlink(victim.join(path), root.join(path)).unwrap();
        let live = Live::over(&root, None, &Options::default(), Environment::default());
        assert!(!live.text("/api/stories").contains("secret"), "claim {n}");
        assert_eq!(live.state(Source::Status), State::Refused, "claim {n}");
    }
}
