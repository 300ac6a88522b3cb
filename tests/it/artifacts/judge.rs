//! Where the judges are and how they are asked. A judge that is not there skips its test with one line; with `CI=true`
//! that is a failure.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flow::skill::generator;
use flow::skill::input::{Context, Input};
use flow::skill::output::{Fault, Output};
use serde_json::Value;

/// The folder of the judges.
pub(crate) fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    std::env::var_os("FLOW_JUDGES").map_or_else(own, PathBuf::from)
}

/// A judge in that folder, such as `node_modules/.bin/tsc`.
pub(crate) fn find(path: &str) -> Option<PathBuf> {
    let judge = folder().join(path);
    if judge.exists() {
        return Some(judge);
    }
    skip(path)
}

/// A judge that the system has.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.exists());
    if found.is_none() { skip(name) } else { found }
}

fn skip(judge: &str) -> Option<PathBuf> {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{judge} is missing: tests/judges/setup");
    // The test harness shows it with --nocapture; a failed write loses only that.
    let _ =
        writeln!(std::io::stderr(), "skipped: {judge} is missing; tests/judges/setup installs it");
    None
}

/// Runs an ES module in the judges' folder with a value on its standard input, and gives what it prints.
#[track_caller]
pub(crate) fn node(script: &str, input: &Value) -> Value {
    let mut child = Command::new("node")
        .args(["--input-type=module", "-e", script])
        .current_dir(folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the judge failed");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stdout)))
}

/// Lints Markdown texts, all in one process. Lines may be long.
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

/// A context of a fixed time and the demo project.
pub(crate) fn context(folder: &Path) -> Context {
    Context {
        now: flow::skill::catalog::EXAMPLES_NOW.into(),
        state: flow::skill::files::Files::demo().state(),
        folder: folder.into(),
    }
}

/// Runs a skill on fields.
pub(crate) fn run(skill: &str, fields: Value) -> Result<Output, Fault> {
    run_in(skill, fields, &context(Path::new(".")))
}

/// Runs a skill on fields in a context.
pub(crate) fn run_in(skill: &str, fields: Value, context: &Context) -> Result<Output, Fault> {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    let first = generator::run(skill, &Input { fields: fields.clone(), upstream: None }, context);
    let again = generator::run(skill, &Input { fields, upstream: None }, context);
    let shown = |result: &Result<Output, Fault>| match result {
        Ok(output) => Ok((output.data.to_string(), output.artifacts.clone())),
        Err(fault) => Err(fault.clone()),
    };
    assert_eq!(shown(&first), shown(&again), "the same input gives the same bytes");
    first
}

/// A skill's example and what it gives, held against the golden file. `FLOW_GOLDEN=write` writes that.
#[track_caller]
pub(crate) fn example(skill: &str) -> Output {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills").join(skill).join("assets");
    let text = fs::read_to_string(assets.join("example.json")).unwrap();
    let output = run(skill, serde_json::from_str(&text).unwrap()).unwrap();
    let main = &output.artifacts[0];
    let extension = main.path.rsplit('.').next().unwrap();
    let golden = assets.join(format!("example.out.{extension}"));
    if std::env::var_os("FLOW_GOLDEN").is_some() {
        fs::write(&golden, &main.text).unwrap();
    }
    assert_eq!(main.text, fs::read_to_string(&golden).unwrap(), "{}", golden.display());
    output
}

/// Texts that break what is careless.
pub(crate) const HOSTILE: [&str; 12] = [
    "say \"hi\" and 'bye'",
    "run `rm -rf /` now",
    "$(touch owned) ${HOME} $HOME",
    "a\\b \\n \\\" \\u{0}",
    "<script>alert(1)</script> & <!-- x -->",
    "| a | b | **bold** _em_ [x](y) # h",
    "日本語 émoji 🎉 \u{202e}rtl",
    "{{ data }} {% for x in y %} {# c #}",
    "*/ // -- ; DROP TABLE x; --",
    "- list + plus 1. number > quote",
    "trailing backslash \\",
    "http://example.org/a_b_c#d",
];
