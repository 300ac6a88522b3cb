//! `acceptance-criteria-generator`: the official Gherkin parser accepts its features, and every text is placed word for word.

use flow::skill::story::{criteria::Criteria, document};
use serde_json::{Value, json};

use super::hostile;
use super::judge::{find, node};
use super::making::make;

const SKILL: &str = "acceptance-criteria-generator";

/// Parses features; prints for each the names and steps of its scenarios, or the error.
pub(super) const PARSE: &str = include_str!("../../judges/parse_features.mjs");

fn with(mut input: Value, field: &str, value: &str) -> Value {
    input[field] = json!(value);
    input
}

#[test]
fn features_are_taken_by_the_official_parser_and_say_what_the_model_says() {
    let outputs: Vec<_> = hostile::inputs(SKILL)
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
            let steps: Vec<&str> = scenario.steps.iter().map(|step| step.split_once(' ').unwrap().1).collect();
            json!({"id": scenario.id, "name": scenario.name, "tags": scenario.tags, "steps": steps})
        }).collect();
        assert_eq!(parsed, &json!(ours), "{text}");
    }
}

#[test]
fn each_form_reads_back_the_same() {
    for input in hostile::inputs(SKILL) {
        let page = make(SKILL, input.clone()).unwrap();
        let feature = make(SKILL, with(input, "format", "feature")).unwrap();
        for output in [page, feature] {
            let ours: Criteria = serde_json::from_value(output.data).unwrap();
            let form = &output.artifacts[0].text;
            let read = document::criteria(form, "criteria").unwrap();
            let (criteria, _) = Criteria::of(read.story, read.scenarios);
            assert_eq!(criteria, ours, "{form}");
        }
    }
}
