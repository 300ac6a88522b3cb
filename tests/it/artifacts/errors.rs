//! `error-handler-template`: each language's strict checker accepts the file, and when run, each case has its
//! status.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::golden::example;
use super::judge;
use super::making::{HOSTILE, make};

const NAME: &str = "error-handler-template";
/// Reserved words, names of classes, and names that the template uses.
const CODES: &str = "type error SELF class constructor toString TIMEOUT PERMISSION_ERROR APP Exception None a x-1.y ErrorKind \
    ErrorResponse Outcome UNEXPECTED logger OS i_o ALL box String hasOwnProperty";

/// Inputs: the example, one case, and codes and texts that break careless code.
fn inputs() -> Vec<Value> {
    let texts = HOSTILE.iter().map(|text| format!("{text}\n\r\t\u{0}\u{2028}\u{1b}{text}"));
    let texts = texts.chain(["\"\"\"'''${x}`".to_owned(), "x".repeat(5000)]);
    let hostile = CODES.split_whitespace().zip(texts.collect::<Vec<_>>().into_iter().cycle()).enumerate().map(|(at, (code, text))| {
        json!({"code": code, "status": 400 + at * 8, "message": text, "retryable": at % 2 == 0})
    });
    let hostile: Vec<Value> = hostile.collect();
    let many: Vec<Value> =
        (0..500).map(|at| json!(format!("CASE_{at} {}", 400 + at % 200))).collect();
    vec![
        example(NAME),
        json!({"cases": "ONE 404"}),
        json!({"cases": hostile}),
        json!({ "cases": many }),
    ]
}

/// Each input in a language: the text, and the expected result of each case.
fn made(language: &str) -> Vec<(String, Value)> {
    let make = |mut fields: Value| {
        fields["language"] = language.into();
        let output = make(NAME, fields).unwrap();
        (output.artifacts[0].text.clone(), output.data["cases"].clone())
    };
    inputs().into_iter().map(make).collect()
}

/// Runs compiled modules: prints what the handler returns for the class of each case, and for another
/// error.
const RUN: &str = include_str!("../../judges/run_handlers.mjs");

fn write(folder: &Path, extension: &str, made: &[(String, Value)]) -> Vec<String> {
    let file = |(at, (text, _)): (usize, &(String, Value))| {
        let name = format!("e{at}.{extension}");
        fs::write(folder.join(&name), text).unwrap();
        name
    };
    made.iter().enumerate().map(file).collect()
}

#[test]
fn typescript_is_strict_and_runs() {
    let Some(tsc) = judge::find("node_modules/.bin/tsc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let made = made("typescript");
    let files = write(folder.path(), "ts", &made);
    let strict = "--strict --skipLibCheck --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noUnusedLocals --noUnusedParameters \
                  --noImplicitOverride --target es2022 --module es2022 --outDir out";
    judge::said(
        Command::new(tsc).args(strict.split_whitespace()).args(&files).current_dir(folder.path()),
    );
    let out = folder.path().join("out");
    fs::write(out.join("package.json"), r#"{"type": "module"}"#).unwrap();
    let job = made
        .iter()
        .enumerate()
        .map(|(at, (_, cases))| json!({"file": out.join(format!("e{at}.js")), "cases": cases}));
    assert_eq!(judge::node(RUN, &job.collect()), json!([]));
}

#[test]
fn python_is_strict_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut mypy) = judge::mypy(folder.path()) else { return };
    let made = made("python");
    let files = write(folder.path(), "py", &made);
    judge::said(mypy.args(&files));
    let cases: Vec<&Value> = made.iter().map(|(_, cases)| cases).collect();
    fs::write(folder.path().join("cases.json"), serde_json::to_vec(&cases).unwrap()).unwrap();
    let run = include_str!("../../judges/run_handlers.py");
    let python = judge::find("venv/bin/python").unwrap();
    judge::said(Command::new(python).args(["-c", run]).current_dir(folder.path()));
}
