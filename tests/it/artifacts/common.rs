//! What the judges of SQL, API documents, diagrams and checklists share.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flow::skill::generator;
use flow::skill::input::{Context, Input};
use flow::skill::output::{Output, Result};
use serde_json::Value;

/// Where the judges are installed.
pub(super) fn judges() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    std::env::var_os("FLOW_JUDGES").map_or(own, PathBuf::from)
}

/// Whether the judges (programs on the path, or files among the judges) are there; else the test is skipped with one
/// line, and with `CI=true` it fails.
pub(super) fn is_judged(test: &str, needed: &[&str]) -> bool {
    let is_there = |name: &&str| {
        if name.contains('/') {
            return judges().join(name).exists() || Path::new(name).exists();
        }
        let found = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        found.is_ok()
    };
    let missing: Vec<_> = needed.iter().filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{test}: no judge {missing:?}");
    println!("skipped {test}: no judge {missing:?}");
    false
}

/// Runs a skill on fields, at a fixed moment.
pub(super) fn make(skill: &str, fields: &Value) -> Result<Output> {
    let fields = fields.as_object().cloned().unwrap_or_default();
    let context = Context {
        now: flow::skill::catalog::EXAMPLES_NOW.into(),
        state: flow::skill::files::Files::demo().state(),
        folder: PathBuf::from("."),
    };
    generator::run(skill, &Input { fields, upstream: None }, &context)
}

/// The example of a skill, as its folder has it.
pub(super) fn example(skill: &str) -> Value {
    let text = flow::skill::catalog::file(skill, "assets/example.json").unwrap();
    serde_json::from_str(text).unwrap()
}

/// Compares an artifact with the golden file of its skill; `UPDATE_GOLDEN=1` writes it.
#[track_caller]
pub(super) fn golden(skill: &str, file: &str, text: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("skills").join(skill).join("assets").join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, kept, "{} differs", path.display());
}
