//! Gherkin features through `acceptance-criteria-generator` and `test-case-generator`: they are kept whole, by the
//! official parser's reading.

use serde_json::{Value, json};

use super::judge::{find, markdown, node};
use super::making::make;

const SKILL: &str = "acceptance-criteria-generator";

/// A feature with everything that Gherkin has.
const WHOLE: &str = r#"# language: en
@shop
Feature: Basket
  What a shopper puts together before paying.
  It is kept for a month.

  Background:
    Given the books:
      | title | note       |
      | Emma  | a \| b \\ c |

  @slow
  Scenario: Empty it
    Nothing is asked.

    Given  two  blanks stay
    When I empty it
    Then it is empty
    When I undo that
    Then I see
      """markdown
      # Basket

        1 book


      ```sh
      \"\"\"
      """
    But not more than 1 book

  Rule: Only a reader may lend
    Who reads has a card.

    Background:
      Given a card

    Scenario Outline: Lend <count>
      * I lend <count> books
      Then I have <count> books

      @few
      Examples: Few
        Usual ones.

        | count |
        | 1     |
        | a\nb  |
"#;

/// The same feature as the official parser reads it: children with their names, descriptions and steps.
const OUTLINE_OF: &str = r#"
import {AstBuilder, GherkinClassicTokenMatcher, Parser} from "@cucumber/gherkin";
import {IdGenerator} from "@cucumber/messages";
let text = ""; for await (const part of process.stdin) text += part;
const lines = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
const cells = (row) => row.cells.map(({value}) => value);
const said = JSON.parse(text).map((feature) => {
  const parser = new Parser(new AstBuilder(IdGenerator.incrementing()), new GherkinClassicTokenMatcher());
  const found = parser.parse(feature).feature;
  const flat = [];
  const visit = (children, rule, before, tags) => {
    let steps = before;
    for (const {background, scenario, rule: inner} of children) {
      if (background) steps = [...steps, ...background.steps];
      if (inner) visit(inner.children, [inner.name, ...lines(inner.description)], steps, [...tags, ...inner.tags]);
      if (scenario) flat.push({
        name: scenario.name, rule, description: lines(scenario.description),
        tags: [...tags, ...scenario.tags].map(({name}) => name).filter((name) => !/^@(AC-|TC-|stated|integration|unit|positive|negative)/.test(name)).sort(),
        steps: [...steps, ...scenario.steps].map(({keyword, text, dataTable, docString}) =>
          ({kind: keyword.trim(), text, table: dataTable?.rows.map(cells), doc: docString?.content, type: docString?.mediaType})),
        examples: scenario.examples.map((one) => ({name: one.name, description: lines(one.description),
          tags: one.tags.map(({name}) => name), rows: [one.tableHeader, ...one.tableBody].map(cells)})),
      });
    }
  };
  visit(found.children, [], [], found.tags);
  return {name: found.name, description: lines(found.description), scenarios: flat};
});
console.log(JSON.stringify(said));
"#;

#[test]
fn a_feature_is_kept_whole_by_both_skills_and_through_markdown() {
    let ours = make(SKILL, json!({"story": WHOLE, "format": "feature"})).unwrap();
    let feature = ours.artifacts[0].text.clone();
    let markdown_form = make(SKILL, json!({"story": WHOLE})).unwrap();
    let text = markdown_form.artifacts[0].text.clone();
    markdown(std::slice::from_ref(&text));
    let cases =
        make("test-case-generator", json!({"criteria": WHOLE, "format": "gherkin"})).unwrap();
    let cases = cases.artifacts[0].text.clone();
    let from_markdown =
        make("test-case-generator", json!({"criteria": text, "format": "gherkin"})).unwrap();
    assert!(
        feature.contains("\n  Background:\n    Given the books:\n      | title | note       |\n"),
        "{feature}"
    );
    assert!(feature.contains("\n    Background:\n      Given a card\n"), "{feature}");
    if find("node_modules/@cucumber/gherkin").is_none() {
        return;
    }
    let again = &from_markdown.artifacts[0].text;
    let read = node(OUTLINE_OF, &json!([WHOLE, feature, cases, again]));
    let plain = |value: &Value| {
        let mut value = value.clone();
        for scenario in value["scenarios"].as_array_mut().unwrap() {
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
