//! `retro-facilitator`: the figures of a time span, computed from the messages of the log and the dates of the records,
//! and the questions of a retrospective with their evidence. It answers no question.

mod durations;
mod figures;
mod prompts;
mod stories;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{self, Expected, Page, Questions};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::project_state::changes::Changes;
use crate::project_state::exchange::{Blocks, Exchange, exchanges};
use crate::project_state::open::Open;
use crate::project_state::span::Span;
use crate::project_state::{
    Context, Kind, Message, Snapshot, Story, Verdict, message, say, summary,
};
use crate::text::line;
use figures::Figures;
use stories::Stories;

const NAME: &str = "retro-facilitator";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| live::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Figures"], &["What went well"], &["What went badly"], &["Actions"]],
    unless: None,
    questions: Questions::OfRecords,
};

/// The time span of the retrospective. Default: all of time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The beginning: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until B`.
    #[schemars(extend("x-labels" = ["From"]))]
    since: Option<Line>,
    /// The end, in the same forms; a date includes its whole day.
    until: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let span = Span::read(input.since.as_deref(), input.until.as_deref(), &context.now)?;
    let state = &context.state;
    let (snapshot, metrics) = Snapshot::with_metrics(state)?;
    live::refuse_empty(&snapshot, &metrics)?;
    let span = span.until_now(&context.now, snapshot.time.as_deref());
    let messages = Message::all(state, &span.parameters())?;
    let talk = [Kind::Blocked, Kind::Unblocked];
    let talk = Message::newest_of(state, &talk, message::SEARCHED)?;
    let exchanges = exchanges(&messages);
    let figures = Figures::count(&messages, &exchanges);
    let stories = Stories::of(&snapshot, &span);
    let waiting = exchanges.iter().filter(|exchange| exchange.answer.is_none());
    let waiting: Vec<&Message> = waiting.map(|exchange| exchange.question).collect();
    let sections = prompts::sections(&messages, &waiting, &figures, &stories);
    let asked: Vec<String> = sections.iter().flat_map(prompts::Section::questions).collect();
    let prompts: Vec<Value> = sections.iter().map(prompts::Section::data).collect();
    let open = Open::of(&snapshot, |_| true);
    let changes = Changes::of(&snapshot, &span, &messages, |_| true);
    let page = Page {
        skill: NAME,
        file: "retrospective.md".to_owned(),
        title: "Retrospective".to_owned(),
        summary: vec![
            format!("{}: {}.", span.qualify("Changed"), changes.phrase()),
            summary::blocked(&open, &Blocks::standing(&talk), |_| true),
            summary::waiting(&open, &waiting, |_| true),
        ],
        snapshot: &snapshot,
        open: Vec::new(),
    };
    let data = json!({
        "time": snapshot.time,
        "span": {"since": span.since, "until": span.until},
        "figures": figures.data(),
        "stories": stories.data(),
        "prompts": prompts,
    });
    let rows: Vec<Value> = std::iter::once(stories.row()).chain(figures.rows()).collect();
    let view = json!({ "table": say::limit_rows(&rows, Value::clone) });
    let mut output = page.output(data, &view)?;
    output.open.extend(asked);
    Ok(output)
}
