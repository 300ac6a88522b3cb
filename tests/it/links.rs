//! Attempts to make the server read a file outside of the project: a folder that is replaced by a link between two
//! checks, a `.git` that refers to another repository, and opening it in spite of all checks.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use flow::project::Source;
use flow::store::disk::{Disk, Open, RealDisk, Stat};
use flow::store::restricted_disk::RestrictedDisk;
use flow::store::snapshot::State;
use flow::store::{Environment, Options, RealClock, Restriction};

use crate::live::{self, Live};
use crate::shell::git;
use crate::support::{Project, Ran, is_portable};
use crate::tools;

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
fn a_folder_that_is_a_link_only_while_it_is_opened_leads_nowhere() {
    let elsewhere = tempfile::tempdir().unwrap();
    live::write(&elsewhere.path().join("09-agents/status.json"), SECRET);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    live::write(&root.join("docs/09-agents/status.json"), r#"{"stories":{"good":{}}}"#);
    symlink(elsewhere.path(), root.join("outside")).unwrap();
    let environment = Environment {
        disk: Some(Box::new(Swapping { root })),
        clock: Box::new(RealClock),
        ..Environment::default()
    };
    let live = Live::open(folder, &Options::default(), environment);
    assert!(!live.text("/api/stories").contains("secret"), "{}", live.text("/api/health"));
    assert_ne!(live.state(Source::Status), State::Present);
}

/// A repository may name the folder that it shares with others, but they must refer back to it.
#[test]
fn a_git_folder_that_claims_another_repository_opens_nothing() {
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
        let live = Live::at(&root);
        assert!(!live.text("/api/stories").contains("secret"), "claim {n}");
        assert_eq!(live.state(Source::Status), State::Refused, "claim {n}");
    }
}

/// The disk of a store, without the store and its checks of paths; `None` if this kernel restricts nothing.
fn restricted(root: &Path) -> Option<RestrictedDisk> {
    let disk = RestrictedDisk::new(root);
    if disk.restriction() == Restriction::Missing {
        tools::not_here("this kernel has no Landlock, or it is not enabled");
        return None;
    }
    Some(disk)
}

#[track_caller]
fn is_readable(disk: &RestrictedDisk, path: &Path) -> bool {
    let (opened, read) = (disk.open(path), disk.read_small(path, 100));
    assert_eq!(opened.is_ok(), read.is_ok(), "{}", path.display());
    if let Err(error) = &opened {
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{}: {error}", path.display());
    }
    opened.is_ok()
}

#[test]
fn the_thread_that_opens_files_can_open_nothing_outside() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (inside, outside) = (base.join("root/docs/file"), base.join("outside/file"));
    live::write(&inside, "inside");
    live::write(&outside, "outside");
    let Some(disk) = restricted(&base.join("root")) else { return };
    assert!(is_readable(&disk, &inside));
    for path in [&outside, Path::new("/etc/passwd"), Path::new("/proc/version")] {
        assert!(!is_readable(&disk, path), "{path:?}");
        assert!(RealDisk.open(path).is_ok(), "{path:?}: only the restriction denies it");
    }
    // This thread is not restricted, and neither is another disk.
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
    assert!(is_readable(&RestrictedDisk::new(&base.join("outside")), &outside));
}

/// A kernel without Landlock, as strace shows one to the program.
#[test]
fn without_landlock_health_and_doctor_say_so() {
    let project = Project::new();
    project.write("docs/09-agents/status.json", SECRET);
    if !tools::has("strace") {
        return;
    }
    let of_kernel =
        if is_portable() { Restriction::Missing } else { Restriction::of_kernel() }.name();
    let inject = ["-e", "inject=landlock_create_ruleset:error=ENOSYS"];
    for (inject, expected) in [(&[][..], of_kernel), (&inject, "unrestricted")] {
        let run = |words: &[&str]| {
            let under = [&["strace", "-f", "-qq", "-o", "/dev/null"], inject].concat();
            Ran::from(project.under(&under).args(words).output().unwrap())
        };
        let ran = run(&["api", "get", "/api/health"]);
        if ran.err.starts_with("strace:") {
            return tools::skip(&format!("strace: {}", ran.err));
        }
        let health = ran.expect(0).json();
        assert_eq!(health["file_access"], expected, "{health}");
        assert_eq!(health["status"], "ok");
        let doctor = run(&["doctor"]).expect(0);
        assert_eq!(doctor.out, "No problems found\n");
        assert_eq!(doctor.err.is_empty(), expected == "restricted", "{doctor:?}");
        assert_eq!(run(&["doctor", "--json"]).expect(0).json()["file_access"], expected);
    }
}

#[test]
fn a_root_that_is_replaced_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (root, aside) = (base.join("root"), base.join("aside"));
    let file = root.join("docs/file");
    let Some(disk) = restricted(&root) else { return };
    live::write(&file, "not there when the thread started");
    for n in 0..10 {
        assert!(is_readable(&disk, &file), "{n}");
        if n % 2 == 0 {
            fs::remove_dir_all(&root).unwrap();
        } else {
            let _ = fs::remove_dir_all(&aside);
            fs::rename(&root, &aside).unwrap();
        }
        live::write(&file, "again");
    }
    assert!(is_readable(&disk, &file));
    assert!(!is_readable(&disk, &aside.join("docs/file")), "a root of before");
}

#[test]
fn only_worktrees_of_this_repository_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let main = base.join("main");
    live::write(&main.join("part/file"), "main");
    live::write(&main.join("file"), "main");
    git(&main, &["init", "-q", "-b", "one"]);
    git(&main, &["add", "."]);
    git(&main, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"]);
    git(&main, &["worktree", "add", "-q", "../side"]);
    let Some(disk) = restricted(&base.join("side/part")) else { return };
    assert!(is_readable(&disk, &main.join("part/file")));
    assert!(!is_readable(&disk, &main.join("file")), "not the folder that corresponds to the root");
    let later = base.join("later/part/file");
    live::write(&later, "not a worktree");
    assert!(!is_readable(&disk, &later));
    fs::remove_dir_all(base.join("later")).unwrap();
    git(&main, &["worktree", "add", "-q", "../later"]);
    assert!(is_readable(&disk, &later));
    git(&main, &["worktree", "remove", "../later"]);
    live::write(&later, "no longer a worktree");
    assert!(!is_readable(&disk, &later));
}
