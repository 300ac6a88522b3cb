//! `retro-facilitator`: the figures of a time span, computed from the messages of the log and the dates of the records,
//! and the evidence of what went well, what went badly, and what is still open. It asks no questions and judges nothing.

mod durations;
mod evidence;
mod figures;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::report::{self, Board, Fields, Log, Page, Project};
use super::report::{Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section as Part};
use crate::project_state::Context;
use crate::project_state::exchange::exchanges;
use figures::Figures;

const NAME: &str = "retro-facilitator";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &FORM)),
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
            rows::list("well", "What went well", &evidence::well(&board)),
            rows::list("badly", "What went badly", &evidence::badly(&board, &figures)),
            rows::list("open", "Still open", &evidence::open(&board)),
        ],
        snapshot: &project.snapshot,
        open: Vec::new(),
    };
    page.output(json!({
        "span": {"since": scope.span.since, "until": scope.span.until},
        "figures": figures.data(),
    }))
}
