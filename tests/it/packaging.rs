//! What is published, as far as it can be judged without building it: the plugin's marketplace, the unit and the workflows.
//! `tests/cases/packages` shows the packages, the licences and the bill of materials; `packaging/test` tries the built packages
//! in a clean root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::tools::has;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn json(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

/// Who holds the copyright, as LICENSE says.
fn holder() -> String {
    let licence = text("LICENSE");
    let line = licence.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).unwrap();
    line.split_once(' ').unwrap().1.to_owned()
}

#[test]
fn the_marketplace_offers_the_plugin_of_this_checkout() {
    let marketplace = json(".claude-plugin/marketplace.json");
    let name = marketplace["name"].as_str().unwrap();
    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
    assert_eq!(marketplace["owner"]["name"], holder());
    let plugins = marketplace["plugins"].as_array().unwrap();
    assert_eq!(plugins.len(), 1);
    // A source is relative to the folder that holds `.claude-plugin`, and begins with "./".
    let source = plugins[0]["source"].as_str().unwrap();
    let folder = root().join(source.strip_prefix("./").unwrap());
    let manifest = fs::read_to_string(folder.join(".claude-plugin/plugin.json")).unwrap();
    let plugin: Value = serde_json::from_str(&manifest).unwrap();
    for member in ["name", "description", "license"] {
        assert_eq!(plugins[0][member], plugin[member], "{member}");
    }
    // plugin.json alone has the version: of two, the marketplace's would be ignored.
    assert!(plugins[0].get("version").is_none());
    for part in ["commands/api.md", "skills/adr-template/SKILL.md"] {
        assert!(folder.join(part).is_file(), "{part}");
    }
}

#[test]
fn the_maintainer_of_the_package_is_the_holder_of_the_copyright() {
    assert!(text("Cargo.toml").contains(&format!("maintainer = \"{}\"", holder())));
}

#[test]
fn the_unit_is_written_once() {
    let page = text("docs/service.md");
    assert!(page.contains("packaging/flow@.service"));
    for setting in ["ExecStart=", "[Service]"] {
        assert!(text("packaging/flow@.service").contains(setting));
        assert!(!page.contains(setting), "docs/service.md repeats {setting}");
    }
}

#[test]
fn the_unit_exposes_little() {
    if !has("systemd-analyze") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("flow@home-you-shop.service");
    fs::copy(root().join("packaging/flow@.service"), &unit).unwrap();
    // The threshold is in tenths.
    let words = ["security", "--offline=true", "--no-pager", "--threshold=29"];
    let ran = Command::new("systemd-analyze").args(words).arg(&unit).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn workflows_pin_their_actions_and_may_only_read() {
    let folder = root().join(".github/workflows");
    let workflows: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(workflows.len(), 2);
    for path in workflows {
        let workflow = fs::read_to_string(&path).unwrap();
        let read: Value = serde_saphyr::from_str(&workflow).unwrap();
        assert_eq!(read["permissions"], serde_json::json!({"contents": "read"}), "{path:?}");
        for (name, job) in read["jobs"].as_object().unwrap() {
            assert_eq!(job.get("permissions").is_some(), name == "release", "{path:?}: {name}");
            assert!(job["timeout-minutes"].is_number(), "{path:?}");
            for step in job["steps"].as_array().unwrap() {
                let Some(action) = step.get("uses").and_then(Value::as_str) else { continue };
                let commit = action.split_once('@').unwrap().1;
                let is_commit = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
                assert!(is_commit, "{path:?}: {action}");
            }
        }
    }
}
