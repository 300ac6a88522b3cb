//! Finds and runs the judges. They are in `$FLOW_JUDGES`, else in `tests/judges`, or are programs of the system. A
//! missing one skips its test with a message; with `CI=true` that is a failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::fed;
use crate::tools;

/// The folder of the judges.
pub(crate) fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    std::env::var_os("FLOW_JUDGES").map_or_else(own, PathBuf::from)
}

/// A judge: a file in that folder, such as `node_modules/.bin/tsc`, a file of the system, or a program on the path.
#[track_caller]
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let file = if name.contains('/') { existing(folder().join(name)) } else { on_path(name) };
    if file.is_none() {
        tools::skip(&format!("the judge {name} is not installed: tests/judges/setup"));
    }
    file
}

fn existing(file: PathBuf) -> Option<PathBuf> {
    file.exists().then_some(file)
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find_map(|folder| existing(folder.join(program)))
}

/// Chromium, if possible without its windows, menus and extensions: it then uses half the time of the processor.
#[track_caller]
pub(crate) fn chromium() -> Option<PathBuf> {
    on_path("chromium-headless-shell").or_else(|| find("chromium"))
}

/// Whether all of these judges exist.
#[track_caller]
pub(crate) fn are_there(names: &[&str]) -> bool {
    names.iter().all(|name| find(name).is_some())
}

/// Mypy with its strictest options, to be run in a folder. What it learns of the libraries is kept for all runs: reading
/// pydantic takes it 3 s each time, and the files of a test a tenth of that.
#[track_caller]
pub(crate) fn mypy(folder: &Path) -> Option<Command> {
    let mut command = Command::new(find("venv/bin/mypy")?);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mypy");
    // Separate files, each replaced as a whole, so that tests may run at the same time; its database would be locked.
    command.args(["--strict", "--no-sqlite-cache", "--cache-dir"]).arg(cache).current_dir(folder);
    Some(command)
}

/// An empty folder in which scripts find the judges' modules.
pub(crate) fn bench() -> tempfile::TempDir {
    let bench = tempfile::tempdir().unwrap();
    let modules = bench.path().join("node_modules");
    std::os::unix::fs::symlink(folder().join("node_modules"), modules).unwrap();
    bench
}

/// The output, on stdout and stderr, of a command that must succeed.
#[track_caller]
pub(crate) fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// Runs an ES module in the judges' folder with a value on its standard input, and returns its output.
#[track_caller]
pub(crate) fn node(script: &str, input: &Value) -> Value {
    let mut command = Command::new("node");
    command.args(["--input-type=module", "-e", script]).current_dir(folder());
    let output = fed(&mut command, input.to_string().as_bytes());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the judge failed: {errors}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stdout)))
}

/// Lints Markdown texts in one process. Long lines are permitted.
#[track_caller]
pub(crate) fn markdown(texts: &[String]) {
    let Some(lint) = find("node_modules/.bin/markdownlint-cli2") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (at, text) in texts.iter().enumerate() {
        fs::write(folder.path().join(format!("{at:03}.md")), text).unwrap();
    }
    let settings = r#"{"config": {"MD013": false, "MD024": {"siblings_only": true}}}"#;
    fs::write(folder.path().join(".markdownlint-cli2.jsonc"), settings).unwrap();
    let output = Command::new(lint).arg("*.md").current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let shown = texts.iter().enumerate().filter(|(at, _)| said.contains(&format!("{at:03}.md")));
    let shown: Vec<String> = shown.map(|(at, text)| format!("--- {at:03}\n{text}")).collect();
    assert!(output.status.success(), "{said}\n{}", shown.join("\n"));
}
