//! `handoff-note`: what a successor must know: done, in progress, blocked, failed, next. Each claim cites a record, a
//! message or a commit.

mod claims;
mod history;
mod subject;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{self, Expected, Page, Questions};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result, bad};
use crate::project_state::changes::Changes;
use crate::project_state::exchange::unanswered;
use crate::project_state::say::{self, joined};
use crate::project_state::span::Span;
use crate::project_state::when;
use crate::project_state::{Context, Kind, Message, Snapshot, Story, Task, message, rows, summary};
use crate::text::{bare, line, slug, title};
use claims::Claims;
use subject::Subject;

const NAME: &str = "handoff-note";
/// Largest number of claims of a section, the newest.
const CLAIMED: usize = 50;
/// Largest number of claims in a line of the summary.
const NAMED: usize = 3;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "about")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| live::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Done", "In progress", "Blocked", "Failed", "Next", "Not begun"]],
    unless: Some(NOTHING),
    questions: Questions::ToAnswer,
};
/// Replaces the claims if there are none.
const NOTHING: &str = "Nothing is recorded about it.";

/// The subject of the note. Default: the whole project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// An agent, a session or a story, by its name or id, optionally after that word: story US-0019.
    about: Option<Line>,
    /// The name of an agent.
    agent: Option<Line>,
    /// The id or the name of a session.
    session: Option<Line>,
    /// The id of a story.
    story: Option<Line>,
    /// The successor.
    #[schemars(extend("x-labels" = ["Takes over", "Handed to"]))]
    to: Option<Line>,
    /// The beginning of the time whose work is listed as done: a time, a date, or yesterday, monday, last week, 2
    /// weeks. Default: all of it.
    since: Option<Line>,
    /// The source of the cited commits. Default: git, the repository of the current folder.
    #[serde(default)]
    commits: Commits,
}

/// The source of commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Commits {
    #[default]
    Git,
    None,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let span = span(input, context)?;
    let state = &context.state;
    let (snapshot, metrics) = Snapshot::with_metrics(state)?;
    live::refuse_empty(&snapshot, &metrics)?;
    let span = span.until_now(&context.now, snapshot.time.as_deref());
    let subject = Subject::read(input, &snapshot, &metrics)?;
    let past = Message::all(state, &span.parameters())?;
    let now = Message::newest(state, "", message::SEARCHED)?;
    let talk = Message::newest_of(state, &[Kind::Question, Kind::Answer], message::SEARCHED)?;
    let mut notes = Vec::new();
    let commits = match input.commits {
        Commits::Git => history::commits(context, &span, &subject, &snapshot, &mut notes),
        Commits::None => Vec::new(),
    };
    let claims = Claims::new(&snapshot, &subject, &span, &past, &now);
    let mut waiting = unanswered(&talk);
    waiting.retain(|asked| subject.has_message(asked));
    let mut done = claims.done();
    done.extend(commits);
    let next = claims.next();
    let data = json!({
        "time": snapshot.time,
        "about": {"kind": subject.kind, "name": subject.name, "facts": subject.facts(&snapshot)},
        "to": input.to,
        "since": span.since,
        "done": listed(&done),
        "in_progress": listed(&claims.in_progress()),
        "blocked": listed(&claims.blocked()),
        "failed": listed(&claims.failed()),
        "next": listed(&next),
        "questions": say::limit_rows(&waiting, |message| message.row()),
        "stories": claims.not_begun(),
    });
    let view = view(&data, &waiting);
    let page = Page {
        skill: NAME,
        file: format!("{}.md", slug(&format!("handoff {}", subject.name), "handoff")),
        title: title(&subject.title()),
        summary: lines(&claims, &waiting, &past, &next),
        snapshot: &snapshot,
        open: questions(input, &data, &subject),
    };
    let mut output = page.output(data, &view)?;
    output.notes.extend(notes);
    Ok(output)
}

/// The time span of what is listed as done, which has no end.
fn span(input: &Input, context: &Context) -> Result<Span> {
    let span = Span::read(input.since.as_deref(), None, &context.now)?;
    if span.until.is_none() {
        return Ok(span);
    }
    Err(bad("since", &json!(input.since), &format!("one time: {}", when::ALLOWED)))
}

/// Data that the page shows in another form.
fn view(data: &Value, waiting: &[&Message]) -> Value {
    let lists = ["done", "in_progress", "blocked", "failed", "next", "stories"];
    let is_bare = lists.iter().all(|list| data[*list]["count"] == 0);
    let mut view = json!({
        "nothing": is_bare.then_some(NOTHING),
        "asked": say::limit_rows(waiting, |message| question(message)),
        "facts": data["about"]["facts"],
    });
    for list in &lists[..5] {
        view[*list] = shown(&data[*list]);
    }
    view
}

/// What is blocked, who waits for whom, what changed, and what comes next.
fn lines(
    claims: &Claims<'_>,
    waiting: &[&Message],
    past: &[Message],
    next: &[Value],
) -> Vec<String> {
    let Claims { snapshot, subject, span, ref open, .. } = *claims;
    let is_selected = |story: &Story| subject.has_story(story);
    let ours = |story: Option<&str>| match story {
        Some(id) => snapshot.story(id).is_some_and(|story| subject.has_story(story)),
        None => subject.is_project(),
    };
    let changes = Changes::of(snapshot, span, past, ours);
    let said = next.iter().filter_map(|claim| claim["said"].as_str()?.split(';').next());
    let next = joined(said.map(bare), NAMED, "; ");
    vec![
        summary::blocked(open, &claims.blocks, is_selected),
        summary::waiting(open, waiting, is_selected),
        format!("{}: {}.", span.qualify("Changed"), changes.phrase()),
        format!("Next: {}.", if next.is_empty() { "not recorded" } else { &next }),
    ]
}

fn listed(claims: &[Value]) -> Value {
    say::first_rows(claims, CLAIMED, Value::clone)
}

fn claim(said: &str, cites: &[String]) -> Value {
    let cites: Vec<Value> = cites.iter().map(|cite| json!({"cite": cite})).collect();
    json!({"said": said, "cites": cites})
}

/// Claims for the page, each with all its sources as one text.
fn shown(claims: &Value) -> Value {
    let rows = claims["rows"].as_array().into_iter().flatten().map(|row| {
        let cites = row["cites"].as_array().into_iter().flatten();
        let cites: Vec<&str> = cites.filter_map(|cite| cite["cite"].as_str()).collect();
        json!({"said": row["said"], "cite": cites.join("; ")})
    });
    json!({"rows": rows.collect::<Vec<_>>(), "rest": claims["rest"]})
}

fn question(message: &Message) -> Value {
    let to = message.to.as_deref().unwrap_or("everybody");
    let from = message.from.as_deref().unwrap_or("somebody");
    let said = format!("{} asks {}{}", line(from), line(to), message.quoted());
    rows::quote(&said, &message.cite())
}

/// What is not recorded and a successor needs to know.
fn questions(input: &Input, data: &Value, subject: &Subject<'_>) -> Vec<String> {
    let mut asked = Vec::new();
    if input.to.is_none() && !subject.is_project() {
        asked.push("to: not given (add to=NAME, who takes over)".to_owned());
    }
    let rows = data["in_progress"]["rows"].as_array().into_iter().flatten();
    let alone = rows.filter(|row| row["cites"].as_array().is_some_and(|cites| cites.len() == 1));
    let alone = alone.filter_map(|row| row["cites"][0]["cite"].as_str());
    let names: Vec<&str> = alone.filter_map(|cite| cite.strip_prefix("task ")).collect();
    if !names.is_empty() {
        let names = say::ids(names);
        asked.push(format!("progress: no message is about {names} (add how far it is)"));
    }
    asked
}
