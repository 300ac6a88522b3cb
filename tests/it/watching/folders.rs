//! Folders that are removed, renamed or replaced, git checkouts, and links.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use flow::project::{Project, Source};
use flow::store::snapshot::State;
use flow::store::watch::{self, Report};
use flow::store::{Environment, Options, Scope};

use super::{in_each_way, status};
use crate::live::{self, Live, comes_true};
use crate::shell::git;
use crate::support::GENEROUS;

/// Writes all four sources, each with this word in it.
fn write_all(live: &Live, word: &str) {
    live.write(Source::Status, status(word));
    live.write(Source::Tasks, format!(r#"{{"tasks":{{"{word}":{{}}}}}}"#));
    live.write(Source::Sessions, format!(r#"{{"sessions":{{"{word}":{{}}}}}}"#));
    live.write(Source::Bus, format!("{{\"from\":\"{word}\"}}\n"));
}

#[test]
fn folders_removed_and_made_again_with_their_files_at_once() {
    in_each_way(|case| {
        for (n, folder) in ["docs", "docs/09-agents/bus", "docs/09-agents", ".flow", "docs"]
            .into_iter()
            .enumerate()
        {
            write_all(&case.live, &format!("w{n}"));
            case.settles();
            fs::remove_dir_all(case.live.path(folder)).unwrap();
            case.settles();
            write_all(&case.live, &format!("again{n}"));
            case.settles();
            // Later changes of the recreated file are seen too.
            live::append(&case.live.file(Source::Bus), "{\"n\":1}\n");
            case.settles();
        }
    });
}

#[test]
fn folders_renamed_away_and_back_and_over_others() {
    in_each_way(|case| {
        write_all(&case.live, "first");
        case.settles();
        for folder in ["docs", "docs/09-agents", "docs/09-agents/bus", ".flow/sessions"] {
            let (here, away) = (case.live.path(folder), case.live.path("away"));
            fs::rename(&here, &away).unwrap();
            case.settles();
            fs::rename(&away, &here).unwrap();
            case.settles();
            live::append(&case.live.file(Source::Bus), "{\"n\":1}\n");
            case.settles();
        }
        // Another folder takes its place; the first one is kept under another name and still written to.
        fs::rename(case.live.path("docs"), case.live.path("old")).unwrap();
        write_all(&case.live, "second");
        live::write(&case.live.path("old/09-agents/status.json"), status("unseen"));
        case.settles();
    });
}

#[test]
fn a_project_that_was_empty() {
    in_each_way(|case| {
        case.settles();
        fs::create_dir_all(case.live.path("docs/09-agents/bus")).unwrap();
        live::write(&case.live.file(Source::Bus), "{\"n\":1}\n");
        case.settles();
        write_all(&case.live, "all");
        case.settles();
    });
}

#[test]
fn fifty_checkouts() {
    let live = Live::new();
    let root = live.project.root();
    git(root, &["init", "-q", "-b", "one"]);
    write_all(&live, "one");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "one"]);
    git(root, &["checkout", "-q", "-b", "two"]);
    write_all(&live, "two");
    fs::remove_file(live.file(Source::Tasks)).unwrap();
    live::append(&live.file(Source::Bus), "{\"n\":2}\n");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "two"]);
    for n in 0..50 {
        git(root, &["checkout", "-q", if n % 2 == 0 { "one" } else { "two" }]);
        if n % 5 == 0 {
            live.comes_to_agree();
        } else {
            live.agrees();
        }
    }
    live.comes_to_agree();
}

#[test]
fn a_folder_of_data_that_is_swapped_by_a_link() {
    in_each_way(|case| {
        let agents = case.live.path("docs/09-agents");
        for version in ["v1", "v2", "v3"] {
            live::write(&agents.join(format!("..{version}/status.json")), status(version));
        }
        symlink("..v1", agents.join("..data")).unwrap();
        symlink("..data/status.json", agents.join("status.json")).unwrap();
        case.settles();
        for version in ["..v2", "..v3", "..v1"] {
            symlink(version, agents.join("..new")).unwrap();
            fs::rename(agents.join("..new"), agents.join("..data")).unwrap();
            case.settles();
            live::write(&agents.join(version).join("status.json"), status("written through"));
            case.settles();
        }
        assert!(case.live.is_ok());
    });
}

#[test]
fn links_inside_the_root_and_hard_links() {
    in_each_way(|case| {
        let path = case.live.file(Source::Status);
        let other = case.live.path("elsewhere/real.json");
        live::write(&other, status("linked"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(&other, &path).unwrap();
        case.settles();
        live::write(&other, status("in place"));
        case.settles();
        live::replace(&other, status("replaced"));
        case.settles();
        fs::remove_file(&other).unwrap();
        case.settles();
        assert_eq!(case.live.health(Source::Status).state, State::Missing);
        fs::remove_file(&path).unwrap();
        live::write(&other, status("hard"));
        fs::hard_link(&other, &path).unwrap();
        case.settles();
        live::write(&other, status("by the other name"));
        case.settles();
        // The folder itself is a link to another one.
        fs::rename(case.live.path("docs"), case.live.path("real")).unwrap();
        symlink("real", case.live.path("docs")).unwrap();
        case.settles();
        live::write(&case.live.path("real/09-agents/status.json"), status("through the folder"));
        case.settles();
    });
}

#[test]
fn fails_without_polling() {
    let options = Options { sweep: None, scope: Scope::Folders, ..Options::default() };
    let live = Live::open(tempfile::tempdir().unwrap(), &options, Environment::default());
    let agents = live.path("docs/09-agents");
    live::write(&agents.join("..v1/status.json"), status("first"));
    symlink("..v1", agents.join("..data")).unwrap();
    symlink("..data/status.json", agents.join("status.json")).unwrap();
    live::write(&agents.join("..v2/status.json"), status("second"));
    // A file that was just modified is read again, which would reveal the change; an old one is not.
    for version in ["..v1", "..v2"] {
        let file = fs::File::options().write(true).open(agents.join(version).join("status.json"));
        file.unwrap().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
    }
    live.agrees();
    // A late event of an earlier write may reveal one change of the link, but not each of several.
    let goes_unseen = |version: &&str| {
        symlink(version, agents.join("..new")).unwrap();
        fs::rename(agents.join("..new"), agents.join("..data")).unwrap();
        let files = live.files();
        !comes_true(Duration::from_millis(700), || live.difference(&files).is_none())
    };
    let unseen = ["..v2", "..v1", "..v2", "..v1"].iter().any(goes_unseen);
    assert!(unseen, "each change of the link was seen, although no event reports it");
    live.agrees();
}

/// Number of renames that are counted.
const RENAMINGS: usize = 4;

/// The number of events for [`RENAMINGS`] renames, each followed by a write to another file, after a first rename. Waits
/// until there are as many as expected.
fn reports_of_renamings(scope: Scope, expected: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path()).unwrap();
    let file = |source: Source| folder.path().join(&project.files(source)[0]);
    for source in [Source::Status, Source::Bus] {
        live::write(&file(source), "{}");
    }
    let mut log = fs::File::options().append(true).open(file(Source::Bus)).unwrap();
    let (sender, reports) = mpsc::channel();
    let mut watch = watch::open(&project, scope, move |report| _ = sender.send(report));
    watch.arm(Report::Folders);
    // It causes up to three events: the old file loses a name, is removed, and so is its watch.
    live::replace(&file(Source::Status), "{}");
    let mut count = 0;
    for _ in 0..=RENAMINGS {
        reports.recv_timeout(GENEROUS).unwrap();
        count += 1;
        live::replace(&file(Source::Status), "{}");
        // Events are ordered: once this one has arrived, those of the rename have too.
        log.write_all(b"\n").unwrap();
    }
    while count < expected && reports.recv_timeout(GENEROUS).is_ok() {
        count += 1;
    }
    count + reports.try_iter().count()
}

#[test]
fn renames_are_not_reported_if_only_the_files_are_watched() {
    let files = reports_of_renamings(Scope::Files, 0);
    let folders = reports_of_renamings(Scope::Folders, 2 * RENAMINGS + 1);
    assert!(files <= 3 + RENAMINGS + 1, "{files} events: they include renames");
    assert!(folders > 2 * RENAMINGS, "{folders} events: they do not include renames");
}
