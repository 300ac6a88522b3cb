//! What is published, as far as it can be judged without building it: the plugin's marketplace, the unit, the
//! workflows, the licences and the bill of materials. `packaging/test` tries the built packages in a clean root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::Ran;
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

/// Runs packaging/dependencies for a target with these exceptions; its output is in the folder.
fn dependencies_for(target: &str, folder: &Path, exceptions: &str) -> Ran {
    let file = folder.join("exceptions.json");
    fs::write(&file, exceptions).unwrap();
    let mut command = Command::new(root().join("packaging/dependencies"));
    command.args(["--target", target, "--time", "1767225600"]).env("PYTHONDONTWRITEBYTECODE", "1");
    command.arg("--exceptions").arg(file).arg(folder.join("made"));
    Ran::from(command.output().unwrap())
}

fn dependencies(folder: &Path, exceptions: &str) -> Ran {
    dependencies_for("x86_64-unknown-linux-gnu", folder, exceptions)
}

#[test]
fn no_platform_of_a_release_lacks_a_licence_text() {
    if !has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let platforms = text("packaging/platforms");
    for line in platforms.lines().filter(|line| !line.starts_with('#')) {
        let target = line.split_whitespace().next().unwrap();
        let made =
            dependencies_for(target, folder.path(), &text("packaging/licence-exceptions.json"));
        made.expect(0);
        let bill = fs::read_to_string(folder.path().join("made/flow.cdx.json")).unwrap();
        let bill: Value = serde_json::from_str(&bill).unwrap();
        let properties = bill["metadata"]["properties"].as_array().unwrap();
        let named = serde_json::json!({"name": "flow:target", "value": target});
        assert!(properties.contains(&named), "the bill of materials does not name {target}");
    }
}

#[test]
fn every_linked_crate_has_its_licence_text_and_its_line_in_the_bill_of_materials() {
    if !has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    dependencies(folder.path(), &text("packaging/licence-exceptions.json")).expect(0);
    let made = |name: &str| fs::read_to_string(folder.path().join("made").join(name)).unwrap();
    let bill: Value = serde_json::from_str(&made("flow.cdx.json")).unwrap();
    let page = made("third-party-licences.txt");
    let mut foreign = 0;
    for component in bill["components"].as_array().unwrap() {
        let (name, version) = (&component["name"], &component["version"]);
        let key = format!("{} {}", name.as_str().unwrap(), version.as_str().unwrap());
        if component.get("purl").is_none() {
            continue;
        }
        foreign += 1;
        assert!(page.contains(&format!("\n{key}: ")), "{key} has no licence text");
        assert_eq!(component["hashes"][0]["content"].as_str().unwrap().len(), 64, "{key}");
        assert!(component["licenses"][0]["expression"].is_string(), "{key}");
    }
    assert!(page.contains(&format!("contains the {foreign} crates")), "{foreign}");
    // What the daemon cannot be without is there; what runs at build time, in tests or on another system is not.
    for linked in ["hyper", "tokio", "warp", "clap", "daemonize", "tera", "sqlparser"] {
        assert!(page.contains(&format!("\n{linked} ")), "{linked} is not listed");
    }
    for other in ["serde_derive", "proptest", "windows-sys", "fsevent-sys"] {
        assert!(!page.contains(&format!("\n{other} ")), "{other} is listed");
    }
    let home = std::env::var("HOME").unwrap();
    for path in [root().to_str().unwrap(), &home] {
        assert!(!bill.to_string().contains(&format!("{path}/")), "names {path}");
    }
    // The same input gives the same bytes.
    let again = tempfile::tempdir().unwrap();
    dependencies(again.path(), &text("packaging/licence-exceptions.json")).expect(0);
    for name in ["flow.cdx.json", "third-party-licences.txt"] {
        let other = fs::read_to_string(again.path().join("made").join(name)).unwrap();
        assert_eq!(made(name), other, "{name}");
    }
}

#[test]
fn a_crate_without_a_licence_text_is_named_and_nothing_is_written() {
    if !has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let refused = dependencies(folder.path(), "{}").expect(1);
    assert!(refused.err.contains("no licence text in: daemonize 0.5.0"), "{refused:?}");
    assert!(refused.err.contains("packaging/licence-exceptions.json"), "{refused:?}");
    // An exception that nothing needs any more is a mistake as well.
    let known = text("packaging/licence-exceptions.json").replacen(
        '{',
        "{\n  \"tokio 0.0.1\": {\"reason\": \"none\", \"spdx\": \"MIT\", \"text_from\": \"serde LICENSE-MIT\"},",
        1,
    );
    let refused = dependencies(folder.path(), &known).expect(1);
    assert!(refused.err.contains("needs no exception: tokio 0.0.1"), "{refused:?}");
    assert!(!folder.path().join("made").exists());
}
