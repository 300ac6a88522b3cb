//! `test-case-generator`: each criterion and each case refer to each other, features parse, and stubs are collected
//! as pending by the real runners.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use flow::skill::generator::find as skill;
use flow::skill::input::place::Request;
use flow::skill::output::Output;
use serde_json::{Value, json};

use super::criteria::PARSE;
use super::golden::example_output;
use super::judge::{bench, find, markdown, node, said};
use super::making::{HOSTILE, context, make, make_from, nowhere};

const SKILL: &str = "test-case-generator";

const OUTLINE: &str = r#"@US-0007
Feature: Login

  Background:
    Given a user "ada"

  # tried with each
  @slow
  Scenario Outline: Wrong <kind>
    When <kind> is typed as <value>
    Then access is refused

    Examples: usual
      | kind     | value |
      | password | a\|b\\  |
      | name     |       |

    Examples:
      | kind | value |
      | pin  | 0000  |
"#;

fn inputs() -> Vec<Value> {
    let upstream = make(
        "acceptance-criteria-generator",
        json!({"story": "As a shopper I want to reset my password so that I can get back in"}),
    );
    let mut inputs = vec![
        json!({"criteria": upstream.unwrap().artifacts[0].text}),
        json!({"criteria": "Feature: Pay\n  Background:\n    Given a card that is valid\n  Scenario: ok\n    When I pay\n    Then it is paid\n  Scenario: ok\n    Given x\n      | a | b |\n    Then y\n"}),
        json!({"statements": ["At most 3 tries", "It is fast"]}),
        json!({"criteria": OUTLINE}),
        json!({"criteria": "As a shopper I want to pay by card so that I need no cash. At most 3 tries."}),
        json!({"criteria": "word ".repeat(10_000)}),
    ];
    inputs.push(json!({"title": HOSTILE.join(" "), "statements": HOSTILE}));
    inputs.push(json!({"criteria": HOSTILE.map(|text| format!("## {text}\n\n- Given {text}\n- Then {text}\n")).join("\n")}));
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
    let mut outputs = all("markdown");
    outputs.push(example_output(SKILL));
    let verify = skill(SKILL).unwrap().verify.unwrap();
    for output in &outputs {
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
        let found = verify(text, &nowhere());
        assert!(found.iter().all(|one| one.what.contains("is a blank")), "{found:?}");
    }
    markdown(&outputs.iter().map(|output| output.artifacts[0].text.clone()).collect::<Vec<_>>());
}

#[test]
fn each_criterion_has_a_case_at_its_level_and_nothing_is_invented() {
    let criteria = "AC1: Given a signed-in shopper, When the password is changed, Then other sessions end\n\
        The mail is in the reader's language; At most 3 tries\nGuests may not comment";
    let output = make(SKILL, json!({"criteria": criteria})).unwrap();
    let names = output.data["cases"].as_array().unwrap().iter();
    let names: Vec<String> = names
        .map(|case| {
            let [id, level, name] = ["id", "level", "name"].map(|key| case[key].as_str().unwrap());
            format!("{id} {level} {name}")
        })
        .collect();
    assert_eq!(
        names,
        [
            "TC-C1-P1 integration Other sessions end",
            "TC-C1-E1 end-to-end Other sessions end",
            "TC-C2-P1 unit The mail is in the reader's language",
            "TC-C3-B1 unit At most 3 tries: 2 tries, below the bound",
            "TC-C3-B2 unit At most 3 tries: 3 tries, at the bound",
            "TC-C3-B3 unit At most 3 tries: 4 tries, above the bound",
            "TC-C4-P1 unit Guests may not comment",
        ]
    );
    assert_eq!(output.open, ["AC-C3: what happens outside of the bound is not stated"]);
    let steps = &output.data["cases"][0]["steps"];
    assert_eq!(steps.as_array().unwrap().len(), 3, "{steps}");
    let above = &output.data["cases"][5]["steps"][1]["text"];
    assert_eq!(above, "<what happens with 4 tries>");
}

#[test]
fn a_scenario_outline_keeps_its_examples() {
    let made = |format: &str| make(SKILL, json!({"criteria": OUTLINE, "format": format})).unwrap();
    let examples = json!([
        {"name": "usual", "header": ["kind", "value"], "rows": [["password", "a|b\\"], ["name", ""]]},
        {"name": "", "header": ["kind", "value"], "rows": [["pin", "0000"]]},
    ]);
    let markdown = made("markdown");
    assert_eq!(markdown.data["cases"][0]["examples"], examples);
    assert_eq!(markdown.data["story"], json!({"id": "US-0007", "title": "Login"}));
    let table =
        "  Examples: usual\n    | kind | value |\n    | password | a\\|b\\\\ |\n    | name |  |\n";
    assert!(markdown.artifacts[0].text.contains(table), "{}", markdown.artifacts[0].text);
    let feature = made("gherkin").artifacts[0].text.clone();
    let again = make(SKILL, json!({"criteria": feature})).unwrap();
    assert_eq!(again.data["cases"][0]["examples"], examples, "{feature}");
    assert!(made("jest").artifacts[0].text.contains("  // | password | a|b\\ |\n"));
    if find("node_modules/@cucumber/gherkin").is_some() {
        assert_eq!(node(PARSE, &json!([feature]))[0][0]["examples"], examples, "{feature}");
    }
}

#[test]
fn a_pipe_and_key_value_words_combine() {
    let request = Request {
        contents: vec![b"At most 3 tries\n".to_vec()],
        pairs: vec![
            ("title".into(), "Log in".into()),
            ("statements".into(), "A name cannot be empty".into()),
        ],
        ..Request::default()
    };
    let row = skill(SKILL).unwrap();
    let made = row.run(&row.place(&request).unwrap(), &context(Path::new("."))).unwrap();
    assert_eq!(made.artifacts[0].path, "log-in-tests.md");
    assert_eq!(made.data["criteria"][1]["cases"], json!(["TC-C2-P1"]));
}

#[test]
fn the_markdown_the_feature_and_the_envelope_of_criteria_give_the_same() {
    let before = "acceptance-criteria-generator";
    let story = json!({"story": "Card\n\nAs a shopper I want to pay by card so that I get it. At most 3 tries."});
    let made = make(before, story.clone()).unwrap();
    let mut feature = story;
    feature["format"] = json!("feature");
    let feature = make(before, feature).unwrap();
    let from = |text: &str| make(SKILL, json!({"criteria": text})).unwrap().artifacts;
    let by_envelope = make_from(before, &made.data, SKILL).unwrap().artifacts;
    assert_eq!(from(&made.artifacts[0].text), by_envelope);
    assert_eq!(from(&feature.artifacts[0].text), by_envelope);
}

#[test]
fn a_description_that_is_no_story_is_kept() {
    let feature = "Feature: Find steps\n  As a User\n  In order to run features without passing options\n  I wish cucumber took them\n\n  Scenario: one\n    When I run it\n    Then it passes\n";
    let output = make(SKILL, json!({"criteria": feature, "format": "gherkin"})).unwrap();
    let kept = feature.split("\n\n").next().unwrap();
    assert!(output.artifacts[0].text.starts_with(kept), "{}", output.artifacts[0].text);
    assert_eq!(output.notes, Vec::<String>::new());
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
        let ids = |list: &Value| {
            list.as_array()
                .unwrap_or_else(|| panic!("{list}"))
                .iter()
                .map(|one| one["id"].clone())
                .collect::<Vec<_>>()
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
    collects("vitest", "node_modules/.bin/vitest", &["run", "--reporter=json"]);
}

#[test]
fn pytest_collects_the_stubs_as_skipped() {
    let Some(python) = find("venv/bin/python") else { return };
    let place = tempfile::tempdir().unwrap();
    let cases = lay(&all("pytest"), place.path());
    let text = said(
        Command::new(python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .current_dir(place.path()),
    );
    assert!(text.contains(&format!("{cases} skipped in")), "{text}");
}

#[test]
fn rust_stubs_compile_and_are_ignored() {
    let Some(rustc) = find("rustc") else { return };
    let place = tempfile::tempdir().unwrap();
    let outputs = all("rust");
    let cases = lay(&outputs, place.path());
    let modules: Vec<String> = (0..outputs.len()).map(|at| format!("mod s{at};\n")).collect();
    fs::write(place.path().join("all.rs"), modules.concat()).unwrap();
    said(
        Command::new(rustc)
            .args(["--test", "--edition=2024", "all.rs", "-o", "all"])
            .current_dir(place.path()),
    );
    let text = said(&mut Command::new(place.path().join("all")));
    assert!(text.contains(&format!("0 passed; 0 failed; {cases} ignored")), "{text}");
}

#[test]
fn bad_input_is_named() {
    for (input, field) in [
        (json!({}), "criteria"),
        (json!({"criteria": " \n"}), "criteria"),
        (json!({"criteria": "x", "format": "mocha"}), "format"),
        (json!({"statements": [1]}), "statements[0]"),
    ] {
        let fault = make(SKILL, input).unwrap_err().to_string();
        assert!(fault.contains(&format!("{field:?}")), "{fault}");
    }
}
