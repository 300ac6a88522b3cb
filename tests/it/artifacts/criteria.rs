//! `acceptance-criteria-generator`: the official Gherkin parser accepts its features, its Markdown is clean, and
//! every text is placed word for word.

use flow::skill::story::{document, scenario::Criteria};
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::{find, markdown, node};
use super::making::{HOSTILE, make};

const SKILL: &str = "acceptance-criteria-generator";

/// Parses features; prints for each the names and steps of its scenarios, or the error.
pub(super) const PARSE: &str = include_str!("../../judges/parse_features.mjs");

fn inputs() -> Vec<Value> {
    let mut inputs = vec![
        json!({"story": "As a shopper I want to reset my password so that I can get back in"}),
        json!({"story": "Password reset"}),
        json!({"story": "As users we want a list", "criteria": ["Given a, when b, then c", "Given a then b", "Given when x, y", "If x is 1, y is 2", "When then"]}),
        json!({"story": "As a pilot I want to defenestrate. It must be quick."}),
        json!({"role": "pilot", "want": "to land", "benefit": "we can leave", "title": "Land"}),
        json!({"story": "word ".repeat(20_000)}),
    ];
    for text in HOSTILE {
        inputs.push(json!({"story": text, "rules": [text], "criteria": [text, format!("Given {text}, when {text}, then {text}")]}));
        inputs
            .push(json!({"story": format!("As a {text} I want to delete {text} so that {text}")}));
    }
    inputs
}

fn with(mut input: Value, field: &str, value: &str) -> Value {
    input[field] = json!(value);
    input
}

#[test]
fn features_are_taken_by_the_official_parser_and_say_what_the_model_says() {
    let outputs: Vec<_> = inputs()
        .into_iter()
        .map(|input| make(SKILL, with(input, "format", "feature")).unwrap())
        .collect();
    if find("node_modules/@cucumber/gherkin").is_none() {
        return;
    }
    let texts: Vec<&str> = outputs.iter().map(|output| output.artifacts[0].text.as_str()).collect();
    let parsed = node(PARSE, &json!(texts));
    for ((output, parsed), text) in outputs.iter().zip(parsed.as_array().unwrap()).zip(texts) {
        let ours: Criteria = serde_json::from_value(output.data.clone()).unwrap();
        let ours: Vec<Value> = ours.scenarios.iter().map(|scenario| {
            let steps: Vec<&str> = scenario.steps.iter().map(|step| step.text.as_str()).collect();
            json!({"id": scenario.id, "name": scenario.name, "tags": scenario.tags, "steps": steps})
        }).collect();
        assert_eq!(parsed, &json!(ours), "{text}");
    }
}

#[test]
fn markdown_is_clean_and_each_form_reads_back_the_same() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    for input in inputs() {
        let output = make(SKILL, input.clone()).unwrap();
        let text = output.artifacts[0].text.clone();
        let ours: Criteria = serde_json::from_value(output.data).unwrap();
        let feature = make(SKILL, with(input, "format", "feature")).unwrap();
        for form in [&text, &feature.artifacts[0].text] {
            assert_eq!(document::criteria(form, "criteria").unwrap().criteria, ours, "{form}");
        }
        texts.push(text);
    }
    markdown(&texts);
}
