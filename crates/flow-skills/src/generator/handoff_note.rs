//! `handoff-note`: what a successor must know: done, in progress, blocked, failed, next. Each claim cites a record, a
//! message or a commit.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Fields, Log, Report, Scope, contradictions, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result, bad_text};
use crate::page::{Finding, Form, Section};
use crate::project_state::names::{Name, id_words};
use crate::project_state::span::names_and_time;
use crate::project_state::{Context, Message, Session, Snapshot, Story, say};
use crate::runtime::git;
use crate::text::{after, line, slug, title};

const NAME: &str = "handoff-note";

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
const FORM: Form = Form { unless: Some(report::NO_NEXT), ..Form::new("# Title", SECTIONS) };

/// Compares with the note on what the title names, about the time that the summary states.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let about = text.lines().find_map(|line| line.strip_prefix("# Handoff of the "));
    let about = about.map(str::trim).filter(|about| *about != "project");
    let span = text.lines().find_map(|line| line.strip_prefix("- Changed ")?.split_once(": "));
    let given = [("about", about), ("since", span.map(|(span, _)| span))];
    let fields: Vec<(&str, &str)> =
        given.into_iter().filter_map(|(field, value)| Some((field, value?))).collect();
    report::verify_again(text, context, &FORM, &fields, generate)
}

/// The subject of the note. Default: the whole project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Agents, sessions, stories, epics or tasks, by their names or ids, each optionally after that word; then the
    /// successor, then the time of what is done: `story US-0019`, `api to ui`, `US-0009 from ui to api`, `US-0009 since monday`.
    #[schemars(extend("x-labels" = ["Agent", "Session", "Story", "Epic", "Owner"]))]
    about: Option<Line>,
    /// Who hands over; without a subject, the note is on all work of that agent or session.
    #[schemars(extend("x-labels" = ["Handed over by"]))]
    from: Option<Line>,
    /// The successor.
    #[schemars(extend("x-labels" = ["Takes over", "Handed to"]))]
    to: Option<Line>,
    /// The time whose work is listed as done: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until
    /// B`. Default: all of it.
    since: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let Parties { about, from, to } = Parties::read(input, context)?;
    let fields = Fields {
        about: about
            .as_deref()
            .map(|text| (input.about.as_ref().map_or("from", |_| "about"), text)),
        since: input.since.as_deref(),
        ..Fields::default()
    };
    let scope = Scope::read(&fields, &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let newest = Message::newest(&context.state, "")?;
    let board = Board::new(&project, &scope, &log);
    let mut notes = Vec::new();
    let mut done = done(&board);
    done.extend(commits(context, &board, &mut notes));
    let (work, next) = board.work(&newest, &[]);
    let mut remarks: Vec<String> = from.iter().map(|from| format!("{from} hands over.")).collect();
    remarks.extend(to.iter().map(|to| format!("{to} takes over.")));
    let giver = from.map(|from| project.agent_or_session(from));
    let names: Vec<Name> = scope.names.iter().cloned().chain(giver).collect();
    remarks.extend(contradictions(&names, &project));
    let is_meant = |session: &&Session| !scope.is_all() && scope.has_session(session);
    let sessions: Vec<&Session> = project.sessions.iter().filter(is_meant).collect();
    let mut sections = vec![rows::sessions("Sessions", &sessions)];
    sections.extend(work);
    sections.push(rows::list("done", "Done", &done));
    sections.extend(rows::talk(&board.past, &board.unanswered));
    let phrase = if scope.is_all() { "project".to_owned() } else { scope.phrase() };
    let asked = (!scope.is_all() && to.is_none())
        .then(|| "to: not given (add to=NAME, who takes over)".to_owned());
    let file = format!("{}.md", slug(&format!("handoff {phrase}"), "handoff"));
    let title = title(&format!("Handoff of the {phrase}"));
    let report = Report {
        summary: vec![board.blocked_line(), board.waiting_line(), board.changed_line(), next],
        remarks,
        sections,
        open: asked.into_iter().collect(),
        ..Report::of(NAME, file, title, &project)
    };
    let mut output = report.output(json!({}))?;
    output.notes.extend(notes);
    Ok(output)
}

/// The subject with its time, who hands it over, and who takes it over.
struct Parties<'a> {
    about: Option<String>,
    from: Option<&'a str>,
    to: Option<&'a str>,
}

impl<'a> Parties<'a> {
    /// Reads the fields; a subject may name all: `US-0009 from api to ui since monday`.
    fn read(input: &'a Input, context: &Context) -> Result<Self> {
        let (from, to) = (input.from.as_deref(), input.to.as_deref());
        let Some(about) = input.about.as_deref() else {
            return Ok(Self { about: from.map(str::to_owned), from: None, to });
        };
        let split = |text: Option<&'a str>, words: &[&str]| {
            let parts = text.and_then(|text| words.iter().find_map(|word| text.split_once(word)));
            parts
                .map_or((text, None), |(text, name)| (Some(text), Some(name.trim_end_matches(','))))
        };
        let (names, time) = names_and_time(about, &context.now);
        let (subject, successor) = split(Some(names), &[" hands over to ", " to "]);
        let (subject, giver) = split(subject, &[" from "]);
        let (successor, behind) = split(successor, &[" from "]);
        let givers: Vec<&str> = [from, giver, behind].into_iter().flatten().collect();
        if to.is_some() && successor.is_some() || givers.len() > 1 {
            let allowed = "without the names that from and to give";
            return Err(bad_text("about", about, allowed));
        }
        // A name may have several words with capitals: `to Ada Lovelace`, and not `to ui by friday`.
        let is_name =
            |name: &&str| name.split(' ').skip(1).all(|word| word.starts_with(char::is_uppercase));
        if let Some(others) = successor.filter(|name| !is_name(name)) {
            let allowed = "a name alone behind `to`, since other words are not read";
            return Err(bad_text("about", others, allowed));
        }
        let subject = subject.map(|subject| after(subject, &["from "]).unwrap_or(subject));
        let about = [subject, time].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let about = Some(about.trim().to_owned());
        Ok(Self { about, from: givers.first().copied(), to: successor.or(to) })
    }
}

fn done(board: &Board<'_>) -> Vec<Value> {
    let story = |story: &&Story| {
        let at = story.completed_at.as_deref().map(|at| format!(" {}", line(at)));
        let words = format!("{}, {}{}", say::name(story), story.status, at.unwrap_or_default());
        rows::cited(&words, &rows::cite_story(story))
    };
    board.completed().iter().map(story).chain(board.ended("completed")).collect()
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
    let words: Vec<&str> = [of, &subject].into_iter().filter(|part| !part.is_empty()).collect();
    let id = commit.id.get(..CITED).unwrap_or(&commit.id);
    rows::cited(&words.join(": "), &format!("commit {id}"))
}
