//! The search for the project, the owner of its files, and the permitted settings.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use flow::error::Error;
use flow::project::{Limits, Project as Opened, Source, Surroundings};
use flow::store::snapshot::State;

use crate::live::{self, Live};
use crate::raw::Client;
use crate::shell::git;
use crate::support::{Project, Ran, WHILE_RUNNING};
use crate::tools::is_root;

const STATUS: &str = "docs/09-agents/status.json";
const NOBODY: u32 = 65534;

/// A temporary folder without links in its path.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

fn make(path: &Path) {
    fs::create_dir_all(path).unwrap();
}

fn found(from: &Path, home: Option<&Path>) -> Result<PathBuf, Error> {
    make(from);
    Opened::find(&Surroundings { named: None, from, home, settings: None })
}

#[test]
fn each_mark_makes_a_root_and_the_nearest_one_is_taken() {
    for mark in [".flow", ".agileflow", "agileflow", ".aflow", "docs/09-agents"] {
        let (_keep, base) = folder();
        make(&base.join(mark));
        make(&base.join("a/b").join(mark));
        assert_eq!(found(&base.join("a"), None).unwrap(), base, "{mark}");
        assert_eq!(found(&base.join("a/b/c"), None).unwrap(), base.join("a/b"), "{mark}");
    }
    let (_keep, base) = folder();
    assert_eq!(found(&base.join("a"), None).unwrap(), base.join("a"), "else the current one");
}

#[test]
fn the_nearest_repository_ends_the_search() {
    let (_keep, base) = folder();
    make(&base.join(".flow"));
    make(&base.join("inner/.git"));
    assert_eq!(found(&base.join("inner/a"), None).unwrap(), base.join("inner"));
    make(&base.join("inner/a/.flow"));
    assert_eq!(found(&base.join("inner/a/b"), None).unwrap(), base.join("inner/a"));
    live::write(&base.join("linked/.git"), "gitdir: elsewhere\n");
    assert_eq!(found(&base.join("linked/a"), None).unwrap(), base.join("linked"));
}

#[test]
fn the_home_folder_is_taken_only_by_name() {
    let (_keep, base) = folder();
    make(&base.join(".flow"));
    make(&base.join(".git"));
    symlink(&base, base.with_extension("home")).unwrap();
    for home in [base.clone(), base.with_extension("home")] {
        assert!(matches!(found(&base, Some(&home)), Err(Error::Usage(_))));
        assert_eq!(found(&base.join("a"), Some(&home)).unwrap(), base.join("a"));
    }
    fs::remove_file(base.with_extension("home")).unwrap();
    let named = Surroundings { named: Some(&base), from: &base, home: Some(&base), settings: None };
    assert_eq!(Opened::find(&named).unwrap(), base);
}

#[test]
fn folders_of_other_users_are_passed_over_and_refused_by_the_owners_name() {
    if !is_root() {
        return;
    }
    let (_keep, base) = folder();
    let other = base.join("other");
    make(&other.join(".flow"));
    make(&base.join(".agileflow"));
    chown(&other, Some(NOBODY), None).unwrap();
    assert_eq!(found(&other.join("mine"), None).unwrap(), base, "passed over");
    let named = |path: &Path| {
        let at = Surroundings { named: Some(path), from: &base, home: None, settings: None };
        Opened::open(&at).map(|project| project.root().to_path_buf()).map_err(|e| e.to_string())
    };
    let refused = named(&other).unwrap_err();
    assert!(refused.contains("another user, nobody (uid 65534)"), "{refused}");
    for part in [".flow", ".claude"] {
        let checkout = base.join(part.trim_start_matches('.'));
        make(&checkout.join(part));
        assert!(named(&checkout).is_ok());
        chown(checkout.join(part), Some(NOBODY), None).unwrap();
        let refused = named(&checkout).unwrap_err();
        assert!(refused.contains(part) && refused.contains("nobody"), "{refused}");
    }
}

/// The output of `start` in a project with these settings.
/// The file of the settings of the user who runs the commands of a project.
fn own_settings(project: &Project) -> PathBuf {
    project.runtime.with_file_name("config").join("flow/config.json")
}

fn start(config: &str, user: &str) -> (Project, Ran) {
    let project = Project::new();
    project.write(".flow/config.json", config);
    live::write(&own_settings(&project), user);
    let mut command = project.command();
    command.args(["api", "start", "PORT=0"]);
    let ran = Ran::from(command.output().unwrap());
    (project, ran)
}

/// The most frequent mistakes are on the page of messages.
#[test]
fn settings_that_cannot_be_are_named_and_nothing_starts() {
    for (config, user, says) in [
        ("null", "{}", "must be a JSON object, not null"),
        ("", "{}", "not valid JSON (line 1, column 1): it is empty"),
        (r#"{"port": -1}"#, "{}", "port must be a number from 0 to 65535, not -1"),
        (r#"{"files": {"bus": "/x"}}"#, "{}", "files.bus is \"/x\""),
        (r#"{"files": {"bus": "."}}"#, "{}", "files.bus is \".\""),
        (
            r#"{"read_from_ports": 80}"#,
            "{}",
            "read_from_ports must be a list of at most 100 numbers",
        ),
        (r#"{"read_from_ports": [80, "81"]}"#, "{}", "numbers from 0 to 65535, not an array"),
        ("{}", r#"{"read_from_ports": [65536]}"#, "read_from_ports must be a list"),
        (
            r#"{"limits": {"bus_bytes": 9}}"#,
            r#"{"limits": {"bus_bytes": 8}}"#,
            "over the limit of 8, which a project can only lower",
        ),
        ("{}", "{", "config/flow/config.json: not valid JSON"),
    ] {
        let (project, ran) = start(config, user);
        let ran = ran.expect(2);
        assert!(
            ran.err.contains(says) && ran.err.contains("config.json: "),
            "{config}: {}",
            ran.err
        );
        assert!(ran.out.is_empty());
        assert_eq!(project.files("api-server"), [""; 0], "{config}");
    }
}

#[test]
fn only_the_users_own_settings_raise_limits() {
    let (_keep, base) = folder();
    let user = base.join("user.json");
    let limits = |settings: Option<&str>, project: &str| {
        live::write(&base.join("p/.flow/config.json"), project);
        settings.inspect(|settings| live::write(&user, settings));
        let settings = settings.map(|_| user.as_path());
        let root = base.join("p");
        let at = Surroundings { named: Some(&root), from: &base, home: None, settings };
        Opened::open(&at).unwrap().limits()
    };
    let default = Limits::default();
    assert_eq!(default, Limits { json_bytes: 64 << 20, bus_bytes: 256 << 20, records: 2_000_000 });
    assert_eq!(limits(None, "\u{feff}{}"), default);
    assert_eq!(limits(None, r#"{"limits":{"records":5}}"#), Limits { records: 5, ..default });
    let large = r#"{"limits":{"json_bytes":134217728,"records":3000000}}"#;
    let raised = Limits { json_bytes: 128 << 20, records: 3_000_000, ..default };
    assert_eq!(limits(Some(large), "{}"), raised);
    let project = r#"{"limits":{"json_bytes":100000000,"bus_bytes":null}}"#;
    assert_eq!(limits(Some(large), project), Limits { json_bytes: 100_000_000, ..raised });
}

#[test]
fn settings_name_the_ports_whose_pages_may_read() {
    let project = Project::new();
    let cases: [(&str, &str, &[u16], &[u16]); 5] = [
        ("{}", "{}", &[1, 80, 443, 3000], &[]),
        (r#"{"read_from_ports":[3000,443]}"#, "{}", &[3000, 443], &[1, 80]),
        ("{}", r#"{"read_from_ports":[80]}"#, &[80], &[3000, 443]),
        // A project allows no port that its user does not allow.
        (r#"{"read_from_ports":[80,3000]}"#, r#"{"read_from_ports":[80]}"#, &[80], &[3000]),
        (r#"{"read_from_ports":[]}"#, "{}", &[], &[1, 80, 443, 3000]),
    ];
    for (settings, of_user, readers, others) in cases {
        project.write(".flow/config.json", settings);
        live::write(&own_settings(&project), of_user);
        let server = project.start();
        let ask = |port: u16| {
            let origin = match port {
                80 => "http://localhost".to_owned(),
                443 => "https://127.0.0.1".to_owned(),
                port => format!("http://[::1]:{port}"),
            };
            let head = format!("GET /api HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n\r\n");
            Client::new(server.address()).send(head).reply()
        };
        for port in readers.iter().chain([&server.port]) {
            assert_eq!(ask(*port).is_ours().status, 200, "{settings} {of_user} {port}");
        }
        for port in others {
            let reply = ask(*port);
            let told = (reply.is_ours().status, reply.code());
            assert_eq!(told, (403, "origin_not_allowed".to_owned()), "{settings} {of_user} {port}");
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
        // Programs send no Origin.
        assert_eq!(server.get("/api").status, 200);
        project.flow(&["api", "stop"]).expect(0);
    }
}

#[test]
fn a_manifest_moves_the_documents_unless_the_settings_name_them() {
    for folder_name in [".agileflow", "agileflow", ".aflow"] {
        let project = Project::new();
        project.write(
            &format!("{folder_name}/_cfg/manifest.yaml"),
            "v: 1\ndocs_folder: work # here\n",
        );
        project.write("work/09-agents/status.json", r#"{"stories":{"moved":{}}}"#);
        project.write(STATUS, r#"{"stories":{"old":{}}}"#);
        let status = || project.start().get("/api/stories").json()["stories"][0]["id"].clone();
        assert_eq!(status(), "moved", "{folder_name}");
        project.flow(&["api", "stop"]).expect(0);
        project.write(".flow/config.json", &format!(r#"{{"files":{{"status":"{STATUS}"}}}}"#));
        assert_eq!(status(), "old", "{folder_name}");
    }
    let project = Project::new();
    project.write(".aflow/_cfg/manifest.yaml", "docs_folder: ../x\n");
    let ran = project.flow(&["api", "start", "PORT=0"]).expect(2);
    assert!(ran.err.contains("manifest.yaml: docs_folder is \"../x\""), "{ran:?}");
}

/// A main worktree with a status file that is not committed, and a linked one next to it.
fn worktrees() -> (Project, PathBuf) {
    let project = Project::new();
    git(&project.root, &["init", "-q"]);
    git(&project.root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    project.write(STATUS, r#"{"stories":{"main":{}}}"#);
    git(&project.root, &["worktree", "add", "-q", "../linked"]);
    let linked = project.root.with_file_name("linked");
    (project, linked)
}

#[test]
fn a_linked_worktree_without_files_serves_those_of_the_main_one_and_says_so() {
    let (project, linked) = worktrees();
    let named = |words: &[&str]| {
        let mut command = project.command();
        Ran::from(command.args(words).args(["--project"]).arg(&linked).output().unwrap())
    };
    let ran = named(&["api", "start", "PORT=0"]).expect(0);
    let main = project.root.to_str().unwrap();
    assert!(
        ran.err.contains("serving those of the main worktree") && ran.err.contains(main),
        "{ran:?}"
    );
    let facts = named(&["api", "status", "--json"]).expect(0).json();
    let port = u16::try_from(facts["port"].as_u64().unwrap()).unwrap();
    let stories = crate::support::get(port, "/api/stories").json();
    assert_eq!(stories["stories"][0]["id"], "main");
    let health = crate::support::get(port, "/api/health");
    assert_eq!(health.json()["served_from"], "main_worktree");
    assert!(!String::from_utf8(health.body).unwrap().contains(main), "no absolute path");
    assert!(named(&["api", "status"]).expect(0).out.contains("of the main worktree"));
    assert_eq!(named(&["doctor"]).expect(0).out, "No problems found\n");
    let explained = named(&["explain", "main", "--json"]).expect(0).json();
    assert_eq!(explained["origins"][0]["file"], STATUS, "{explained}");
    assert!(named(&["watch", "--once"]).expect(0).out.starts_with("flow / linked  ok"));
    for name in WHILE_RUNNING {
        assert!(linked.join(".flow").join(name).symlink_metadata().is_ok(), "{name}");
    }
    assert!(!project.root.join(".flow").exists(), "nothing is written there");
    named(&["api", "stop"]).expect(0);
    live::write(&linked.join(STATUS), r#"{"stories":{"own":{}}}"#);
    let live = Live::at(&linked);
    assert!(live.text("/api/stories").contains("\"own\""));
    assert!(!live.text("/api/health").contains("served_from"));
}

#[test]
fn a_worktree_that_the_repository_does_not_know_serves_nothing_of_it() {
    let (project, linked) = worktrees();
    let forged = linked.with_file_name("forged");
    make(&forged);
    fs::copy(linked.join(".git"), forged.join(".git")).unwrap();
    let serves = |root: &Path| {
        let live = Live::at(root);
        live.text("/api/stories").contains("\"main\"")
    };
    assert!(serves(&linked));
    assert!(!serves(&forged), "a copy of the file");
    let behind = linked.with_file_name("behind");
    make(&behind);
    symlink(linked.join(".git"), behind.join(".git")).unwrap();
    assert!(!serves(&behind), "a link to the file");
    fs::remove_file(behind.join(".git")).unwrap();
    symlink(project.root.join(".git"), behind.join(".git")).unwrap();
    make(&behind.join("docs/09-agents"));
    symlink(project.root.join(STATUS), behind.join(STATUS)).unwrap();
    let live = Live::at(&behind);
    assert!(!live.text("/api/stories").contains("\"main\""), "a link to the repository");
    assert_eq!(live.state(Source::Status), State::Refused);
}

#[test]
fn a_start_as_json_names_the_files_that_are_broken() {
    let project = Project::new();
    project.write(STATUS, "{\"stories\": {\n\n\"US-1\": {]}}");
    project.write(".flow/sessions/registry.json", "{}");
    let facts = project.flow(&["api", "start", "PORT=0", "--json"]).expect(0).json();
    assert_eq!(facts["broken"].as_array().unwrap().len(), 1, "{facts}");
}
