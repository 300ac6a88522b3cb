//! `acceptance-criteria-generator`: the official Gherkin parser accepts its features, its Markdown is clean, and
//! every text is placed word for word.

use flow::skill::generator::find as skill;
use flow::skill::input::place::Request;
use flow::skill::story::{document, scenario::Criteria};
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::{find, markdown, node};
use super::making::{HOSTILE, make, make_from, nowhere, place};

const SKILL: &str = "acceptance-criteria-generator";

/// Parses features; prints for each the names and steps of its scenarios, or the error.
pub(super) const PARSE: &str = r#"
import {AstBuilder, GherkinClassicTokenMatcher, Parser} from "@cucumber/gherkin";
import {IdGenerator} from "@cucumber/messages";
let text = ""; for await (const part of process.stdin) text += part;
const said = JSON.parse(text).map((feature) => {
  try {
    const parser = new Parser(new AstBuilder(IdGenerator.incrementing()), new GherkinClassicTokenMatcher());
    const found = parser.parse(feature).feature;
    return found.children.map(({scenario}) => ({
      id: scenario.tags[0].name.slice(1), name: scenario.name, tags: scenario.tags.slice(1).map((tag) => tag.name.slice(1)),
      steps: scenario.steps.map((step) => step.text),
      examples: scenario.examples.map(({name, tableHeader, tableBody}) =>
        ({name, header: tableHeader.cells.map((cell) => cell.value), rows: tableBody.map(({cells}) => cells.map((cell) => cell.value))})),
    }));
  } catch (error) { return String(error); }
});
console.log(JSON.stringify(said));
"#;

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
            json!({"id": scenario.id, "name": scenario.name, "tags": scenario.tags, "steps": steps, "examples": scenario.examples})
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

#[test]
fn the_markdown_and_the_envelope_of_a_story_give_the_same() {
    let story = example_output("story-skeleton");
    let text = story.artifacts[0].text.clone();
    let from_text = make(SKILL, json!({"story": text})).unwrap();
    let from_data = make_from("story-skeleton", &story.data, SKILL).unwrap();
    assert_eq!(from_text.artifacts, from_data.artifacts);
    let other = json!({"skill": "adr-template", "kind": "decision", "data": {}, "artifacts": []});
    let contents = vec![other.to_string().into_bytes()];
    let request = Request { contents, ..Request::default() };
    let fault = skill(SKILL).unwrap().place(&request).unwrap_err().to_string();
    assert_eq!(
        fault,
        "adr-template produces decision, which this skill does not accept; it accepts story"
    );
}

#[test]
fn a_sentence_is_a_scenario_in_the_first_person_word_for_word() {
    let sentence = "As a shopper I want to pay by card so that I need no cash";
    let path = "# Acceptance criteria: Pay by card\n\n```gherkin\nFeature: Pay by card\n  As a shopper\n  I want to pay by card\n\
         \x20 So that I need no cash\n\n  @AC-story\n  Scenario: Pay by card\n    Given I am a shopper\n\
         \x20   When I pay by card\n    Then I need no cash\n";
    let made = place(SKILL, sentence, &[]).unwrap();
    let blanks = "\n  @AC-failure @open\n  Scenario: Failure\n    Given <what can fail>\n\
         \x20   When I pay by card\n    Then <what happens when it fails>\n\n\
         \x20 @AC-limit @open\n  Scenario: Limit\n    Given <which limit is exceeded>\n\
         \x20   When I pay by card\n    Then <what happens above the limit>\n\n\
         \x20 @AC-permission @open\n  Scenario: Permission\n    Given <who may not do this>\n\
         \x20   When I pay by card\n    Then <what they see instead>\n```\n";
    assert_eq!(made.artifacts[0].text, format!("{path}{blanks}"));
    let verify = skill(SKILL).unwrap().verify.unwrap();
    let found = verify(&made.artifacts[0].text, &nowhere());
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found[0].what.contains("<what can fail> is a blank"), "{found:?}");
    // Rules and criteria that are given take the place of the blanks.
    let pairs =
        [("rules", "At most 3 tries; AC2: Given a guest, When they pay, Then they sign in")];
    let made = place(SKILL, sentence, &pairs).unwrap();
    let stated = "\n  @AC-R2\n  Scenario: They sign in\n    Given a guest\n    When they pay\n\
         \x20   Then they sign in\n```\n\n## Rules\n\n- AC-R1: At most 3 tries\n";
    assert_eq!(made.artifacts[0].text, format!("{path}{stated}"));
}

#[test]
fn a_feature_is_verified() {
    let verify = skill(SKILL).unwrap().verify.unwrap();
    let found = verify("Feature: x\n\n  Scenario: y\n    When z\n", &nowhere());
    assert_eq!((found[0].line, found[0].what.as_str()), (3, "AC-1: nothing follows: add a Then"));
}

#[test]
fn the_scenarios_of_a_feature_are_its_criteria() {
    let feature = "Feature: Run a part\n  As a developer\n  I want to run the scenarios with a tag\n\n\
        \x20 Scenario: Only smoke tests\n    Given a project\n\n    When I run `cucumber --tags=@smoke`\n\
        \x20   Then 2 scenarios pass\n\n    Examples:\n      | tags |\n      | x |\n";
    let output = make(SKILL, json!({"story": feature})).unwrap();
    let text = &output.artifacts[0].text;
    let scenario = "  @AC-1\n  Scenario Outline: Only smoke tests\n    Given a project\n\
         \x20   When I run `cucumber --tags=@smoke`\n    Then 2 scenarios pass\n\n\
         \x20   Examples:\n      | tags |\n      | x |\n```\n";
    assert!(text.ends_with(scenario), "{text}");
}

#[test]
fn what_is_no_criterion_is_named() {
    let story = "As a shopper I want to pay by card so that I need no cash.\n\
        - When the card is refused, then the basket stays as it is\n\nNames are found";
    let output = make(SKILL, json!({"story": story})).unwrap();
    let text = &output.artifacts[0].text;
    assert!(text.contains("  Scenario: The basket stays as it is\n"), "{text}");
    let note = "no criterion was made of \"Names are found\" (add it to rules or criteria)";
    assert_eq!(output.notes, [note]);
}

#[test]
fn a_feature_is_also_called_gherkin() {
    for (skill, field) in [(SKILL, "rules"), ("test-case-generator", "statements")] {
        let made = |format: &str| {
            make(skill, json!({"title": "Try", field: ["At most 3 tries"], "format": format}))
                .map(|output| output.artifacts[0].text.clone())
        };
        assert_eq!(made("feature").unwrap(), made("gherkin").unwrap());
        let fault = made("cucumber").unwrap_err().to_string();
        assert!(fault.contains("\"feature\", \"gherkin\""), "{fault}");
    }
}
