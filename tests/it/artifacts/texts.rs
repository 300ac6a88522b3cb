//! Plain text as input: what a new user might write to each skill, complete and with parts missing.

use std::path::Path;
use std::process::Command;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::{Fault, Output};
use flow::skill::runtime::catalog;
use serde_json::{Value, json};

use super::judge;
use super::making::{Input, context, make, run_once};

fn made(skill: &str, text: &str) -> Result<Output, Fault> {
    let row = find(skill).unwrap();
    let request = Request { contents: vec![text.as_bytes().to_vec()], ..Request::default() };
    row.run(&row.place(&request)?, &context(Path::new(".")))
}

/// A skill, the text for it, texts that the artifact must contain, and the number of open questions.
type Said = (&'static str, &'static str, &'static [&'static str], usize);

const SAID: &[Said] = &[
    (
        "acceptance-criteria-generator",
        "As a shopper I want to pay by card so that I need no cash. A card is charged at most once.",
        &["Given I am a shopper", "AC-R1"],
        0,
    ),
    ("acceptance-criteria-generator", "Reset my password", &["AC-failure", "<who I am>"], 3),
    (
        "adr-template",
        "Use PostgreSQL for orders, because two services write at once.",
        &["# 1. Use PostgreSQL", "Date: 2026-03-11", "two services write"],
        4,
    ),
    (
        "adr-template",
        "We will keep sessions in memory",
        &["# 1. We will keep sessions in memory"],
        4,
    ),
    ("agent-brief", "Let a reader pay with a voucher", &["# Let a reader", "add criteria="], 1),
    ("agent-brief", "US-0020", &["# US-0020: Accessibility pass", "US-0005 (in-progress)"], 0),
    (
        "api-documentation-generator",
        "GET /books -> Book[], POST /reviews <- Review",
        &["/books:", "/reviews:", "Review:"],
        3,
    ),
    (
        "api-documentation-generator",
        "GET /books?page=int returns Book[]; Book: id int pk, title string",
        &["name: page", "Book:"],
        1,
    ),
    ("blocker-analysis", "US-0004", &["Scope: the story US-0004", "| US-0004 |"], 0),
    (
        "blocker-analysis",
        "US-0020",
        &["14 of 21 stories are open, 5 of them here", "| US-0004 |"],
        0,
    ),
    ("changelog-entry", "Fixed: a crash when the list is empty", &["### Fixed", "a crash"], 0),
    ("changelog-entry", "Added: search; Removed: the old API", &["### Added", "### Removed"], 0),
    ("commit-message-formatter", "Add a search by author.", &["feat: add a search by author\n"], 0),
    ("commit-message-formatter", "fix the parser", &["fix: fix the parser\n"], 0),
    ("deployment-guide-generator", "Kubernetes", &["# Deploy to kubernetes", "kubectl"], 1),
    (
        "deployment-guide-generator",
        "Deploy to: docker-compose\nService: billing\nHealth check: https://example.org/health\n",
        &["# Deploy billing to docker compose", "export SERVICE='billing'", "curl --fail"],
        0,
    ),
    (
        "diagram-generator",
        "web [front] -> api [back] -> db [back]: SQL",
        &["subgraph back", "api -->|\"SQL\"| db"],
        0,
    ),
    ("diagram-generator", "cart -> order; order -> paid", &["cart --> order", "order --> paid"], 0),
    ("epic-planner", "EP-0002", &["# EP-0002: Payments", "in 3 waves", "## Wave 3"], 0),
    (
        "epic-planner",
        "Returns\n- Ask for a label (3)\n- Refund when the parcel is back (5) after 1",
        &["# EP-0004: Returns", "8 points, in 2 waves"],
        2,
    ),
    (
        "error-handler-template",
        "user not found 404, payment declined 402, too many requests 429",
        &["PAYMENT_DECLINED", "status = 404", "\"Too many requests.\""],
        0,
    ),
    (
        "error-handler-template",
        "python: warehouse closed 503: We are closed, come back later.\nNO_STOCK 409",
        &["class WarehouseClosedError", "retryable = True"],
        0,
    ),
    ("handoff-note", "story US-0019", &["# Handoff of the story US-0019", "(task task-0010;"], 1),
    ("handoff-note", "US-0020", &["# Handoff of the story US-0020", "## Not begun"], 1),
    (
        "migration-checklist",
        "Oracle to PostgreSQL 16\nWindow: Sunday night\n",
        &["# Migration checklist: Oracle to PostgreSQL 16", "Window: Sunday night"],
        2,
    ),
    (
        "migration-checklist",
        "DROP TABLE users;",
        &["`DROP TABLE users`: lock: ", "loss: the table with its rows", "## Open questions"],
        3,
    ),
    (
        "pr-description",
        "Search by author. Readers asked for it.",
        &["# Search by author\n", "Readers asked"],
        1,
    ),
    (
        "pr-description",
        "feat: search by author\nfix: empty list\n",
        &["### Features", "### Fixes\n\n- empty list"],
        3,
    ),
    (
        "retro-facilitator",
        "since 2026-03-10",
        &["Changed since 2026-03-10", "| messages | 26 on 1 day |"],
        0,
    ),
    (
        "retro-facilitator",
        "until 2026-03-09",
        &["Changed until 2026-03-09", "| messages | 34 on 1 day |"],
        0,
    ),
    ("sprint-planner", "20 points", &["19 of 20 points", "1 point left"], 0),
    ("sprint-planner", "Capacity: 8\nOwner: ui", &["8 of 8 points", "Planned for owner ui."], 0),
    (
        "sql-schema-generator",
        "User: id uuid pk, email string unique; Order: id, user -> User, total decimal",
        &["user_id uuid NOT NULL", "REFERENCES users (id)", "total numeric"],
        1,
    ),
    (
        "sql-schema-generator",
        "User: id int pk, firstName string, orders -> Order[]; Order: id int pk, total decimal",
        &["first_name text", "REFERENCES users (id)"],
        0,
    ),
    (
        "status-report",
        "since 2026-03-10 until 2026-03-10",
        &["Changed 2026-03-10 until 2026-03-10", "| stories | 21 |"],
        1,
    ),
    ("status-report", "since monday", &["Changed since 2026-03-09"], 1),
    (
        "story-skeleton",
        "As readers, we'd like to search by author so that we find all books of one",
        &["- **As** readers", "to search by author"],
        2,
    ),
    ("story-skeleton", "Password reset", &["Password reset"], 5),
    (
        "tech-debt-register",
        "the load test is run by hand; impact 3 urgency 3 effort 2 story US-0008",
        &["Scored items: 1", "The load test is run by hand", "| 4.5 | US-0008 |"],
        0,
    ),
    (
        "tech-debt-register",
        "No retry when the mailer is down",
        &["Items without all figures: 1", "No retry when the mailer is down"],
        2,
    ),
    (
        "test-case-generator",
        "As a shopper I want to pay by card so that I need no cash",
        &["TC-story-E1", "I pay by card", "<what happens when it fails>"],
        0,
    ),
    (
        "test-case-generator",
        "A password has at least 8 characters",
        &["Given 7 characters", "Then <what happens with 7 characters>"],
        1,
    ),
    (
        "type-definitions",
        "User: id, email?, role enum(admin|user), orders -> Order[]; Order: total decimal",
        &["email?: string", "role: \"admin\" | \"user\"", "orders: Order[]"],
        1,
    ),
    (
        "type-definitions",
        "Book: isbn, pages int, published date?",
        &["isbn: string", "published?: string"],
        1,
    ),
    (
        "validation-schema-generator",
        "Account: email email, age int min 18 max 99, name string max 80",
        &["email: z.email()", ".min(18).max(99)", ".max(80)"],
        0,
    ),
    (
        "validation-schema-generator",
        "Order: number int min 1, lines Line[]; Line: amount number min 1",
        &["lines: z.array(Line)", ".min(1)"],
        0,
    ),
];

#[test]
fn each_skill_makes_something_of_two_sentences() {
    let mut wrong = Vec::new();
    for (skill, text, wanted, open) in SAID {
        let output = match made(skill, text) {
            Ok(output) => output,
            Err(fault) => {
                wrong.push(format!("{skill}: {text}: {fault}"));
                continue;
            }
        };
        let written = &output.artifacts[0].text;
        for part in wanted.iter().filter(|part| !written.contains(**part)) {
            wrong.push(format!("{skill}: {text}: no {part:?} in\n{written}"));
        }
        if output.open.len() != *open {
            wrong.push(format!("{skill}: {text}: {:?}", output.open));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for skill in catalog::names() {
        assert_eq!(SAID.iter().filter(|(name, ..)| *name == skill).count(), 2, "{skill}");
    }
}

#[test]
fn entities_that_cannot_be_read_are_named() {
    for (text, part) in [
        ("A: x -> B; B: y int", "a reference to a field of B: y"),
        ("A: x -> C", "a reference to one of: A"),
        ("A: id; A: id", "defined twice"),
        (
            &format!(
                "A: {}",
                (0..1_001).map(|at| format!("x{at} int")).collect::<Vec<_>>().join(", ")
            ),
            "over the limit of 1000 fields",
        ),
        (
            &(0..2_001).map(|at| format!("A{at}: x int")).collect::<Vec<_>>().join("; "),
            "over the limit of 2000 entities",
        ),
        ("the weather is nice", "is not an entity"),
    ] {
        let fault = made("type-definitions", text).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
}

#[test]
fn what_is_left_out_of_a_model_is_computed_or_asked() {
    let model = |text: &str| made("type-definitions", text).unwrap();
    let kind = |output: &Output, entity: &str, key: &str| {
        let own = &output.data["entities"][entity]["shape"]["object"]["properties"][key];
        json!([own["types"], own["string"]["format"]])
    };
    let output =
        model("A: id uuid pk, at; B: id, a -> A, b -> B.id, at timestamp, c -> A optional");
    for (entity, key, wanted) in [
        ("B", "id", json!([["string"], "uuid"])),
        ("B", "a", json!([["string"], "uuid"])),
        ("B", "b", json!([["string"], "uuid"])),
        ("A", "at", json!([["string"], "date-time"])),
        ("B", "c", json!([["string"], "uuid"])),
    ] {
        assert_eq!(kind(&output, entity, key), wanted, "{entity}.{key}");
    }
    assert_eq!(output.open.len(), 2, "{:?}", output.open);
    assert!(output.open[1].contains("id is uuid and the primary key"), "{:?}", output.open);
    // The next skill is also informed that a type is a guess.
    let input =
        Input { upstream: Some(("type-definitions".into(), output.data)), ..Input::default() };
    let next = run_once("sql-schema-generator", &input, &context(Path::new("."))).unwrap();
    assert_eq!(next.open, output.open);
}

#[test]
fn tables_from_sentences_run() {
    if !judge::are_there(&["sqlite3"]) {
        return;
    }
    let texts = SAID.iter().filter(|(skill, ..)| *skill == "sql-schema-generator");
    for (_, text, ..) in texts {
        let fields = json!({ "source": text, "dialect": "sqlite" });
        let output = make("sql-schema-generator", fields).unwrap();
        let script: String =
            output.artifacts.iter().map(|artifact| artifact.text.as_str()).collect();
        let ran = Command::new("sqlite3")
            .args(["-bail", ":memory:", &format!("SELECT 0;{script}")])
            .output()
            .unwrap();
        assert!(ran.status.success(), "{script}{}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// Long texts of every kind for every skill: the result is an artifact or a fault, in time proportional to the
/// length.
#[test]
fn much_text_of_any_kind_is_answered() {
    const SIZE: usize = 20_000;
    let repeated = |part: &str| part.repeat(SIZE / part.len());
    let counted = |part: &str| {
        let parts = (0..SIZE / (part.len() + 4)).map(|at| part.replace('#', &at.to_string()));
        parts.collect::<String>()
    };
    let texts = [
        repeated("a -> b; "),
        repeated("x calls y, and "),
        counted("A#: id, b -> A#\n"),
        counted("list u# and "),
        format!("move {} from a to b", counted("t#, ")),
        format!("GET /a;{}", repeated("404;")),
        counted("GET /a#; "),
        repeated("' \" ( [ "),
        repeated("a [b] -> c [d: "),
    ];
    let (mut answered, mut wrong) = (0, Vec::new());
    for skill in catalog::names() {
        for text in &texts {
            match made(skill, text) {
                Ok(output) => answered += usize::from(!output.artifacts.is_empty()),
                Err(fault) if fault.to_string().chars().count() > 1_000 => {
                    wrong.push(format!(
                        "{skill}: {}",
                        fault.to_string().chars().take(200).collect::<String>()
                    ));
                }
                Err(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(answered > 50, "{answered}");
}

#[test]
fn commits_become_a_changelog_and_that_a_pull_request() {
    let feed = |skill: &str, before: &str, output: &Output, fields: Value| {
        let Value::Object(fields) = fields else { panic!("fields are an object") };
        let input = Input { fields, upstream: Some((before.into(), output.data.clone())) };
        run_once(skill, &input, &context(Path::new("."))).unwrap()
    };
    let message = made("commit-message-formatter", "feat(api)!: show prices").unwrap();
    let more = json!({ "changes": ["Fixed: a *crash*", "Security: a leak"], "version": "2.0.0" });
    let log = feed("changelog-entry", "commit-message-formatter", &message, more);
    assert_eq!(log.data["changes"].as_array().unwrap().len(), 3);
    let request = feed("pr-description", "changelog-entry", &log, json!({}));
    let text = &request.artifacts[0].text;
    assert!(text.starts_with("# Release 2.0.0\n"), "{text}");
    for part in ["Show prices", "a \\*crash\\*", "a leak"] {
        assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
    }
    assert!(text.contains("### Other changes\n") && text.contains("### Fixes\n"), "{text}");
    assert!(text.contains("What breaks is described"), "{text}");
    assert!(!text.contains("\\#"), "the changelog's own text is no summary: {text}");
    judge::markdown(std::slice::from_ref(text));
    let mine = feed("pr-description", "changelog-entry", &log, json!({ "title": "Mine" }));
    assert!(mine.artifacts[0].text.starts_with("# Mine\n"));
}
