//! `handoff-note`: what a successor must know: done, in progress, blocked, failed, next. Each claim cites a record, a
//! message or a commit.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Completion, Fields, Listing, Log, Report, Scope, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result, bad_text};
use crate::page::{Finding, Form, Section};
use crate::project_state::names::id_words;
use crate::project_state::say::joined;
use crate::project_state::span::names_and_time;
use crate::project_state::{Context, Message, MessageKind, Session, Snapshot, Story, message, say};
use crate::runtime::git;
use crate::text::{after, bare, line, slug, title};

const NAME: &str = "handoff-note";
/// Largest number of claims in a line of the summary.
const NAMED: usize = 3;
/// Number of the newest messages of its time that are shown.
const LATEST: usize = 10;
/// Replaces the sections if there is nothing to list.
const NOTHING: &str = "Nothing is recorded about it.";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "about")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify),
};

const SECTIONS: &[Section] = &[Section::named("Done", &OTHERS)];
/// The sections of which one suffices.
const OTHERS: [&str; 9] = [
    "In progress",
    "Running tasks",
    "Blocked",
    "Blocked tasks of other stories",
    "Failed tasks",
    "Next",
    "Not begun",
    "On hold",
    "Latest messages",
];
const FORM: Form = Form { unless: Some(NOTHING), ..Form::new("# Title", SECTIONS) };

/// Compares with the note on what the title names, about the time that the summary states.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let about = text.lines().find_map(|line| line.strip_prefix("# Handoff of the "));
    let about = about.map(str::trim).filter(|about| *about != "project");
    let span = text.lines().find_map(|line| line.strip_prefix("- Changed ")?.split_once(": "));
    let given = [("about", about), ("since", span.map(|(span, _)| span))];
    let fields: Vec<(&str, &str)> =
        given.into_iter().filter_map(|(field, value)| Some((field, value?))).collect();
    // A list of names that the title shortens cannot be read from it.
    if about.is_some_and(|about| about.ends_with('…')) {
        return report::verify(text, context, &FORM, None);
    }
    report::verify_again(text, context, &FORM, &fields, generate)
}

/// The subject of the note. Default: the whole project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Agents, sessions, stories, epics or tasks, by their names or ids, each optionally after that word; then the
    /// successor, then the time of what is done: `story US-0019`, `api to ui`, `US-0009 US-0010 since monday`.
    #[schemars(extend("x-labels" = ["Agent", "Session", "Story", "Epic", "Owner", "From"]))]
    about: Option<Line>,
    /// The successor.
    #[schemars(extend("x-labels" = ["Takes over", "Handed to"]))]
    to: Option<Line>,
    /// The time whose work is listed as done: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until
    /// B`. Default: all of it.
    since: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let (about, to) = successor(input, context)?;
    let fields = Fields {
        about: about.as_deref().map(|text| ("about", text)),
        since: input.since.as_deref(),
        ..Fields::default()
    };
    let scope = Scope::read(&fields, &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let newest = Message::newest(&context.state, "", message::SEARCHED)?;
    let board = Board::new(&project, &scope, &log);
    let mut notes = Vec::new();
    let mut done = done(&board);
    done.extend(commits(context, &board, &mut notes));
    let next = next(&board, &newest);
    let latest = &board.past[board.past.len().saturating_sub(LATEST)..];
    let mut lists = board.work_sections();
    lists.extend([
        rows::list("next", "Next", &next),
        rows::stories("stories", "Not begun", rows::STORY, &not_begun(&board)),
        rows::list("done", "Done", &done),
        Listing::list("messages", "Latest messages", latest, |one| rows::message(one)),
    ]);
    let mut remarks: Vec<String> = to.iter().map(|to| format!("{to} takes over.")).collect();
    if lists.iter().all(Listing::is_empty) {
        remarks.push(NOTHING.to_owned());
    }
    let is_meant = |session: &&Session| !scope.is_all() && scope.has_session(session);
    let sessions: Vec<&Session> = project.sessions.iter().filter(is_meant).collect();
    let mut sections = vec![rows::sessions("Sessions", &sessions)];
    sections.extend(lists);
    sections.push(rows::unanswered(&board.unanswered));
    let names = scope.names.iter().map(|name| name.id.as_str()).collect::<Vec<_>>().join(" ");
    let (file, name, open) = if scope.is_all() {
        ("project", "project".to_owned(), None)
    } else {
        let open = "to: not given (add to=NAME, who takes over)".to_owned();
        (names.as_str(), scope.phrase(), Some(open).filter(|_| to.is_none()))
    };
    let file = format!("{}.md", slug(&format!("handoff {file}"), "handoff"));
    let title = title(&format!("Handoff of the {name}"));
    let report = Report {
        summary: vec![
            board.blocked_line(),
            board.waiting_line(),
            board.changed_line(),
            next_line(&next),
        ],
        remarks,
        sections,
        open: open.into_iter().collect(),
        ..Report::of(NAME, file, title, &project)
    };
    let mut output = report.output(json!({}))?;
    output.notes.extend(notes);
    Ok(output)
}

/// The subject with its time, and the successor: `api to ui since monday` names all three.
fn successor<'a>(input: &'a Input, context: &Context) -> Result<(Option<String>, Option<&'a str>)> {
    let to = input.to.as_deref();
    let Some(about) = input.about.as_deref() else { return Ok((None, to)) };
    let whole = || Ok((Some(about.to_owned()), to));
    let words = [" hands over to ", " to "];
    let Some((subject, rest)) = words.iter().find_map(|word| about.split_once(word)) else {
        return whole();
    };
    let (successor, time) = names_and_time(rest, &context.now);
    let successor = successor.trim_end_matches(',');
    if successor.is_empty() {
        return whole();
    }
    let subject = after(subject, &["from "]).unwrap_or(subject);
    let subject = [Some(subject), time].into_iter().flatten().collect::<Vec<_>>().join(" ");
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

/// The open stories that are neither begun nor blocked.
fn not_begun<'a>(board: &Board<'a>) -> Vec<&'a Story> {
    let open = &board.open;
    let is_blocked =
        |story: &Story| open.graph.place(&story.id).is_some_and(|at| open.is_blocked(at));
    board.stories(|story| story.is_work() && !story.is_begun() && !is_blocked(story))
}

fn done(board: &Board<'_>) -> Vec<Value> {
    let story = |story: &&Story| {
        let at = story.completed_at.as_deref().map(|at| format!(" {}", line(at)));
        let words = format!("{}, {}{}", say::name(story), story.status, at.unwrap_or_default());
        rows::cited(&words, &rows::cite_story(story))
    };
    let completions = board.completions();
    board.completed().iter().map(story).chain(completions.iter().map(Completion::row)).collect()
}

/// The steps that the last handoffs of open stories name; queued tasks, those that can begin first; and reviews that are
/// requested or were rejected, without a later review of the same story.
fn next(board: &Board<'_>, newest: &[Message]) -> Vec<Value> {
    let mut handoffs: BTreeMap<Option<&str>, &Message> = BTreeMap::new();
    let mut reviews: BTreeMap<&str, &Message> = BTreeMap::new();
    for message in newest.iter().filter(|message| board.scope.has_message(message)) {
        let story = message.story.as_deref();
        if message.next_step().is_some() {
            handoffs.insert(story, message);
        }
        if let (MessageKind::Review | MessageKind::ReviewRequest, Some(story)) =
            (message.kind, story)
        {
            reviews.insert(story, message);
        }
    }
    handoffs.retain(|story, _| {
        story.and_then(|id| board.snapshot.story(id)).is_none_or(Story::is_open)
    });
    let step = |message: &&Message| {
        let of = message.subject().map(|id| format!("{id}: ")).unwrap_or_default();
        Some(rows::cited(&format!("{of}{}", message.next_step()?), &message.cite()))
    };
    let mut steps: Vec<Value> = handoffs.values().filter_map(step).collect();
    let mut queued = board.tasks("queued");
    queued.sort_by_key(|task| board.open_needs(task).next().is_some());
    steps.extend(queued.into_iter().map(|task| board.row(task)));
    for (story, last) in reviews {
        let how = match (last.kind, last.is_passed()) {
            (MessageKind::ReviewRequest, _) => "waits for a review",
            (_, Some(false)) => "was rejected in review",
            _ => continue,
        };
        let words = format!("{} {how}{}", line(story), last.quoted());
        steps.push(rows::cited(&words, &last.cite()));
    }
    steps
}

const CITED: usize = 12;
const BRANCHES: usize = 20;

/// The commits on the branches of the sessions, and those that name a story by its id, newest first; for the whole
/// project all commits since a time.
fn commits(context: &Context, board: &Board<'_>, notes: &mut Vec<String>) -> Vec<Value> {
    let scope = board.scope;
    let newest = match git::newest(&context.folder, "HEAD", scope.span.seconds()) {
        Ok(newest) => newest,
        Err(fault) => {
            notes.push(format!("No commits are cited: {fault}."));
            return Vec::new();
        }
    };
    let mut claims = Vec::new();
    let mut cited = HashSet::new();
    for (branch, commit) in of_branches(context, board) {
        claims.push(cite(&commit, &format!("on branch {}", line(branch))));
        cited.insert(commit.id);
    }
    let stories = board.stories(|_| true);
    let stories: HashSet<&str> = stories.iter().map(|story| story.id.as_str()).collect();
    let takes_all = scope.is_all() && !scope.span.is_all();
    for commit in newest.iter().filter(|commit| !cited.contains(&commit.id)) {
        let words = id_words(&commit.message);
        let named: BTreeSet<&str> = words.filter(|word| stories.contains(word)).collect();
        if !named.is_empty() || takes_all {
            claims.push(cite(commit, &say::ids(named)));
        }
    }
    claims
}

/// The commits on the branches of the sessions, each with its branch.
fn of_branches<'a>(context: &Context, board: &Board<'a>) -> Vec<(&'a str, git::Commit)> {
    let current = git::branch(&context.folder).ok();
    let sessions = &board.snapshot.sessions;
    let sessions = sessions.iter().filter(|session| board.scope.has_session(session));
    let branches: BTreeSet<&str> =
        sessions.filter_map(|session| session.branch.as_deref()).take(BRANCHES).collect();
    let mut commits = Vec::new();
    for branch in branches {
        let range = match &current {
            Some(current) if current.name.as_deref() == Some(branch) => current.range(),
            _ => Some(format!("HEAD..refs/heads/{branch}")),
        };
        let span = board.scope.span.seconds();
        // A branch that is not in this repository has no commits.
        let newest = range.and_then(|range| git::newest(&context.folder, &range, span).ok());
        commits.extend(newest.into_iter().flatten().map(|commit| (branch, commit)));
    }
    commits
}

fn cite(commit: &git::Commit, of: &str) -> Value {
    let subject = line(commit.message.lines().next().unwrap_or_default());
    let subject = if subject.is_empty() { "a commit without a message" } else { &subject };
    let words = if of.is_empty() { subject.to_owned() } else { format!("{of}: {subject}") };
    let id = commit.id.get(..CITED).unwrap_or(&commit.id);
    rows::cited(&words, &format!("commit {id}"))
}
