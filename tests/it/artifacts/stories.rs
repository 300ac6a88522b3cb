//! `story-skeleton`: its output reads back, its ids and dependencies are valid in the project, and its Markdown is
//! clean.

use std::fs;
use std::path::Path;

use flow::files::Files;
use flow::project::Project;
use flow::skill::output::Fault;
use flow::skill::project_state::Context;
use flow::skill::story::{Story, limits, read};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::markdown;
use super::making::{HOSTILE, context, make, make_in};

const SKILL: &str = "story-skeleton";

/// The story of a document.
fn read_back(text: &str) -> Story {
    let mut story = Story::default();
    read::text(&mut story, text, "topic").unwrap_or_else(|fault| panic!("{fault}: {text}"));
    read::entitle(&mut story);
    story
}

/// A project with these stories.
fn project(folder: &Path, stories: &Value) -> Context {
    let path = folder.join("docs/09-agents/status.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, json!({"stories": stories}).to_string()).unwrap();
    let project = Project::at(folder).unwrap();
    Context { state: Files::read(&project).state(), ..context(folder) }
}

/// Inputs that try every field, and hostile texts in each.
fn inputs() -> Vec<Value> {
    let mut inputs = vec![
        json!({"topic": "Password reset"}),
        json!({"topic": "Reset my password."}),
        json!({"topic": "As users we want a list. It must be short. We met in May."}),
        json!({"topic": "Title: x\nRules: one\n- two\nPoints: 5\nStatus: Ready\nDepends on: US-0007\nNotes: n"}),
        json!({"topic": "?", "title": "Only a mark"}),
        json!({"topic": "x ".repeat(20_000)}),
    ];
    for text in HOSTILE {
        inputs.push(json!({"topic": text}));
        inputs.push(json!({
            "topic": "t", "title": text, "role": text, "want": text, "benefit": text, "rules": [text],
            "criteria": [text], "technical_notes": [text, "two\nlines"],
        }));
        inputs.push(json!({"topic": format!("As a {text} I want to see {text} so that {text}")}));
    }
    inputs
}

#[test]
fn what_is_written_reads_back_and_is_clean() {
    let mut texts = vec![example_output("story-skeleton").artifacts[0].text.clone()];
    for input in inputs() {
        let output =
            make("story-skeleton", input.clone()).unwrap_or_else(|e| panic!("{e}: {input}"));
        let story: Story = serde_json::from_value(output.data.clone()).unwrap();
        let text = output.artifacts[0].text.clone();
        assert_eq!(read_back(&text), story, "{text}");
        let again = make(SKILL, json!({"topic": text})).unwrap();
        assert_eq!(again.artifacts, output.artifacts);
        texts.push(text);
    }
    markdown(&texts);
}

#[test]
fn what_is_not_given_is_asked_once_and_what_is_given_is_not() {
    let text =
        |topic: &str| make(SKILL, json!({"topic": topic})).unwrap().artifacts[0].text.clone();
    assert_eq!(
        text("Password reset"),
        "# US-0022: Password reset\n\n- **As a** \\<who wants it>\n- **I want** \\<what they want to do>\n\
         - **So that** \\<what they gain by it>\n- **Points:** \\<how large it is>\n- **Status:** draft\n\n\
         ## Acceptance criteria\n\n- \\<what is true when it is done>\n\n\
         ## Technical notes\n\n- \\<what an implementer must know>\n"
    );
    let made = text(
        "Rate limiting (5 points), depends on US-0002. It is per key.\n- At most 10 requests a second\n\nSee RFC 6585.",
    );
    for part in [
        "# US-0022: Rate limiting\n",
        "- **Points:** 5\n- **Status:** draft\n- **Depends on:** US-0002\n\n## Rules\n\n- R1: At most 10 requests a second\n",
        "## Technical notes\n\n- It is per key.\n- See RFC 6585.\n",
    ] {
        assert!(made.contains(part), "{part}: {made}");
    }
    let full = example_output(SKILL);
    assert!(full.open.is_empty(), "{:?}", full.open);
    assert_eq!(full.data["role"], "shopper");
    assert_eq!(full.data["rules"], json!(["A link expires after 30 minutes."]));
}

#[test]
fn labels_in_any_form_are_fields() {
    let expected = json!({
        "title": "Pay by card", "role": "shopper", "want": "to pay by card", "benefit": "I need no cash",
        "points": 5, "status": "ready", "dependencies": ["US-0001", "US-0002"], "owner": "AG-UI",
        "criteria": ["Paid once", "A receipt; by mail"], "technical_notes": ["PCI"],
    });
    for text in [
        "Title: Pay by card\nAs a: shopper\nI want: to pay by card\nSo that: I need no cash\nPoints: 5\nStatus: Ready\n\
         Depends on: US-0001, US-0002\nOwner: AG-UI\nAcceptance criteria:\n- Paid once\n- A receipt; by mail\n\nNotes: PCI",
        "# Pay by card\n\n**As a** shopper,\n**I want** to pay by card,\n**So that** I need no cash\n\n## Story points\n\n5\n\n\
         ## Status\n\nReady\n\n## Dependencies\n\n- US-0001\n- US-0002\n\n## Assignee\n\nAG-UI\n\n## Acceptance criteria\n\n\
         - [ ] Paid once\n- [ ] A receipt; by mail\n\n## Technical notes\n\nPCI\n",
        "Pay by card\n\nAs a shopper I want to pay by card so that I need no cash, 5 points, depends on US-0001 and US-0002.\n\
         PCI\n\nStatus: ready\nAssigned to: AG-UI\nCriteria:\n- Paid once\n- A receipt; by mail\n",
    ] {
        let data =
            make(SKILL, json!({"topic": text})).unwrap_or_else(|e| panic!("{e}: {text}")).data;
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&data[field], value, "{field} of {text}");
        }
    }
    let over =
        make(SKILL, json!({"topic": "Pay\nPoints: 5", "points": 8, "role": "a guest"})).unwrap();
    assert_eq!((&over.data["points"], &over.data["role"]), (&json!(8), &json!("guest")));
}

#[test]
fn a_sentence_that_is_no_story_is_refused_with_the_form() {
    let fault = make(SKILL, json!({"topic": "As a user, a login page"})).unwrap_err().to_string();
    assert_eq!(
        fault,
        "the field \"topic\", line 1: \"As a user, a login page\" is not a story sentence; the form is \
         `As a reader I want to search by author so that I find all books of one` (docs/notation.md)"
    );
}

#[test]
fn the_id_is_the_next_and_dependencies_hold() {
    let folder = tempfile::tempdir().unwrap();
    let stories = json!({
        "US-0001": {"depends_on": []}, "US-0004": {"depends_on": ["US-0001"]},
        "US-0007": {"depends_on": ["US-0008"]}, "US-0008": {"depends_on": ["US-0007"]},
        "US-0003": {"depends_on": ["US-0009"]}
    });
    let here = project(folder.path(), &stories);
    let with =
        |on: &[&str]| make_in("story-skeleton", json!({"topic": "Pay", "dependencies": on}), &here);
    assert_eq!(with(&["US-0004"]).unwrap().data["id"], "US-0009");
    let refused = |on: &str, why: &str| {
        let fault = with(&[on]).unwrap_err();
        assert!(matches!(fault, Fault::Bad { .. }) && fault.to_string().contains(why), "{fault}");
    };
    refused("US-0002", "a story that the project has");
    refused("US-0009", "another story than this one");
    refused("US-0007", "US-0007 -> US-0008 -> US-0007");
    refused("US-0003", "US-0009 -> US-0003 -> US-0009");
    assert!(with(&["nonsense"]).unwrap_err().to_string().contains("such as US-0001"));
}

/// Texts of fragments that are significant to the reader, and of any characters.
fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[ -~]{1,12}",
    ];
    vec(piece, 1..6).prop_map(|pieces| pieces.join(" "))
}

const PIECES: [&str; 30] = [
    "As a user",
    "I want to",
    "so that",
    "I can pay",
    "Rules:",
    "- R1:",
    "R2: x",
    "## Rules",
    "# Title",
    "**As a**",
    "**I want**",
    "*Open: see",
    "Points: 3",
    "Status: Ready",
    "US-0001",
    "Depends on:",
    "must",
    "at most 3",
    ". ",
    "\n",
    "\r\n",
    "\t",
    "\u{2028}",
    "- [ ]",
    "1.",
    "\\",
    "`",
    "Given a user, when it pays, then it is paid",
    "*",
    "",
];

#[test]
fn any_story_reads_back_as_it_was_written() {
    let lists = (vec(line(), 0..3), vec(line(), 0..3), vec(line(), 0..3));
    let optional =
        (proptest::option::of(line()), proptest::option::of(line()), proptest::option::of(line()));
    let strategy = (line(), optional, lists, proptest::option::of(0..101_u32));
    crate::oracle::messy::run(
        400,
        &strategy,
        |(topic, (role, want, benefit), (rules, criteria, notes), points)| {
            let fields = json!({
                "topic": topic, "role": role, "want": want, "benefit": benefit, "rules": rules, "criteria": criteria,
                "technical_notes": notes, "points": points,
            });
            let Ok(output) = make("story-skeleton", fields) else { return };
            let story: Story = serde_json::from_value(output.data).unwrap();
            let text = &output.artifacts[0].text;
            assert_eq!(read_back(text), story, "{text}");
            let again = make(SKILL, json!({"topic": text})).unwrap();
            assert_eq!(again.artifacts, output.artifacts);
        },
    );
}

#[test]
fn a_story_over_a_limit_is_refused_by_name() {
    let many: Vec<String> = (0..1_002).map(|at| format!("It must hold {at}")).collect();
    let lines = format!("- {}", many.join("\n- "));
    let markdown = format!("# {}\n\nAs a user I want to pay.", "long ".repeat(200));
    for (skill, fields, parts) in [
        ("story-skeleton", json!({"topic": "x", "criteria": many}), ["\"criteria\"", "1002"]),
        (
            "story-skeleton",
            json!({"topic": "x", "title": "t".repeat(10_000)}),
            ["\"title\"", "10000"],
        ),
        ("story-skeleton", json!({"topic": lines}), ["\"rules\"", "at most 1000 rules"]),
        ("story-skeleton", json!({"topic": markdown}), ["\"title\"", "at most 500"]),
        (
            "acceptance-criteria-generator",
            json!({"story": "x", "rules": many}),
            ["\"rules\"", "1002"],
        ),
        (
            "acceptance-criteria-generator",
            json!({"story": format!("As a user I want to list {}", "list a and ".repeat(1_000))}),
            ["\"want\"", "at most 2000"],
        ),
        ("acceptance-criteria-generator", json!({"story": lines}), ["\"rules\"", "1001"]),
        ("acceptance-criteria-generator", json!({"story": markdown}), ["\"title\"", "at most 500"]),
        (
            "test-case-generator",
            json!({"criteria": lines}),
            ["\"criteria\"", "at most 1000 criteria"],
        ),
        ("test-case-generator", json!({"statements": many}), ["\"criteria\"", "1002"]),
        (
            "test-case-generator",
            json!({"criteria": "x", "title": "t".repeat(501)}),
            ["\"title\"", "501"],
        ),
    ] {
        let fault = make(skill, fields).unwrap_err().to_string();
        assert!(parts.iter().all(|part| fault.contains(part)), "{skill}: {fault}");
        assert!(fault.len() < 400, "{skill}: {fault}");
    }
    // At the limit they are accepted.
    let most = &many[..limits::MOST];
    assert!(
        make("story-skeleton", json!({"topic": "x", "criteria": most, "title": "t".repeat(500)}))
            .is_ok()
    );
    assert!(make("test-case-generator", json!({"criteria": most.join("\n")})).is_ok());
}

#[test]
fn bad_input_is_named() {
    for (input, field) in [
        (json!({}), "topic"),
        (json!({"topic": " \n"}), "topic"),
        (json!({"topic": "\u{1b}"}), "topic"),
        (json!({"topic": "x", "points": -1}), "points"),
        (json!({"topic": "x", "status": "soon"}), "status"),
        (json!({"topic": "x", "id": "7"}), "id"),
        (json!({"topic": "x", "rules": [7]}), "rules"),
    ] {
        let fault = make("story-skeleton", input).unwrap_err().to_string();
        assert!(fault.contains(&format!("{field:?}")), "{fault}");
    }
}

#[test]
fn a_label_behind_a_sentence_is_a_fact_and_a_section_stays_together() {
    let made = |text: &str| make(SKILL, json!({"topic": text})).unwrap();
    let story = made(
        "As an admin, I want to export orders so that accounting has them. Points: 3. Depends on: US-0002",
    );
    assert_eq!(
        (&story.data["points"], &story.data["dependencies"]),
        (&json!(3), &json!(["US-0002"]))
    );
    assert_eq!(story.data["technical_notes"], json!([]));
    let issue = made(
        "# Dark mode is lost\n\n## Steps to reproduce\n\n1. Open settings\n2. Reload\n\n**Expected behavior**\n\
         The page stays dark. It must not flash.\n\n## Out of scope\n\nPrinting\n",
    );
    assert_eq!(issue.data["rules"], json!([]));
    let notes = [
        "Steps to reproduce: Open settings; Reload",
        "Expected behavior: The page stays dark. It must not flash.",
        "Out of scope: Printing",
    ];
    assert_eq!(issue.data["technical_notes"], json!(notes));
}

#[test]
fn a_heading_of_any_level_before_the_sentence_is_the_title() {
    let text = "## US-0123: Password reset\n\n**Owner:** anna\n\nAs a user\nI want to reset my password\nSo that I can log in\n";
    let made = make(SKILL, json!({"topic": text})).unwrap();
    assert_eq!(
        (&made.data["id"], &made.data["title"]),
        (&json!("US-0123"), &json!("Password reset"))
    );
}

#[test]
fn steps_on_lines_of_their_own_are_a_criterion() {
    let made = make(
        SKILL,
        json!({"topic": "Given a user\nWhen they log in\nThen they see the dashboard"}),
    );
    let wanted = "Given a user, when they log in, then they see the dashboard";
    assert_eq!(made.unwrap().data["criteria"], json!([wanted]));
}
