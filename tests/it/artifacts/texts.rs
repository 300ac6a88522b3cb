//! Plain text as input: what a user might write to the reports, and much text of any kind to each skill.

use std::path::Path;
use std::process::Command;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::{Fault, Output};
use flow::skill::runtime::catalog;
use serde_json::json;

use super::judge;
use super::making::{context, make};

fn made(skill: &str, text: &str) -> Result<Output, Fault> {
    let row = find(skill).unwrap();
    let request = Request { contents: vec![text.as_bytes().to_vec()], ..Request::default() };
    row.run(&row.place(&request)?, &context(Path::new(".")))
}

/// A skill, the text for it, texts that the artifact must contain, and the number of open questions.
type Said = (&'static str, &'static str, &'static [&'static str], usize);

const SAID: &[Said] = &[
    ("agent-brief", "Let a reader pay with a voucher", &["# Let a reader", "add criteria="], 1),
    ("agent-brief", "US-0020", &["# US-0020: Accessibility pass", "US-0005 (in-progress)"], 0),
    ("blocker-analysis", "US-0004", &["Scope: the story US-0004", "| US-0004 |"], 0),
    (
        "blocker-analysis",
        "US-0020",
        &["14 of 21 stories are open, 5 of them here", "| US-0004 |"],
        0,
    ),
    ("epic-planner", "EP-0002", &["# EP-0002: Payments", "in 3 waves", "## Wave 3"], 0),
    (
        "epic-planner",
        "Returns\n- Ask for a label (3)\n- Refund when the parcel is back (5) after 1",
        &["# EP-0004: Returns", "8 points, in 2 waves"],
        2,
    ),
    ("handoff-note", "story US-0019", &["# Handoff of the story US-0019", "(task task-0010;"], 1),
    ("handoff-note", "US-0020", &["# Handoff of the story US-0020", "## Not begun"], 1),
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
    ("sprint-planner", "Capacity: 8\nOwner: ui", &["8 of 8 points", "Planned for agent ui."], 0),
    (
        "status-report",
        "since 2026-03-10 until 2026-03-10",
        &["Changed 2026-03-10 until 2026-03-10", "| stories | 21 |"],
        1,
    ),
    ("status-report", "since monday", &["Changed since 2026-03-09"], 1),
];

#[test]
fn each_report_makes_something_of_two_sentences() {
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
}

#[test]
fn tables_from_sentences_run() {
    if !judge::are_there(&["sqlite3"]) {
        return;
    }
    for text in [
        "User: id uuid pk, email string unique; Order: id, user -> User, total decimal",
        "User: id int pk, firstName string, orders -> Order[]; Order: id int pk, total decimal",
    ] {
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
        repeated("ui "),
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
