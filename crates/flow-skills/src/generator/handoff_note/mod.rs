//! `handoff-note`: what a successor must know: done, in progress, blocked, failed, next. Each claim cites a record, a
//! message or a commit.

mod claims;
mod history;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{self, Board, Fields, Kind as Name, Log, Page, Project};
use super::report::{Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result, bad_text};
use crate::page::{Form, Section as Part};
use crate::project_state::say::{self, joined};
use crate::project_state::{Context, Message, Session, Story, message};
use crate::text::{bare, line, slug, title};
use claims::Claims;

const NAME: &str = "handoff-note";
/// Largest number of claims in a line of the summary.
const NAMED: usize = 3;
/// Largest number of sessions of an agent that are listed.
const SESSIONS: usize = 20;
/// Replaces the sections if there is nothing to list.
const NOTHING: &str = "Nothing is recorded about it.";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "about")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &FORM)),
};

const SECTIONS: &[Part] =
    &[Part::named("Done", &["In progress", "Blocked", "Failed", "Next", "Not begun", "On hold"])];
const FORM: Form = Form { unless: Some(NOTHING), ..Form::new("# Title", SECTIONS) };

/// The subject of the note. Default: the whole project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Agents, sessions, stories, epics or tasks, by their names or ids, each optionally after that word; then the
    /// successor, then the time of what is done: `story US-0019`, `api to ui`, `US-0009 US-0010 since monday`.
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
    /// The time whose work is listed as done: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until
    /// B`. Default: all of it.
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
    let project = Project::read(context)?.with_records()?;
    let (about, to) = successor(input, context)?;
    let fields = Fields {
        about: about.map(|text| ("about", text)),
        named: vec![
            ("agent", Some(Name::Agent), input.agent.as_ref()),
            ("session", Some(Name::Session), input.session.as_ref()),
            ("story", Some(Name::Story), input.story.as_ref()),
        ],
        since: input.since.as_deref(),
        ..Fields::default()
    };
    let scope = Scope::read(&fields, &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let newest = Message::newest(&context.state, "", message::SEARCHED)?;
    let board = Board::new(&project, &scope, &log);
    let claims = Claims::new(&board, &newest);
    let mut notes = Vec::new();
    let mut done = claims.done();
    if input.commits == Commits::Git {
        done.extend(history::commits(context, &board, &mut notes));
    }
    let (in_progress, next) = (claims.in_progress(), claims.next());
    let lists = vec![
        rows::list("in_progress", "In progress", &in_progress),
        rows::list("blocked", "Blocked", &claims.blocked()),
        rows::list("failed", "Failed", &claims.failed()),
        rows::list("next", "Next", &next),
        rows::stories("stories", "Not begun", &claims.not_begun()),
        rows::stories("on_hold", "On hold", &board.on_hold()),
        rows::list("done", "Done", &done),
    ];
    let mut remarks: Vec<String> = to.iter().map(|to| format!("{to} takes over.")).collect();
    if lists.iter().all(Section::is_empty) {
        remarks.push(NOTHING.to_owned());
    }
    let facts = facts(&board);
    let mut sections = vec![Section::list("facts", "About", &facts, |fact| rows::quote(fact, ""))];
    sections.extend(lists);
    sections.push(Section::list("questions", "Unanswered questions", &board.unanswered, |asked| {
        rows::message(asked)
    }));
    let phrase = scope.phrase();
    let name = if scope.is_all() { "the project".to_owned() } else { format!("the {phrase}") };
    let file = scope.names.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" ");
    let file = if file.is_empty() { "project".to_owned() } else { file };
    let page = Page {
        skill: NAME,
        file: format!("{}.md", slug(&format!("handoff {file}"), "handoff")),
        title: title(&format!("Handoff of {name}")),
        summary: vec![
            board.blocked_line(),
            board.waiting_line(),
            board.changed_line(),
            next_line(&next),
        ],
        remarks,
        sections,
        snapshot: &project.snapshot,
        open: questions(to, &in_progress, &scope),
    };
    let names = scope.names.iter().map(|(kind, name)| json!({"kind": kind.name(), "name": name}));
    let names: Vec<Value> = names.collect();
    let mut output = page.output(json!({"about": names, "to": to, "since": scope.span.since}))?;
    output.notes.extend(notes);
    Ok(output)
}

/// The subject and the successor: `api to ui` names both.
fn successor<'a>(
    input: &'a Input,
    context: &Context,
) -> Result<(Option<&'a str>, Option<&'a str>)> {
    let to = input.to.as_deref();
    let Some(about) = input.about.as_deref() else { return Ok((None, to)) };
    let Some((subject, successor)) = about.split_once(" to ") else { return Ok((Some(about), to)) };
    if report::is_time(successor, &context.now) {
        return Ok((Some(about), to));
    }
    match to {
        Some(to) => Err(bad_text("to", to, "left out: about names the successor too")),
        None => Ok((Some(subject), Some(successor))),
    }
}

fn next_line(next: &[Value]) -> String {
    let steps = next.iter().filter_map(|claim| claim["said"].as_str()?.split(';').next());
    let steps = joined(steps.map(bare), NAMED, "; ");
    format!("Next: {}.", if steps.is_empty() { "not recorded" } else { &steps })
}

/// Facts from the records of the named stories and of the sessions; no claims about work.
fn facts(board: &Board<'_>) -> Vec<String> {
    let sessions = board.snapshot.sessions.iter();
    let sessions = sessions.filter(|session| board.scope.names_session(session)).take(SESSIONS);
    let stories = board.scope.names.iter().filter(|(kind, _)| *kind == Name::Story);
    let stories = stories.filter_map(|(_, id)| board.snapshot.story(id));
    sessions.map(place).chain(stories.map(|story| fact(story, board))).collect()
}

fn fact(story: &Story, board: &Board<'_>) -> String {
    let mut parts = vec![format!("story {}: {}", line(&story.id), say::name(story))];
    parts.push(story.status.clone());
    parts.extend(story.owner.as_deref().map(|owner| format!("owner {}", line(owner))));
    if let Some(at) = board.open.graph.place(&story.id) {
        let needs = board.reasons(at).into_iter().filter(report::Reason::is_recorded);
        parts.extend(needs.map(|reason| reason.text()));
    }
    parts.join(", ")
}

/// Where a session works.
fn place(session: &Session) -> String {
    let activity = if session.is_active { "active" } else { "ended" };
    let facts = [
        ("story", &session.story),
        ("branch", &session.branch),
        ("path", &session.path),
        ("last active", &session.last_active),
    ];
    let known =
        facts.iter().filter_map(|(name, fact)| Some(format!(", {name} {}", fact.as_ref()?)));
    let known: String = known.collect();
    format!("session {} ({}): {activity}{known}", session.id, session.name)
}

/// What is not recorded and a successor needs to know.
fn questions(to: Option<&str>, in_progress: &[Value], scope: &Scope) -> Vec<String> {
    let mut asked = Vec::new();
    if to.is_none() && !scope.is_all() {
        asked.push("to: not given (add to=NAME, who takes over)".to_owned());
    }
    let alone = in_progress.iter().filter(|row| row["cites"].as_array().map(Vec::len) == Some(1));
    let tasks = alone.filter_map(|row| row["cites"][0]["cite"].as_str()?.strip_prefix("task "));
    let tasks = say::ids(tasks);
    if !tasks.is_empty() {
        asked.push(format!("progress: no message is about {tasks} (add how far it is)"));
    }
    asked
}
