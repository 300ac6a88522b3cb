//! `handoff-note`: what whoever takes over must know: done, in progress, blocked, failed, next. Each claim cites a task, a
//! message or a commit; what has none is not claimed.

mod claims;
mod history;
mod subject;

use serde_json::{Value, json};

use claims::Claims;
use subject::Subject;

use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::exchange::exchanges;
use crate::project_state::span::Span;
use crate::project_state::{Board, Kind, Message, Story, Task, message, rows, say};
use crate::runtime::engine;
use crate::text::{line, slug, title};

pub(super) const NAME: &str = "handoff-note";

/// Makes the note.
///
/// # Errors
/// When there is no project, or it has not whom the note is about, or a time cannot be read.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let span = Span::read(input)?;
    if span.until.is_some() {
        let given = input.fields.get("since").cloned().unwrap_or_default();
        return Err(fields::bad("since", &given, "one time or date, such as 2026-03-10"));
    }
    let state = &context.state;
    let (board, metrics) = Board::with_metrics(state)?;
    let subject = Subject::read(input, &board, &metrics)?;
    let past = Message::all(state, &span.parameters())?;
    let now = Message::newest(state, "", message::SEARCHED)?;
    let talk = Message::newest_of(state, &[Kind::Question, Kind::Answer], message::SEARCHED)?;
    let mut notes = board.gaps.missing.clone();
    let commits = match fields::choice(input, "commits", &["git", "none"])? {
        "git" => history::commits(context, (&span, &subject), &board, &mut notes),
        _ => Vec::new(),
    };
    let claims = Claims::new(&board, &subject, &span, (&past, &now));
    let waiting = exchanges(&talk).into_iter().filter(|found| found.answer.is_none());
    let waiting = waiting.map(|found| found.question).filter(|asked| subject.has_message(asked));
    let waiting: Vec<&Message> = waiting.collect();
    let mut done = claims.done();
    done.extend(commits);
    let data = json!({
        "time": board.time,
        "about": {"kind": subject.kind(), "name": subject.name(), "facts": subject.facts(&board)},
        "since": span.since,
        "done": listed(&done),
        "in_progress": listed(&claims.in_progress()),
        "blocked": listed(&claims.blocked()),
        "failed": listed(&claims.failed()),
        "next": listed(&claims.next()),
        "questions": say::limit_rows(&waiting, |message| message.row()),
        "stories": claims.stories(),
    });
    let mut open: Vec<String> = board.gaps.questions().collect();
    open.extend(questions(&data, &subject));
    let text = written(&data, (&board, &subject), &open)?;
    let name = slug(&format!("handoff {}", subject.name()), "handoff");
    let artifacts = vec![Artifact::new(format!("{name}.md"), "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}

fn written(
    data: &Value,
    (board, subject): (&Board, &Subject<'_>),
    open: &[String],
) -> Result<String> {
    let mut view = say::escaped(data);
    view["title"] = say::escape(&title(&subject.title())).into();
    view["state"] = say::escape(&say::state_of(board)).into();
    view["open"] = open.iter().map(|question| say::escape(question)).collect();
    engine::render_page(NAME, "assets/template.md.tera", &view)
}

fn listed(claims: &[Value]) -> Value {
    say::limit_rows(claims, Value::clone)
}

/// A claim and where it is found.
fn claim(said: &str, cites: &[String]) -> Value {
    let cites: Vec<Value> = cites.iter().map(|cite| json!({"cite": cite})).collect();
    json!({"said": said, "cites": cites})
}

/// What no record says and whoever takes over will ask.
fn questions(data: &Value, subject: &Subject<'_>) -> Vec<String> {
    let mut asked = Vec::new();
    if !matches!(subject, Subject::Project) {
        asked.push("Who takes it over? No record says.".to_owned());
    }
    if data["next"]["count"] == 0 {
        asked.push("What comes next? No task is queued, and no review is open.".to_owned());
    }
    let unsaid = data["in_progress"]["rows"].as_array().into_iter().flatten();
    let unsaid = unsaid.filter(|row| row["cites"].as_array().is_some_and(|cites| cites.len() == 1));
    let names: Vec<&str> = unsaid.filter_map(|row| row["cites"][0]["cite"].as_str()).collect();
    if !names.is_empty() {
        asked.push(format!("How far is this: {}? No message is about it.", say::ids(names)));
    }
    asked
}
