//! `retro-facilitator`: the figures of a time span, computed from the messages of the log and the dates of the records,
//! and the evidence of what went well, what went badly, and what is still open. It asks no questions and judges nothing.

mod durations;
mod evidence;
mod figures;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::Section;
use super::report::{self, Board, Expected, Fields, Kind as Name, Log, Page, Project, Questions};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::project_state::exchange::exchanges;
use crate::project_state::{Context, Story, say};
use durations::{median, show};
use figures::Figures;
use flow_model::time::{self, Edge};

const NAME: &str = "retro-facilitator";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected =
    Expected { sections: &[&["Figures"]], unless: None, questions: Questions::OfRecords };

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
    let project = Project::read(context)?;
    let fields = Fields {
        about: input.since.as_deref().map(|text| ("since", text)),
        named: vec![(Name::Epic, &input.epic)],
        until: input.until.as_deref(),
        ..Fields::default()
    };
    let scope = project.scope(&fields, context)?;
    let log = Log::of_span(context, &scope)?;
    let mut board = Board::new(&project, &scope, &log);
    let mut exchanges = exchanges(&log.past);
    exchanges.retain(|exchange| scope.has_message(exchange.question));
    let figures = Figures::count(&board.past, &exchanges);
    let waiting = exchanges.iter().filter(|exchange| exchange.answer.is_none());
    board.unanswered = waiting.map(|exchange| exchange.question).collect();
    let stories = Stories::of(&board);
    let rows: Vec<(&str, String)> = std::iter::once(stories.row()).chain(figures.rows()).collect();
    let groups = [
        ("well", "What went well", evidence::well(&board)),
        ("badly", "What went badly", evidence::badly(&board, &figures)),
        ("open", "Still open", evidence::open(&board, &board.unanswered)),
    ];
    let mut sections = vec![Section::table(
        "table",
        "Figures",
        "figure=name, value",
        &rows,
        |(name, value)| json!({"name": name, "value": value}),
    )];
    let lists =
        groups.iter().map(|(key, heading, all)| Section::list(key, *heading, all, Value::clone));
    sections.extend(lists);
    let phrase = format!("About the {} alone.", scope.phrase());
    let page = Page {
        skill: NAME,
        file: "retrospective.md".to_owned(),
        title: "Retrospective".to_owned(),
        summary: vec![board.changed_line(), board.blocked_line(), board.waiting_line()],
        remarks: if scope.is_all() { Vec::new() } else { vec![phrase] },
        sections,
        snapshot: Some(&project.snapshot),
        open: Vec::new(),
    };
    page.output(json!({
        "span": {"since": scope.span.since, "until": scope.span.until},
        "figures": figures.data(),
        "stories": stories.data(),
    }))
}

/// The stories of the span from the records: completed and begun ones, and how long they took.
struct Stories<'a> {
    completed: Vec<&'a Story>,
    begun: usize,
    /// The durations of stories with both times, in milliseconds, shortest first.
    took: Vec<u64>,
}

impl<'a> Stories<'a> {
    fn of(board: &Board<'a>) -> Self {
        let completed = board.completed();
        let mut took: Vec<u64> = completed.iter().filter_map(|story| took_ms(story)).collect();
        took.sort_unstable();
        Self { completed, begun: board.begun().len(), took }
    }

    /// As JSON; times in milliseconds.
    fn data(&self) -> Value {
        json!({
            "completed": say::limit_rows(&self.completed, |story| json!({
                "id": story.id, "title": say::name(story), "completed_at": story.completed_at,
            })),
            "begun": self.begun,
            "timed": self.took.len(),
            "median_ms": median(&self.took),
            "longest_ms": self.took.last(),
        })
    }

    /// The row of the table of figures.
    fn row(&self) -> (&'static str, String) {
        let mut parts = vec![format!("{} completed", self.completed.len())];
        if self.begun > 0 {
            parts.push(format!("{} begun", self.begun));
        }
        parts.extend(median(&self.took).map(|median| format!("median time {}", show(median))));
        ("stories", parts.join(", "))
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
