//! `acceptance-criteria-generator`: the official Gherkin parser accepts its features, its Markdown is clean, and
//! the share of unseen stories that match a pattern is measured.

use std::path::Path;

use flow::skill::generator::find as skill;
use flow::skill::input::place::Request;
use flow::skill::story::{Story, document, pattern, read, scenario::Criteria};
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::{find, markdown, node};
use super::making::{HOSTILE, context, make, make_from, nowhere};

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
        json!({"story": "As a pilot I want to defenestrate. It must be quick.", "suggest": false}),
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
fn a_story_and_key_value_words_combine() {
    let request = Request {
        contents: vec![b"As a shopper I want to pay by card so that I need no cash".to_vec()],
        pairs: vec![
            ("rules".into(), "At most 3 tries; A card is charged once".into()),
            ("suggest".into(), "no".into()),
        ],
        ..Request::default()
    };
    let row = skill(SKILL).unwrap();
    let made = row.run(&row.place(&request).unwrap(), &context(Path::new("."))).unwrap();
    assert_eq!(
        made.artifacts[0].text,
        "# Acceptance criteria: Pay by card\n\n- **As a** shopper\n- **I want** to pay by card\n\
         - **So that** I need no cash\n\n## AC-story: Pay by card\n\n- Tags: `@stated`\n- **Given** a shopper\n\
         - **When** the shopper pays by card\n- **Then** the shopper needs no cash\n\n\
         ## AC-R1: At most 3 tries\n\n- Tags: `@stated @R1`\n- **Given** a shopper\n\
         - **When** the shopper pays by card\n- **Then** at most 3 tries\n\n\
         ## AC-R2: A card is charged once\n\n- Tags: `@stated @R2`\n- **Given** a shopper\n\
         - **When** the shopper pays by card\n- **Then** a card is charged once\n"
    );
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
    let output = make(SKILL, json!({"story": feature, "suggest": false})).unwrap();
    assert_eq!(
        output.artifacts[0].text,
        "# Acceptance criteria: Run a part\n\n- **As a** developer\n\
         - **I want** to run the scenarios with a tag\n\n## AC-1: Only smoke tests\n\n- Tags: `@stated`\n\
         - **Given** a project\n- **When** I run `cucumber --tags=@smoke`\n- **Then** 2 scenarios pass\n\n\
         Examples:\n\n| tags |\n| --- |\n| x |\n\n## Open questions\n\n\
         - benefit: not given (add benefit=\"I can get back in\")\n"
    );
}

#[test]
fn a_reset_gives_the_cases_of_a_careful_tester() {
    let story = "As a shopper I want to reset my password so that I can get back in";
    let output =
        make(SKILL, json!({"story": story, "rules": ["The link expires after 30 minutes"]}))
            .unwrap();
    let made: Criteria = serde_json::from_value(output.data).unwrap();
    let ids: Vec<&str> = made.scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
    let cases = [
        "AC-S-unknown-account",
        "AC-S-expired-link",
        "AC-S-link-used-twice",
        "AC-S-too-many-tries",
    ];
    assert_eq!(ids[..2], ["AC-story", "AC-R1"]);
    assert_eq!(ids[2..], cases);
    let happy = &made.scenarios[0];
    assert_eq!(
        (happy.steps[0].text.as_str(), happy.steps[1].text.as_str()),
        ("a shopper", "the shopper resets their password")
    );
    assert_eq!(happy.steps[2].text, "the shopper can get back in");
    assert!(made.scenarios[1].tags.contains(&"R1".to_owned()));
    for scenario in &made.scenarios[2..] {
        assert_eq!(scenario.tags[0], "suggested");
        assert!(scenario.tags[2].starts_with("rule:reset-credential/"), "{:?}", scenario.tags);
    }
    assert!(
        made.scenarios[3].tags.contains(&"R1".to_owned()),
        "a suggested case cites the rule on the same matter"
    );
    let unknown = json!({"story": "As a cook I want to flambé bananas so that they burn", "rules": ["No rum"]});
    let unknown = make(SKILL, unknown).unwrap();
    assert_eq!(unknown.notes, ["no pattern knows the verb, so no cases are suggested"]);
    let ids = unknown.data["scenarios"].as_array().unwrap().iter().map(|one| one["id"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), ["AC-story", "AC-R1"]);
}

#[test]
fn the_table_is_whole() {
    assert!(pattern::classes().len() >= 25, "{}", pattern::classes().len());
    for class in pattern::classes() {
        assert!(!class.verbs.is_empty() && class.cases.len() >= 3, "{}", class.name);
        for case in &class.cases {
            assert!(
                ["error", "boundary", "permission"].contains(&case.kind.as_str()),
                "{}",
                case.rule
            );
            let is_tag = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            assert!(is_tag(&case.rule) && is_tag(&class.name), "{}/{}", class.name, case.rule);
        }
        for kind in ["error", "boundary", "permission"] {
            let has = class.cases.iter().any(|case| case.kind == kind);
            assert!(
                has || class.cases.len() > 3 || kind == "error",
                "{} has no {kind} case",
                class.name
            );
        }
    }
}

/// Requirements from many domains, written without knowledge of the table.
const UNSEEN: &str = include_str!("unseen.txt");

#[test]
fn most_unseen_stories_match_a_pattern() {
    let stories: Vec<&str> = UNSEEN.lines().filter(|line| !line.is_empty()).collect();
    let mut missed = Vec::new();
    let mut wrong = Vec::new();
    for line in &stories {
        let (expected, story) = line.split_once(" | ").unwrap();
        let mut found = Story::default();
        read::text(&mut found, story, "story").unwrap();
        let classes = pattern::matching(found.action().unwrap_or_else(|| panic!("{story}")));
        match classes.first() {
            None if expected != "-" => missed.push(story),
            first => {
                let first = first.map_or("-", |class| class.name.as_str());
                if first != expected {
                    wrong.push(format!("{first} for {expected}: {story}"));
                }
            }
        }
    }
    let right = stories.len() - missed.len() - wrong.len();
    assert!(
        stories.len() >= 55 && right * 100 >= stories.len() * 90,
        "{right} of {}: missed {missed:#?}; wrong {wrong:#?}",
        stories.len()
    );
}

#[test]
fn a_sentence_that_begins_with_when_is_a_criterion_and_one_without_a_place_is_named() {
    let story = "As a shopper I want to pay by card so that I need no cash.\n\
        - When the card is refused, the basket stays as it is\n- Names are found";
    let output = make(SKILL, json!({"story": story, "suggest": false})).unwrap();
    let text = &output.artifacts[0].text;
    assert!(
        text.contains("## AC-C1: When the card is refused, the basket stays as it is\n"),
        "{text}"
    );
    let note = "no criterion was made of \"Names are found\" (add it to rules or criteria)";
    assert!(output.notes.contains(&note.to_owned()), "{:?}", output.notes);
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
