//! `retro-facilitator`: the figures of a span of the log, recounted from its messages, and the questions of a
//! retrospective with the messages that prompt each. It answers none of them.

mod figures;
mod prompts;

use serde_json::{Value, json};

use figures::Figures;

use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::exchange::{Exchange, exchanges};
use crate::project_state::span::Span;
use crate::project_state::{Board, Kind, Message, Verdict, say};
use crate::runtime::engine;
use crate::text::line;

pub(super) const NAME: &str = "retro-facilitator";

/// Makes the page.
///
/// # Errors
/// When there is no project, or a time cannot be read, or too many messages are in the span.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let span = Span::read(input)?;
    let log = context.state.messages(&span.parameters())?;
    let gaps = context.state.gaps()?;
    let unread: Vec<String> = gaps.questions().collect();
    let board = Board { time: log.time, gaps, ..Board::default() };
    let messages: Vec<Message> = log.records.iter().map(Message::read).collect();
    let exchanges = exchanges(&messages);
    let figures = Figures::count(&messages, &exchanges);
    let sections = prompts::sections(&messages, &exchanges, &figures);
    let asked = sections.iter().flat_map(prompts::Section::questions);
    let open: Vec<String> = unread.iter().cloned().chain(asked).collect();
    let prompts: Vec<Value> = sections.iter().map(prompts::Section::data).collect();
    let data = json!({
        "time": board.time,
        "span": {"since": span.since, "until": span.until},
        "figures": figures.data(),
        "prompts": prompts,
    });
    let mut view = say::escaped(&data);
    view["state"] = say::escape(&say::state_of(&board)).into();
    view["said"] = say::escape(&span.said()).into();
    view["unread"] = unread.iter().map(|question| say::escape(question)).collect();
    view["table"] = figures.table();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let artifacts = vec![Artifact::new("retrospective.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes: board.gaps.missing })
}
