//! Gherkin features through `acceptance-criteria-generator` and `test-case-generator`: their scenarios are kept, by the
//! official parser's reading.

use serde_json::{Value, json};

use super::judge::{find, markdown, node};
use super::making::make;

const SKILL: &str = "acceptance-criteria-generator";

/// A feature with everything that Gherkin has but rules, which are refused.
const WHOLE: &str = include_str!("whole.feature");

/// The same feature as the official parser reads it: children with their names, descriptions and steps.
const OUTLINE_OF: &str = include_str!("../../judges/read_features.mjs");

#[test]
fn the_scenarios_of_a_feature_are_kept_by_both_skills_and_through_markdown() {
    let ours = make(SKILL, json!({"story": WHOLE, "format": "feature"})).unwrap();
    assert!(ours.notes.iter().any(|note| note.starts_with("left out")), "{:?}", ours.notes);
    let feature = ours.artifacts[0].text.clone();
    let markdown_form = make(SKILL, json!({"story": WHOLE})).unwrap();
    let text = markdown_form.artifacts[0].text.clone();
    markdown(std::slice::from_ref(&text));
    let cases =
        make("test-case-generator", json!({"criteria": WHOLE, "format": "gherkin"})).unwrap();
    let cases = cases.artifacts[0].text.clone();
    let from_markdown =
        make("test-case-generator", json!({"criteria": text, "format": "gherkin"})).unwrap();
    if find("node_modules/@cucumber/gherkin").is_none() {
        return;
    }
    let again = &from_markdown.artifacts[0].text;
    let read = node(OUTLINE_OF, &json!([WHOLE, feature, cases, again]));
    let plain = |value: &Value| {
        let mut value = value.clone();
        // A note has what is left out: descriptions.
        value.as_object_mut().unwrap().remove("description");
        for scenario in value["scenarios"].as_array_mut().unwrap() {
            scenario
                .as_object_mut()
                .unwrap()
                .retain(|key, _| key != "rule" && key != "description");
            // "But" and "*" are written as "And", or as the keyword that they repeat.
            for step in scenario["steps"].as_array_mut().unwrap() {
                step.as_object_mut().unwrap().remove("kind");
            }
        }
        value
    };
    let wanted = plain(&read[0]);
    assert_eq!(wanted["scenarios"].as_array().unwrap().len(), 2);
    assert_eq!(plain(&read[1]), wanted, "{feature}");
    assert_eq!(plain(&read[2])["scenarios"][0], wanted["scenarios"][0], "{cases}");
    let outline = plain(&read[2])["scenarios"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(outline, wanted["scenarios"][1], "{cases}");
    assert_eq!(plain(&read[3])["scenarios"][0], wanted["scenarios"][0], "{text}");
}
