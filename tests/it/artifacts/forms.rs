//! Records of decisions and changelogs in the forms of other tools: what they say is read, and entries take their form.

use serde_json::json;

use super::judge::markdown;
use super::making::{make, place};

const ADR: &str = "adr-template";
const CHANGELOG: &str = "changelog-entry";

#[test]
fn an_option_has_the_arguments_below_its_bullet_and_a_section_only_with_text() {
    let options = "- Kafka\n  - Good, because it keeps\n    all events\n  - Its licence is Apache 2\n\
        - NATS\n  - Pros:\n    - small\n    - fast\n  - Cons: no replay\n- Redis";
    let output = make(ADR, json!({"topic": "Pick a queue", "options": options})).unwrap();
    let expected = "## Considered options\n\n- Kafka\n- NATS\n- Redis\n\n\
        ### Kafka\n\n- Its licence is Apache 2\n\n- Good: it keeps all events\n\n\
        ### NATS\n\n- Good: small\n- Good: fast\n- Bad: no replay\n\n## Open questions\n";
    assert!(output.artifacts[0].text.contains(expected), "{}", output.artifacts[0].text);
    markdown(&[output.artifacts[0].text.clone()]);
    let again = make(
        ADR,
        json!({"topic": "Pick a queue", "comparison": &expected[23..expected.len() - 18]}),
    );
    assert!(again.unwrap().artifacts[0].text.contains(expected));
}

#[test]
fn a_decision_that_names_an_option_chooses_it_and_reasons_may_be_a_list() {
    let made = |text: &str| place(ADR, text, &[]).unwrap();
    let record =
        made("Topic: Keys\nOptions: UUIDv4, UUIDv7\nDecision: UUIDv7, because it sorts\n").data;
    assert_eq!((&record["chosen"], &record["reason"]), (&json!("UUIDv7"), &json!("it sorts")));
    let record =
        made("Topic: Keys\nOptions: UUIDv4, UUIDv7\nDecision: We keep UUIDv4 for old tables\n")
            .data;
    assert_eq!(record["chosen"], json!(null));
    let record = made(
        "# Keys\n\n## Considered Options\n\n* UUIDv4\n* UUIDv7\n\n## Decision Outcome\n\n\
         Chosen option: \"UUIDv7\", because\n\n* it sorts\n* it is short\n\n\
         ## Pros and Cons of the Options\n\n### UUIDv4\n\n* Good, because of its age\n",
    );
    assert_eq!(record.data["reason"], json!("it sorts; it is short"));
    assert!(record.artifacts[0].text.contains("- Good: because of its age\n"));
}

#[test]
fn an_underlined_changelog_is_recognised_and_its_case_kept() {
    let file = "Changelog\n=========\n\n1.2.0 (2024-03-01)\n------------------\n\n### Features\n\n* **api:** add paging\n* sort the list\n";
    let changes = [("changes", "feat(ui): add a map; fix: Safari crashes")];
    let text = place(CHANGELOG, file, &changes).unwrap().artifacts[0].text.clone();
    let added = "Unreleased\n----------\n\n### Features\n\n* **ui:** add a map\n\n### Bug Fixes\n\n* Safari crashes\n\n1.2.0";
    assert!(text.contains(added), "{text}");
}

#[test]
fn a_heading_has_a_day_only_where_others_have() {
    let file = "# Change Log\n\n## 0.3.0\n\n### Patch Changes\n\n- 1a2b3c4: A map\n";
    let fields = json!({"changelog": file, "changes": "Fixed: a crash", "version": "0.3.1"});
    let text = make(CHANGELOG, fields).unwrap().artifacts[0].text.clone();
    assert!(text.contains("\n\n## 0.3.1\n\n### Fixed\n\n- a crash\n\n## 0.3.0\n"), "{text}");
}
