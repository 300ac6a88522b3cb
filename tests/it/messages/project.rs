//! Messages about the project folder and its settings.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};

use super::{Case, case};

const CONFIG: &str = ".flow/config.json";
const MANIFEST: &str = ".agileflow/_cfg/manifest.yaml";

pub(super) const CASES: &[Case] = &[
    case("A project folder that does not exist", "flow api start --project /home/nobody/shop", 1),
    case("A file as the project", "flow api start --project notes.txt", 2)
        .files(&[("notes.txt", "x")]),
    case("The root of the file system without `--project`", "cd / && flow api start", 2),
    case("The home folder without `--project`", "HOME=$PWD flow api start", 2),
    case(
        "A current folder that was removed",
        "mkdir gone && cd gone && rmdir ../gone && flow api status",
        1,
    ),
    case("A folder below one without access", "flow api start --project closed/shop", 1)
        .with(|scene| {
            let closed = scene.root().join("closed");
            fs::create_dir(&closed).unwrap();
            fs::set_permissions(closed, Permissions::from_mode(0o000)).unwrap();
        })
        .by_another(),
    case("A folder of another user", "flow api start --project /root", 1).by_another(),
    case("A port in the settings that is not a number", "flow api start", 2)
        .files(&[(CONFIG, "{\n  \"port\": \"abc\"\n}")]),
    case("A port in the settings that is too large", "flow api start", 2)
        .files(&[(CONFIG, r#"{"port": 65536}"#)]),
    case("Settings that are not JSON", "flow api start", 2)
        .files(&[(CONFIG, "{\n  \"port\" 3456\n}")]),
    case("Settings that are truncated", "flow api start", 2).files(&[(CONFIG, "{")]),
    case("Settings that are not an object", "flow api start", 2).files(&[(CONFIG, "[3456]")]),
    case("A key of the settings that is misspelt", "flow api start", 2)
        .files(&[(CONFIG, r#"{"prot": 3456}"#)]),
    case("A key of the settings that does not exist", "flow api start", 2)
        .files(&[(CONFIG, r#"{"host": "0.0.0.0"}"#)]),
    case("A key in a section that is misspelt", "flow api start", 2)
        .files(&[(CONFIG, r#"{"files": {"stauts": "status.json"}}"#)]),
    case("A section that is not an object", "flow api start", 2)
        .files(&[(CONFIG, r#"{"files": []}"#)]),
    case("A path that is not a string", "flow api start", 2)
        .files(&[(CONFIG, r#"{"files": {"bus": 1}}"#)]),
    case("A path outside the project", "flow api start", 2)
        .files(&[(CONFIG, r#"{"files": {"bus": "../log.jsonl"}}"#)]),
    case("A limit that is not a positive number", "flow api start", 2)
        .files(&[(CONFIG, r#"{"limits": {"records": 0}}"#)]),
    case("A limit over the allowed maximum", "flow api start", 2)
        .files(&[(CONFIG, r#"{"limits": {"json_bytes": 999999999}}"#)]),
    case("User settings with a key that is valid only in a project's", "flow api start", 2).with(
        |scene| {
            let folder = scene.project.runtime.with_file_name("config").join("flow");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("config.json"), "{\"port\": 3456}").unwrap();
        },
    ),
    case("Settings that are a folder", "flow api start", 2)
        .with(|scene| fs::create_dir_all(scene.project.root.join(CONFIG)).unwrap()),
    case("Settings over 64 KiB", "flow api start", 2)
        .with(|scene| scene.project.write(CONFIG, &" ".repeat(70_000))),
    case("A documents folder outside the project", "flow api start", 2)
        .files(&[(MANIFEST, "docs_folder: ../docs")]),
    case("A documents folder that is given twice", "flow api start", 2)
        .files(&[(MANIFEST, "docs_folder: a\ndocs_folder: b")]),
    case("A documents folder that is a list", "flow api start", 2)
        .files(&[(MANIFEST, "docs_folder: [a, b]")]),
    case("Settings without read permission", "flow api start", 1)
        .files(&[(CONFIG, "{}")])
        .with(|scene| {
            let config = scene.root().join(CONFIG);
            chown(&config, Some(0), Some(0)).unwrap();
            fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
        })
        .by_another(),
];
