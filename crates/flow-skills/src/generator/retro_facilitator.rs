//! `retro-facilitator`: the figures of a time span, computed from the messages of the log and the dates of the records,
//! and the evidence of what went well and what went badly. It asks no questions and judges nothing.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Listing, Log, Report, Times, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section};
use crate::project_state::message::unanswered;
use crate::project_state::say::name;
use crate::project_state::{Context, Message, MessageKind, Snapshot};
use crate::text::line;

const NAME: &str = "retro-facilitator";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Times>() },
    needs: Needs::Nothing,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify_again(text, context, &FORM, &[], generate)),
};

const SECTIONS: &[Section] = &[Section::named("Figures", &[])];
const FORM: Form = Form { questions: Questions::OfRecords, ..Form::new("# Title", SECTIONS) };

fn generate(input: &Times, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let scope = input.scope(None, &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let mut board = Board::new(&project, &scope, &log);
    // Those of the span.
    board.unanswered = unanswered(&log.past);
    board.unanswered.retain(|question| scope.has_message(question));
    let figures = figures(&board);
    let report = Report {
        summary: vec![board.changed_line()],
        remarks: scope.remarks(&project),
        sections: vec![
            Listing::table(
                "table",
                "Figures",
                "figure=name, value",
                &figures,
                |(name, counts)| json!({"name": name, "value": shown(counts)}),
            ),
            rows::list("well", "What went well", &well(&board)),
            rows::list("badly", "What went badly", &badly(&board)),
            board.taken_back_section(),
        ],
        ..Report::of(NAME, "retrospective.md", "Retrospective", &project)
    };
    let counts = |counts: Vec<(&str, usize)>| json!(counts.into_iter().collect::<IndexMap<_, _>>());
    let data = figures.into_iter().map(|(name, all)| (name, counts(all)));
    report.output(json!({"figures": data.collect::<IndexMap<_, _>>()}))
}

/// The counts of messages about tasks.
const TASKS: [(&str, MessageKind); 6] = [
    ("assigned", MessageKind::Assigned),
    ("started", MessageKind::Started),
    ("completed", MessageKind::Completed),
    ("failed", MessageKind::Failed),
    ("blocked", MessageKind::Blocked),
    ("cancelled", MessageKind::Cancelled),
];

/// A subject, and how many there are of it by outcome.
type Figure = (&'static str, Vec<(&'static str, usize)>);

/// The outcomes that there are: `5 completed, 2 begun`.
fn shown(counts: &[(&str, usize)]) -> String {
    let shown = counts.iter().filter(|(_, count)| *count > 0);
    let shown = shown.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>();
    if shown.is_empty() { "0".to_owned() } else { shown.join(", ") }
}

fn figures(board: &Board<'_>) -> [Figure; 6] {
    let messages = &board.past;
    let count = |kind| messages.iter().filter(|message| message.kind == kind).count();
    let outcomes = |kind, good, bad| {
        let count = |outcome| with_outcome(board, kind, outcome).count();
        let other = with_outcome(board, kind, None).filter(|one| one.outcome.is_some()).count();
        vec![
            (good, count(Some(true))),
            (bad, count(Some(false))),
            ("with another outcome", other),
            ("without an outcome", count(None) - other),
        ]
    };
    let (asked, unanswered) = (count(MessageKind::Question), board.unanswered.len());
    let answered = asked - unanswered;
    [
        ("stories", vec![("completed", board.completed().len()), ("begun", board.begun().len())]),
        ("messages", vec![("sent", messages.len())]),
        ("messages about tasks", TASKS.map(|(name, kind)| (name, count(kind))).to_vec()),
        ("reviews", outcomes(MessageKind::Review, "accepted", "rejected")),
        ("gate checks", outcomes(MessageKind::Gate, "passed", "failed")),
        ("questions", vec![("asked", asked), ("answered", answered), ("unanswered", unanswered)]),
    ]
}

/// The messages of a kind that say this of its outcome: accepted or passed, the opposite, or nothing.
fn with_outcome<'a>(
    board: &Board<'a>,
    kind: MessageKind,
    outcome: Option<bool>,
) -> impl Iterator<Item = &'a Message> {
    let messages = board.past.iter().copied();
    messages.filter(move |message| message.kind == kind && message.is_passed() == outcome)
}

/// Largest number of messages or records that are shown of a group, the newest.
const SHOWN: usize = 3;

/// A group of evidence with its count, oldest first; `None` without any.
fn group(what: &str, mut all: Vec<Value>) -> Option<Value> {
    let count = all.len();
    let below = all.split_off(count.saturating_sub(SHOWN));
    let newest = if all.is_empty() { String::new() } else { format!(", the newest {SHOWN}") };
    let said = format!("{what}: {count}{newest}");
    (count > 0).then(|| json!({"what": what, "count": count, "said": said, "below": below}))
}

fn excerpts<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<Value> {
    messages.map(rows::excerpt).collect()
}

fn well(board: &Board<'_>) -> Vec<Value> {
    let completed = board.completed();
    let stories = completed.iter().rev().map(|story| {
        rows::cited(&format!("{}: {}", line(&story.id), name(story)), &rows::cite_story(story))
    });
    let tasks = board.ended("completed").into_iter().rev().collect();
    let groups = [
        group("Completed stories", stories.collect()),
        group("Completed tasks", tasks),
        group("Accepted reviews", excerpts(with_outcome(board, MessageKind::Review, Some(true)))),
        group("Passed checks", excerpts(with_outcome(board, MessageKind::Gate, Some(true)))),
    ];
    groups.into_iter().flatten().collect()
}

fn badly(board: &Board<'_>) -> Vec<Value> {
    let failed = board.ended("failed").into_iter().rev().collect();
    let unanswered = excerpts(board.unanswered.iter().copied());
    let of_kind =
        |kind| excerpts(board.past.iter().copied().filter(|message| message.kind == kind));
    let groups = [
        group("Failed tasks", failed),
        group("Rejected reviews", excerpts(with_outcome(board, MessageKind::Review, Some(false)))),
        group("Failed checks", excerpts(with_outcome(board, MessageKind::Gate, Some(false)))),
        group("Blocks", of_kind(MessageKind::Blocked)),
        group("Cancelled tasks", of_kind(MessageKind::Cancelled)),
        group("Unanswered questions", unanswered),
    ];
    groups.into_iter().flatten().collect()
}
