//! `status-report`: where a project stands. The counts are those of `/api/metrics`, the rest is what the records and the
//! messages say; nothing is judged.

mod lists;

use serde_json::{Value, json};

use lists::Lists;

use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::span::Span;
use crate::project_state::{Board, Epic, Kind, Message, message, rows, say};
use crate::runtime::engine;
use crate::text::{line, markdown, title};

pub(super) const NAME: &str = "status-report";

/// Makes the report.
///
/// # Errors
/// When there is no project, or it has no such epic, or a time cannot be read.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let span = Span::read(input)?;
    let state = &context.state;
    let (board, metrics) = Board::with_metrics(state)?;
    let epic = fields::one(input, "epic")?;
    let epic = epic.map(|id| board.named_epic("epic", &id)).transpose()?;
    let messages = Message::all(state, &span.parameters())?;
    let kinds = [Kind::Blocked, Kind::Unblocked, Kind::Failed];
    let troubles = Message::newest_of(state, &kinds, message::SEARCHED)?;
    let lists = Lists::new((&board, epic), &span, (&messages, &troubles));
    let problems = state.get("/api/problems")?;
    let epics = state.list("epics", "")?.records;
    let data = json!({
        "time": board.time,
        "span": {"since": span.since, "until": span.until},
        "epic": epic.map(|epic| &epic.id),
        "metrics": metrics,
        "statuses": counted(&metrics["stories"]["by_status"], |status| lists.stories_of(status)),
        "states": counted(&metrics["tasks"]["by_state"], |state| lists.tasks_of(state)),
        "epics": epic_rows(&epics, epic),
        "in_progress": lists.in_progress(),
        "running": lists.running(),
        "blocked": lists.blocked(),
        "blocked_tasks": lists.blocked_tasks(),
        "completed": lists.completed(),
        "completed_tasks": lists.completed_tasks(),
        "failed": lists.failed(),
        "sessions": lists.sessions(),
        "problems": {"count": problems["count"], "list": listed_problems(&problems)},
    });
    let mut open: Vec<String> = board.gaps.questions().collect();
    open.extend(lists.questions());
    let text = written(input, (&board, &span, epic), &data, &open)?;
    let artifacts = vec![Artifact::new("status-report.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes: board.gaps.missing })
}

fn written(
    input: &Input,
    (board, span, epic): (&Board, &Span, Option<&Epic>),
    data: &Value,
    open: &[String],
) -> Result<String> {
    let mut view = say::escaped(data);
    let heading = fields::one(input, "title")?.unwrap_or_else(|| "Status report".to_owned());
    view["title"] = markdown(&title(&heading)).into();
    view["state"] = say::escape(&say::state_of(board)).into();
    view["said"] = say::escape(&span.said()).into();
    view["of"] =
        epic.map(|epic| format!("{} ({})", say::escape(&epic.title), say::escape(&epic.id))).into();
    view["open"] = open.iter().map(|question| say::escape(question)).collect();
    engine::render_page(NAME, "assets/template.md.tera", &view)
}

/// Counts by name, as `/api/metrics` has them, and how many of each are in the epic.
fn counted(counts: &Value, here: impl Fn(&str) -> usize) -> Value {
    let counts: Vec<(&String, &Value)> = counts.as_object().into_iter().flatten().collect();
    say::limit_rows(&counts, |(name, count)| {
        let shown = if line(name).is_empty() { "(blank)" } else { name };
        json!({"name": shown, "count": count, "here": here(name)})
    })
}

/// The epics with their progress as `/api/epics` has it.
fn epic_rows(epics: &[Value], epic: Option<&Epic>) -> Value {
    let rows: Vec<(Epic, &Value)> =
        epics.iter().map(|record| (Epic::read(record), &record["progress"])).collect();
    let meant = |(found, _): &&(Epic, &Value)| epic.is_none_or(|epic| epic.id == found.id);
    let rows: Vec<&(Epic, &Value)> = rows.iter().filter(meant).collect();
    say::limit_rows(&rows, |(epic, progress)| {
        json!({
            "id": epic.id, "title": title(&epic.title), "status": epic.status, "owner": epic.owner,
            "completed": progress["stories_completed"], "total": progress["stories_total"],
        })
    })
}

fn listed_problems(problems: &Value) -> Value {
    let all = problems["problems"].as_array().map_or(&[][..], Vec::as_slice);
    say::limit_rows(all, |problem| {
        let place = match &problem["id"] {
            Value::String(id) => line(id),
            _ => format!("line {}", problem["line"]),
        };
        let cite = format!("{} {place}", problem["source"].as_str().unwrap_or_default());
        rows::said(problem["reason"].as_str().unwrap_or_default(), &cite)
    })
}
