//! `retro-facilitator`: the figures of a time span, computed from the messages of the log and the dates of the records,
//! and the evidence of what went well, what went badly, and what is still open. It asks no questions and judges nothing.

use std::collections::{HashMap, HashSet};

use flow_model::time;
use flow_model::time::Edge;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::report;
use super::report::{Board, Completion, Fields, Log, Page, Project, Scope, Section, rows};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind as Gives;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::typed;
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section as Part};
use crate::project_state::exchange::{Exchange, exchanges};
use crate::project_state::say::{counted, name};
use crate::project_state::{Context, Kind, Message, Story, Verdict};
use crate::text::line;

const NAME: &str = "retro-facilitator";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &FORM, again(context).as_ref())),
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

/// The report of the present state without any field.
fn again(context: &Context) -> Option<Output> {
    generate(&typed::read(&Map::new()).ok()?, context).ok()
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Project::read(context)?.with_records()?;
    let fields = Fields {
        about: input.since.as_deref().map(|text| ("since", text)),
        until: input.until.as_deref(),
        ..Fields::of(input.epic.as_ref(), None)
    };
    let scope = Scope::read(&fields, &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let mut board = Board::new(&project, &scope, &log);
    let mut exchanges = exchanges(&log.past);
    exchanges.retain(|exchange| scope.has_message(exchange.question));
    let unanswered = exchanges.iter().filter(|exchange| exchange.answer.is_none());
    board.unanswered = unanswered.map(|exchange| exchange.question).collect();
    let figures = Figures::count(&board, &exchanges);
    let rows = figures.rows();
    let mut remarks = Vec::new();
    if !scope.is_all() {
        remarks.push(format!("About the {} alone.", scope.phrase()));
    }
    let page = Page {
        skill: NAME,
        file: "retrospective.md".to_owned(),
        title: "Retrospective".to_owned(),
        summary: vec![board.changed_line(), board.blocked_line(), board.waiting_line()],
        remarks,
        sections: vec![
            Section::table(
                "table",
                "Figures",
                "figure=name, value",
                &rows,
                |(name, value)| json!({"name": name, "value": value}),
            ),
            rows::list("well", "What went well", &well(&board)),
            rows::list("badly", "What went badly", &badly(&board, &figures)),
            board.taken_back_section(),
            rows::list("open", "Still open", &open(&board)),
        ],
        snapshot: &project.snapshot,
        open: Vec::new(),
    };
    page.output(json!({
        "span": {"since": scope.span.since, "until": scope.span.until},
        "figures": figures.data(),
    }))
}

/// A day in nanoseconds.
const DAY: i64 = 86_400_000_000_000;
/// The counts of messages about tasks.
const TASKS: [(&str, Kind); 6] = [
    ("assigned", Kind::Assigned),
    ("started", Kind::Started),
    ("completed", Kind::Completed),
    ("failed", Kind::Failed),
    ("blocked", Kind::Blocked),
    ("cancelled", Kind::Cancelled),
];

/// The figures of one subject.
#[derive(Debug)]
struct Figure {
    /// Its name in the data.
    key: &'static str,
    /// Its name in the table.
    name: &'static str,
    /// How many there are of each outcome.
    counts: Vec<(&'static str, usize)>,
    /// What is timed, as the table names it, and how long it took.
    time: Option<(&'static str, Durations)>,
}

impl Figure {
    fn data(&self) -> Value {
        let counts = self.counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count)));
        let times = self.time.iter().flat_map(|(_, times)| times.data());
        counts.chain(times).collect::<Map<_, _>>().into()
    }

    /// Its rows of the table, which may be empty.
    fn rows(&self) -> impl Iterator<Item = (&'static str, String)> {
        let shown = self.counts.iter().filter(|(_, count)| *count > 0);
        let counts = shown.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>();
        let time = self.time.iter().map(|(name, times)| (*name, times.text()));
        std::iter::once((self.name, counts.join(", "))).chain(time)
    }
}

#[derive(Debug)]
struct Figures<'a> {
    stories: Figure,
    messages: usize,
    days: usize,
    /// Those of messages.
    others: Vec<Figure>,
    /// The completed tasks with a duration, shortest first.
    timed: Vec<(u64, &'a Message)>,
    task_times: Durations,
}

impl<'a> Figures<'a> {
    fn count(board: &Board<'a>, exchanges: &[Exchange<'_>]) -> Self {
        let messages = &board.past;
        let days: HashSet<i64> =
            messages.iter().filter_map(|message| Some(message.at?.div_euclid(DAY))).collect();
        let mut kinds: HashMap<(Kind, Option<Verdict>), usize> = HashMap::new();
        for message in messages {
            *kinds.entry((message.kind, message.verdict)).or_default() += 1;
        }
        let of = |kind, verdict| kinds.get(&(kind, verdict)).copied().unwrap_or_default();
        let all = |kind| of(kind, None) + of(kind, PASSED) + of(kind, REFUSED);
        let outcomes = |kind, good, bad| {
            let none = ("without an outcome", of(kind, None));
            vec![(good, of(kind, PASSED)), (bad, of(kind, REFUSED)), none]
        };
        let done = messages.iter().filter(|message| message.kind == Kind::Completed).copied();
        let mut timed: Vec<(u64, &Message)> =
            done.filter_map(|message| Some((message.duration_ms?, message))).collect();
        timed.sort_by_key(|(took, _)| *took);
        let completed = board.completed();
        let took = Durations::of(completed.iter().filter_map(|story| took_ms(story)));
        let waits = Durations::of(exchanges.iter().filter_map(Exchange::waited_ms));
        let answered = exchanges.iter().filter(|exchange| exchange.answer.is_some()).count();
        let asked = vec![
            ("asked", exchanges.len()),
            ("answered", answered),
            ("unanswered", exchanges.len() - answered),
        ];
        let stories = vec![("completed", completed.len()), ("begun", board.begun().len())];
        let figure = |key, name, counts, time| Figure { key, name, counts, time };
        let tasks = TASKS.map(|(name, kind)| (name, all(kind))).to_vec();
        Self {
            stories: figure("stories", "stories", stories, Some(("time of a story", took))),
            messages: messages.len(),
            days: days.len(),
            others: vec![
                figure("tasks", "messages about tasks", tasks, None),
                figure("reviews", "reviews", outcomes(Kind::Review, "accepted", "rejected"), None),
                figure("gates", "gate checks", outcomes(Kind::Gate, "passed", "failed"), None),
                figure("questions", "questions", asked, Some(("time to an answer", waits))),
            ],
            task_times: Durations::of(timed.iter().map(|(took, _)| *took)),
            timed,
        }
    }

    /// The message about the task that took longest.
    fn longest(&self) -> Option<String> {
        self.timed.last().map(|(_, message)| message.cite())
    }

    /// As JSON; times in milliseconds.
    fn data(&self) -> Value {
        let mut durations: Map<_, _> = self.task_times.data().into_iter().collect();
        durations.insert("cite".to_owned(), json!(self.longest()));
        let mut data = json!({
            "messages": self.messages, "days": self.days, "durations": durations,
        });
        for figure in std::iter::once(&self.stories).chain(&self.others) {
            data[figure.key] = figure.data();
        }
        data
    }

    /// The rows of the table of figures: a row for each subject that has any.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let messages = match self.days {
            0 => self.messages.to_string(),
            days => format!("{} on {}", self.messages, counted(days, "day", "days")),
        };
        let cite = self.longest().map(|cite| format!(" ({cite})")).unwrap_or_default();
        let others = self.others.iter().flat_map(Figure::rows);
        let rows = self.stories.rows().chain([("messages", messages)]).chain(others);
        let rows = rows.chain([("time of a task", self.task_times.text() + &cite)]);
        rows.filter(|(_, value)| !value.is_empty()).collect()
    }
}

/// The duration of a story; `None` if its record does not have both times in order, one of them is a date without a time,
/// or both are the same date.
fn took_ms(story: &Story) -> Option<u64> {
    let (first, last) = (story.started_at.as_deref()?, story.completed_at.as_deref()?);
    let is_date = |text: &str| !text.contains(':');
    if is_date(first) != is_date(last) || is_date(first) && first == last {
        return None;
    }
    let at = |text| time::parse(text, Edge::Start);
    let nanoseconds = i128::from(at(last)?) - i128::from(at(first)?);
    u64::try_from(nanoseconds / 1_000_000).ok().filter(|_| nanoseconds >= 0)
}

/// Largest number of messages or records that are shown of a group, the newest.
const SHOWN: usize = 3;
const PASSED: Option<Verdict> = Some(Verdict::Passed);
const REFUSED: Option<Verdict> = Some(Verdict::Refused);

type Test = fn(&Message) -> bool;

/// What stops work, and the later messages about the same story or task that settle it.
const STOPS: [(&str, Test, Test); 4] = [
    (
        "Failed tasks not completed since",
        |one| is(one, Kind::Failed, None),
        |one| is(one, Kind::Completed, None),
    ),
    (
        "Rejected reviews not accepted since",
        |one| is(one, Kind::Review, REFUSED),
        |one| is(one, Kind::Review, PASSED),
    ),
    (
        "Failed checks not passed since",
        |one| is(one, Kind::Gate, REFUSED),
        |one| is(one, Kind::Gate, PASSED),
    ),
    (
        "Blocks not lifted",
        |one| is(one, Kind::Blocked, None),
        |one| matches!(one.kind, Kind::Unblocked | Kind::Started | Kind::Completed),
    ),
];

fn is(message: &Message, kind: Kind, verdict: Option<Verdict>) -> bool {
    message.kind == kind && (verdict.is_none() || message.verdict == verdict)
}

/// A group of evidence with its count, oldest first; `None` without any.
fn group(what: &str, mut all: Vec<Value>) -> Option<Value> {
    let count = all.len();
    let below = all.split_off(count.saturating_sub(SHOWN));
    let newest = if all.is_empty() { String::new() } else { format!(", the newest {SHOWN}") };
    let said = format!("{what}: {count}{newest}");
    (count > 0).then(|| json!({"what": what, "count": count, "said": said, "below": below}))
}

/// The messages of one kind and outcome.
fn of(board: &Board<'_>, what: &str, kind: Kind, verdict: Option<Verdict>) -> Option<Value> {
    let messages = board.past.iter().filter(|message| is(message, kind, verdict));
    group(what, messages.map(|message| rows::excerpt(message)).collect())
}

fn well(board: &Board<'_>) -> Vec<Value> {
    let story = |story: &&Story| {
        rows::quote(&format!("{}: {}", line(&story.id), name(story)), &rows::cite_story(story))
    };
    let stories = board.completed().iter().rev().map(story).collect();
    let tasks = board.completions().iter().rev().map(Completion::row).collect();
    let groups = [
        group("Completed stories", stories),
        group("Completed tasks", tasks),
        of(board, "Accepted reviews", Kind::Review, PASSED),
        of(board, "Passed checks", Kind::Gate, PASSED),
    ];
    groups.into_iter().flatten().collect()
}

fn badly(board: &Board<'_>, figures: &Figures<'_>) -> Vec<Value> {
    let failed = board.past.iter().filter(|message| is(message, Kind::Failed, None));
    let untold = board.untold_failures();
    let failed = untold.iter().map(Completion::row).chain(failed.map(|one| rows::excerpt(one)));
    let mut groups = vec![
        group("Failed tasks", failed.collect()),
        of(board, "Rejected reviews", Kind::Review, REFUSED),
        of(board, "Failed checks", Kind::Gate, REFUSED),
        of(board, "Blocks", Kind::Blocked, None),
        of(board, "Cancelled tasks", Kind::Cancelled, None),
    ];
    if let Some(median) = figures.task_times.median().filter(|_| figures.timed.len() > 2) {
        let long = figures.timed.iter().filter(|(took, _)| took.saturating_sub(median) > median);
        let long = long.map(|(took, message)| {
            let subject = message.subject().map(|subject| format!("{subject}: "));
            rows::quote(&format!("{}{}", subject.unwrap_or_default(), show(*took)), &message.cite())
        });
        let what = format!("Tasks over twice the median of {}", show(median));
        groups.push(group(&what, long.collect()));
    }
    groups.into_iter().flatten().collect()
}

/// What stopped work and is not settled, by what it is about: neither by a later message nor by the completion of its
/// story.
fn open(board: &Board<'_>) -> Vec<Value> {
    let completed: HashSet<&str> =
        board.stories(Story::is_completed).into_iter().map(|story| story.id.as_str()).collect();
    let is_open = |one: &&Message| !one.story.as_deref().is_some_and(|id| completed.contains(id));
    let about = |message: &Message| {
        rows::quote(&message.subject().unwrap_or_else(|| message.cite()), &message.cite())
    };
    let mut groups = Vec::new();
    for (what, stops, settles) in STOPS {
        let open = unsettled(&board.past, stops, settles);
        groups.push(group(what, open.into_iter().filter(is_open).map(about).collect()));
    }
    let asked = board.unanswered.iter().map(|question| rows::excerpt(question));
    groups.push(group("Unanswered questions", asked.collect()));
    groups.into_iter().flatten().collect()
}

/// The messages of one kind that no later message of another kind settles, about the same story, or the same task without
/// a story. Messages about neither stay.
fn unsettled<'a>(messages: &[&'a Message], stops: Test, settles: Test) -> Vec<&'a Message> {
    let mut settled = HashSet::new();
    let mut open = Vec::new();
    for message in messages.iter().rev() {
        let task = if message.story.is_none() { message.task.as_ref() } else { None };
        let about = (message.story.as_ref(), task);
        let is_about = message.story.is_some() || message.task.is_some();
        if settles(message) && is_about {
            settled.insert(about);
        } else if stops(message) && !settled.contains(&about) {
            open.push(*message);
        }
    }
    open.reverse();
    open
}

/// Durations in milliseconds, sorted.
#[derive(Debug)]
struct Durations(Vec<u64>);

impl Durations {
    fn of(all: impl Iterator<Item = u64>) -> Self {
        let mut all: Vec<u64> = all.collect();
        all.sort_unstable();
        Self(all)
    }

    /// The median, rounded down.
    fn median(&self) -> Option<u64> {
        let upper = *self.0.get(self.0.len() / 2)?;
        let lower = *self.0.get((self.0.len() - 1) / 2)?;
        Some(u64::midpoint(lower, upper))
    }

    /// Members of the data.
    fn data(&self) -> [(String, Value); 3] {
        [
            ("timed".to_owned(), json!(self.0.len())),
            ("median_ms".to_owned(), json!(self.median())),
            ("longest_ms".to_owned(), json!(self.0.last())),
        ]
    }

    /// The median and the longest; empty if there are none.
    fn text(&self) -> String {
        match (self.median(), self.0.as_slice()) {
            (Some(median), [_, .., longest]) => {
                format!("median {}, longest {}", show(median), show(*longest))
            }
            (Some(one), _) => show(one),
            (None, _) => String::new(),
        }
    }
}

/// A duration in its two largest units: `1 h 3 min`; smaller ones are dropped.
fn show(milliseconds: u64) -> String {
    const UNITS: [(u64, &str); 5] =
        [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms")];
    let first = UNITS.iter().position(|(size, _)| milliseconds >= *size).unwrap_or(UNITS.len() - 1);
    let (size, unit) = UNITS[first];
    let whole = format!("{} {unit}", milliseconds / size);
    match UNITS.get(first + 1) {
        Some((next, unit)) if milliseconds % size >= *next => {
            format!("{whole} {} {unit}", milliseconds % size / next)
        }
        _ => whole,
    }
}

#[cfg(test)]
mod durations_tests {
    use super::*;

    #[test]
    fn times_are_shown_in_two_units() {
        let all = [0, 14, 1000, 61_500, 3_807_000, 3_600_000, 90_335_000, 86_400_001];
        let shown = ["0 ms", "14 ms", "1 s", "1 min 1 s", "1 h 3 min", "1 h", "1 d 1 h", "1 d"];
        assert_eq!(all.map(show), shown);
    }
}
