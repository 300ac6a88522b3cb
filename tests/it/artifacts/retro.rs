//! `retro-facilitator`: its figures are those of a plain model over the raw log; the evidence has the same counts, with
//! existing messages.

use std::collections::{BTreeMap, BTreeSet};

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::logs::{Raw, cites, logs};
use super::making::make_in;

const NAME: &str = "retro-facilitator";
const DAY: i64 = 86_400_000;

/// Milliseconds since the beginning of March 2026, from a time in the format of the tests' logs.
fn moment(text: &str) -> Option<i64> {
    let rest = text.strip_prefix("2026-03-")?.strip_suffix('Z')?;
    let number = |from: usize, to: usize| rest.get(from..to)?.parse::<i64>().ok();
    let fraction = match rest.get(11..) {
        None | Some("") => 0,
        Some(fraction) => fraction.strip_prefix('.')?.parse::<i64>().ok()?,
    };
    let seconds = number(3, 5)? * 3600 + number(6, 8)? * 60 + number(9, 11)?;
    Some((number(0, 2)? - 1) * DAY + seconds * 1000 + fraction)
}

/// A field of a message in the model: the first of several names that is not null.
fn first<'a>(message: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| message.get(*name).filter(|value| !value.is_null()))
}

fn text<'a>(message: &'a Value, names: &[&str]) -> Option<&'a str> {
    first(message, names)?.as_str()
}

fn at(message: &Value) -> Option<i64> {
    text(message, &["timestamp", "ts", "at"]).and_then(moment)
}

fn kind(message: &Value) -> String {
    let spelt = text(message, &["type"]).unwrap_or_default().to_lowercase();
    let spelt = spelt.replace(['-', ' '], "_");
    spelt.strip_prefix("agent_").unwrap_or(&spelt).to_owned()
}

fn story(message: &Value) -> Option<&Value> {
    first(message, &["story_id", "story", "storyId"])
}

fn from(message: &Value) -> Option<&str> {
    text(message, &["from", "agent", "sender"])
}

/// The receiver of a question or an answer; none if it is everybody.
fn to(message: &Value) -> Option<&str> {
    text(message, &["to"]).filter(|to| *to != "all")
}

/// The answers by trying every question for each: pairs of positions in the log.
fn answers(messages: &[&Value]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for (place, answer) in
        messages.iter().enumerate().filter(|(_, message)| kind(message) == "answer")
    {
        let fits = |(_, question): &(usize, &&Value)| {
            kind(question) == "question"
                && story(question) == story(answer)
                && from(question).is_some()
                && from(question) == to(answer)
                && (to(question) == from(answer)
                    || (to(question).is_none() && from(question) != from(answer)))
                && from(answer).is_some()
        };
        let before = messages[..place].iter().enumerate();
        let open = before.filter(|(at, _)| !found.contains_key(at)).find(fits).map(|(at, _)| at);
        if let Some(open) = open {
            found.insert(open, place);
        }
    }
    found
}

/// What a message says of its outcome.
fn outcome(message: &Value) -> &'static str {
    let names = "approved accepted passed success ok result outcome verdict status".split(' ');
    let said = names.map(|name| match &message[name] {
        Value::Bool(true) => "good",
        Value::Bool(false) => "bad",
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "" => "none",
            "yes" | "passed" | "green" => "good",
            "failed" | "rejected" => "bad",
            _ => "other",
        },
        _ => "none",
    });
    let said: Vec<&str> = said.filter(|said| *said != "none").collect();
    let known = said.iter().find(|said| **said != "other");
    known.or(said.first()).copied().unwrap_or("none")
}

/// The expected figures for these messages, all of the log or those of a time range.
fn model(messages: &[&Value]) -> Value {
    let count = |name: &[&str]| {
        messages.iter().filter(|found| name.contains(&kind(found).as_str())).count()
    };
    let outcome = |name: &str, wanted: &str| {
        messages.iter().filter(|found| kind(found) == name && outcome(found) == wanted).count()
    };
    let answers = answers(messages);
    let asked = count(&["question"]);
    json!({
        "messages": {"sent": messages.len()},
        "messages about tasks": {
            "assigned": count(&["task_assignment", "task_assigned"]), "started": count(&["task_started"]),
            "completed": count(&["task_completed"]), "failed": count(&["task_failed"]), "blocked": count(&["blocked"]),
            "cancelled": count(&["task_cancelled", "task_canceled"]),
        },
        "reviews": {
            "accepted": outcome("review_done", "good"), "rejected": outcome("review_done", "bad"),
            "with another outcome": outcome("review_done", "other"),
            "without an outcome": outcome("review_done", "none"),
        },
        "gate checks": {
            "passed": outcome("gate_check", "good"), "failed": outcome("gate_check", "bad"),
            "with another outcome": outcome("gate_check", "other"),
            "without an outcome": outcome("gate_check", "none"),
        },
        "questions": {"asked": asked, "answered": answers.len(), "unanswered": asked - answers.len()},
    })
}

/// Compares an output with the model of the messages in the range.
#[track_caller]
fn check(output: &Output, raw: &Raw, is_in: impl Fn(&Value) -> bool) {
    let all = raw.messages();
    let messages: Vec<&Value> = all.iter().filter(|message| is_in(message)).collect();
    let mut figures = output.data["figures"].clone();
    figures.as_object_mut().unwrap().remove("stories");
    assert_eq!(figures, model(&messages));
    let known: BTreeSet<String> = messages.iter().map(|message| Raw::cite(message)).collect();
    let groups = ["well", "badly"].map(|key| &output.data[key]);
    let mut cited: Vec<String> = groups.iter().flat_map(|list| cites(list)).collect();
    cited.retain(|cite| match cite.strip_prefix("story ") {
        Some(id) => {
            assert!(raw.status["stories"].get(id).is_some(), "{id}");
            false
        }
        None => true,
    });
    assert!(cited.iter().all(|cite| known.contains(cite)), "{cited:?}");
    let counted = |list: &str, what: &str| {
        let rows = output.data[list]["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["what"] == what)
            .map(|row| row["count"].as_u64().unwrap())
            .sum::<u64>()
    };
    let figures = &output.data["figures"];
    for (list, what, figure) in [
        ("well", "Accepted reviews", &figures["reviews"]["accepted"]),
        ("well", "Passed checks", &figures["gate checks"]["passed"]),
        ("badly", "Rejected reviews", &figures["reviews"]["rejected"]),
        ("badly", "Failed checks", &figures["gate checks"]["failed"]),
        ("badly", "Blocks", &figures["messages about tasks"]["blocked"]),
        ("badly", "Cancelled tasks", &figures["messages about tasks"]["cancelled"]),
        ("badly", "Unanswered questions", &figures["questions"]["unanswered"]),
    ] {
        assert_eq!(json!(counted(list, what)), *figure, "{what}");
    }
    assert_eq!(output.open, Vec::<String>::new(), "no questions");
}

/// Messages with members that only look like what is counted.
fn odd() -> Vec<Value> {
    vec![
        json!({"type": "task_completed", "duration_ms": u64::from(u32::MAX) * 1_000_000, "from": 7, "at": "2026-03-09T00:00:00Z"}),
        json!({"type": "task_completed", "duration_ms": -5, "from": {"a|b": 1}}),
        json!({"type": "task_completed", "duration_ms": 1.5, "from": ""}),
        json!({"type": "task_completed", "duration_ms": "7", "to": []}),
        json!({"type": "gate_check", "passed": "yes"}),
        json!({"type": "gate_check", "result": "failed", "passed": null}),
        json!({"type": "gate_check", "result": "3 of 20", "status": "Green"}),
        json!({"type": "gate_check", "result": "flaky", "ok": 1}),
        json!({"type": "review_done", "verdict": "rejected", "approved": true}),
        json!({"type": "answer", "from": "a", "to": "b"}),
        json!({"type": "question", "to": "a"}),
        json!({"type": null, "from": null}),
    ]
}

#[test]
fn the_figures_of_any_log_are_those_of_the_model() {
    crate::oracle::messy::run(48, &logs(120), |messages| {
        let raw = Raw::of_log(&[messages, odd()].concat());
        let folder = tempfile::tempdir().unwrap();
        let context = raw.open(folder.path());
        check(&make_in(NAME, json!({}), &context).unwrap(), &raw, |_| true);
        let day = make_in(NAME, json!({"since": "2026-03-10", "until": "2026-03-10"}), &context);
        check(&day.unwrap(), &raw, |message| at(message).is_some_and(|at| at / DAY == 9));
    });
}
