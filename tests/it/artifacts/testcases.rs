//! `test-case-generator`: each criterion and each case refer to each other, features parse, and stubs are collected
//! as pending by the real runners.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::criteria::PARSE;
use super::hostile;
use super::judge::{bench, find, node, said};
use super::making::make;

const SKILL: &str = "test-case-generator";

const OUTLINE: &str = include_str!("outline.feature");

fn inputs() -> Vec<Value> {
    let upstream = make(
        "acceptance-criteria-generator",
        json!({"story": "As a shopper I want to reset my password so that I can get back in"}),
    );
    let mut inputs = hostile::inputs(SKILL);
    inputs.push(json!({"criteria": upstream.unwrap().artifacts[0].text}));
    inputs.push(json!({"criteria": OUTLINE}));
    inputs
}

fn all(format: &str) -> Vec<Output> {
    inputs()
        .into_iter()
        .map(|mut input| {
            input["format"] = json!(format);
            make(SKILL, input.clone()).unwrap_or_else(|fault| panic!("{fault}: {input}"))
        })
        .collect()
}

fn count(outputs: &[Output]) -> usize {
    outputs.iter().map(|output| output.data["cases"].as_array().unwrap().len()).sum()
}

#[test]
fn every_criterion_has_its_cases_and_every_case_its_criterion() {
    for output in all("markdown") {
        let cases = output.data["cases"].as_array().unwrap();
        let ids: BTreeSet<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), cases.len());
        let mut traced = BTreeSet::new();
        for criterion in output.data["criteria"].as_array().unwrap() {
            let id = criterion["id"].as_str().unwrap();
            assert!(cases.iter().any(|case| case["criterion"] == id), "{criterion}");
            traced.extend(
                criterion["cases"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()),
            );
        }
        assert_eq!(traced, ids);
        let text = &output.artifacts[0].text;
        for level in ["Unit", "Integration", "End-to-end"] {
            assert_eq!(text.matches(&format!("\n## {level}\n")).count(), 1, "{text}");
        }
    }
}

#[test]
fn features_parse() {
    let outputs = all("gherkin");
    if find("node_modules/@cucumber/gherkin").is_none() {
        return;
    }
    let texts: Vec<&str> = outputs.iter().map(|output| output.artifacts[0].text.as_str()).collect();
    let parsed = node(PARSE, &json!(texts));
    for (output, parsed) in outputs.iter().zip(parsed.as_array().unwrap()) {
        let ids = |list: &Value| -> Vec<Value> {
            let list = list.as_array().unwrap_or_else(|| panic!("{list}"));
            list.iter().map(|one| one["id"].clone()).collect()
        };
        assert_eq!(ids(parsed), ids(&output.data["cases"]));
    }
}

/// Writes stubs, and returns the number of their cases.
fn lay(outputs: &[Output], folder: &Path) -> usize {
    for (at, output) in outputs.iter().enumerate() {
        let file = Path::new(&output.artifacts[0].path);
        let (stem, rest) = file.to_str().unwrap().split_once('.').unwrap();
        let is_python = rest == "py";
        let name = if is_python { format!("test_{at}_{stem}.py") } else { format!("s{at}.{rest}") };
        fs::write(folder.join(name), &output.artifacts[0].text).unwrap();
    }
    count(outputs)
}

/// Runs a test runner in the folder of the stubs, and compares the counts of its report.
fn collects(runner: &str, name: &str, arguments: &[&str]) {
    let Some(program) = find(name) else { return };
    let place = bench();
    let cases = lay(&all(runner), place.path());
    let text = said(Command::new(program).args(arguments).current_dir(place.path()));
    let line = text.lines().find(|line| line.starts_with('{')).unwrap();
    let found: Value =
        serde_json::Deserializer::from_str(line).into_iter().next().unwrap().unwrap();
    let counted = (found["numTodoTests"].as_u64(), found["numTotalTests"].as_u64());
    assert_eq!(counted, (Some(cases as u64), Some(cases as u64)));
}

#[test]
fn jest_collects_the_stubs_as_todo() {
    let config = r#"{"transform":{}}"#;
    let arguments = ["--ci", "--json", "--config", config, "--rootDir", "."];
    collects("jest", "node_modules/.bin/jest", &arguments);
}

#[test]
fn vitest_collects_the_stubs_as_todo() {
    collects("vitest", "node_modules/.bin/vitest", &["run", "--reporter=json", "--no-isolate"]);
}

#[test]
fn pytest_collects_the_stubs_as_skipped() {
    let Some(python) = find("venv/bin/python") else { return };
    let place = tempfile::tempdir().unwrap();
    let cases = lay(&all("pytest"), place.path());
    let text = said(
        Command::new(python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            // Those of other judges, of which each is loaded in a second.
            .env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            .current_dir(place.path()),
    );
    assert!(text.contains(&format!("{cases} skipped in")), "{text}");
}
