//! `retro-facilitator`: the figures of a time span, computed from the messages of the log and the dates of the records,
//! and the evidence of what went well and what went badly. It asks no questions and judges nothing.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::report;
use super::report::{Board, Completion, Fields, Log, Page, Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section as Part};
use crate::project_state::message::unanswered;
use crate::project_state::say::name;
use crate::project_state::{Context, Kind, Message, Snapshot};
use crate::text::line;

const NAME: &str = "retro-facilitator";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify_again(text, context, &FORM, &[], generate)),
};

const SECTIONS: &[Part] = &[Part::named("Figures", &[])];
const FORM: Form = Form { questions: Questions::OfRecords, ..Form::new("# Title", SECTIONS) };

/// The time span of the retrospective. Default: all of time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The beginning: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until B`. Ids and names before it
    /// limit the retrospective: `EP-0001 since monday`.
    #[schemars(extend("x-labels" = ["From"]))]
    since: Option<Line>,
    /// The end, in the same forms; a date includes its whole day.
    until: Option<Line>,
    /// Ids of epics: only their stories and what concerns them.
    epic: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let fields = Fields {
        about: input.since.as_deref().map(|text| ("since", text)),
        until: input.until.as_deref(),
        ..Fields::of(input.epic.as_ref(), None)
    };
    let scope = Scope::read(&fields, &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let mut board = Board::new(&project, &scope, &log);
    // Those of the span.
    board.unanswered = unanswered(&log.past);
    board.unanswered.retain(|question| scope.has_message(question));
    let figures = figures(&board);
    let phrase = (!scope.is_all()).then(|| format!("About the {} alone.", scope.phrase()));
    let page = Page {
        skill: NAME,
        file: "retrospective.md".to_owned(),
        title: "Retrospective".to_owned(),
        summary: vec![board.changed_line(), board.blocked_line(), board.waiting_line()],
        remarks: phrase.into_iter().collect(),
        sections: vec![
            Section::table(
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
        snapshot: &project,
        open: Vec::new(),
    };
    let counts = |counts: &[(&str, usize)]| {
        counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect()
    };
    let data = figures.iter().map(|(name, all)| ((*name).to_owned(), Value::Object(counts(all))));
    page.output(json!({"figures": data.collect::<Map<_, _>>()}))
}

const PASSED: Option<bool> = Some(true);
const REFUSED: Option<bool> = Some(false);
/// The counts of messages about tasks.
const TASKS: [(&str, Kind); 6] = [
    ("assigned", Kind::Assigned),
    ("started", Kind::Started),
    ("completed", Kind::Completed),
    ("failed", Kind::Failed),
    ("blocked", Kind::Blocked),
    ("cancelled", Kind::Cancelled),
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
        let of = |outcome| messages.iter().filter(|one| is(one, kind, outcome)).count();
        let (passed, refused) = (of(PASSED), of(REFUSED));
        let none = of(None) - passed - refused;
        vec![(good, passed), (bad, refused), ("without an outcome", none)]
    };
    let (asked, unanswered) = (count(Kind::Question), board.unanswered.len());
    let answered = asked - unanswered;
    [
        ("stories", vec![("completed", board.completed().len()), ("begun", board.begun().len())]),
        ("messages", vec![("sent", messages.len())]),
        ("messages about tasks", TASKS.map(|(name, kind)| (name, count(kind))).to_vec()),
        ("reviews", outcomes(Kind::Review, "accepted", "rejected")),
        ("gate checks", outcomes(Kind::Gate, "passed", "failed")),
        ("questions", vec![("asked", asked), ("answered", answered), ("unanswered", unanswered)]),
    ]
}

/// Whether a message is of a kind, and with this outcome if one is given.
fn is(message: &Message, kind: Kind, outcome: Option<bool>) -> bool {
    message.kind == kind && (outcome.is_none() || message.is_passed == outcome)
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

/// The messages of one kind, and with this outcome if one is given.
fn of(board: &Board<'_>, kind: Kind, outcome: Option<bool>) -> Vec<Value> {
    let messages = board.past.iter().filter(|message| is(message, kind, outcome));
    messages.map(|message| rows::excerpt(message)).collect()
}

fn well(board: &Board<'_>) -> Vec<Value> {
    let completed = board.completed();
    let stories = completed.iter().rev().map(|story| {
        rows::quote(&format!("{}: {}", line(&story.id), name(story)), &rows::cite_story(story))
    });
    let tasks = board.completions().iter().rev().map(Completion::row).collect();
    let groups = [
        group("Completed stories", stories.collect()),
        group("Completed tasks", tasks),
        group("Accepted reviews", of(board, Kind::Review, PASSED)),
        group("Passed checks", of(board, Kind::Gate, PASSED)),
    ];
    groups.into_iter().flatten().collect()
}

fn badly(board: &Board<'_>) -> Vec<Value> {
    let failed = board.failures().iter().rev().map(Completion::row).collect();
    let unanswered = board.unanswered.iter().map(|question| rows::excerpt(question)).collect();
    let groups = [
        group("Failed tasks", failed),
        group("Rejected reviews", of(board, Kind::Review, REFUSED)),
        group("Failed checks", of(board, Kind::Gate, REFUSED)),
        group("Blocks", of(board, Kind::Blocked, None)),
        group("Cancelled tasks", of(board, Kind::Cancelled, None)),
        group("Unanswered questions", unanswered),
    ];
    groups.into_iter().flatten().collect()
}
