//! `handoff-note`: what a successor must know: done, in progress, blocked, failed, next. Each claim cites a record, a
//! message or a commit.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::report;
use super::report::{
    Board, Fields, Kind as Name, Log, Page, Project, Reason, Scope, Section, rows,
};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind as Gives;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::typed;
use crate::input::values::Line;
use crate::output::{Output, Result, bad_text};
use crate::page::{Form, Section as Part};
use crate::project_state::say::joined;
use crate::project_state::{Context, Kind, Message, Session, Story, Task, Verdict, message, say};
use crate::runtime::git;
use crate::text::{after, bare, line, slug, title};

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
    verify: Some(|text, context| report::verify(text, context, &FORM, again(context).as_ref())),
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
    #[schemars(extend("x-labels" = ["From"]))]
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

/// The report of the present state without any field.
fn again(context: &Context) -> Option<Output> {
    generate(&typed::read(&Map::new()).ok()?, context).ok()
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Project::read(context)?.with_records()?;
    let (about, to) = successor(input, context)?;
    let fields = Fields {
        about: about.as_deref().map(|text| ("about", text)),
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
        done.extend(commits(context, &board, &mut notes));
    }
    let next = claims.next();
    let lists = vec![
        rows::list("in_progress", "In progress", &claims.in_progress()),
        rows::list("blocked", "Blocked", &claims.blocked()),
        rows::list("failed", "Failed", &claims.failed()),
        rows::list("next", "Next", &next),
        rows::stories("stories", "Not begun", rows::STORY, &claims.not_begun()),
        rows::stories("on_hold", "On hold", rows::STORY, &board.on_hold()),
        board.taken_back_section(),
        rows::list("done", "Done", &done),
    ];
    let mut remarks: Vec<String> = to.iter().map(|to| format!("{to} takes over.")).collect();
    if lists.iter().all(Section::is_empty) {
        remarks.push(NOTHING.to_owned());
    }
    let mut sections = vec![rows::texts("facts", "About", &facts(&board))];
    sections.extend(lists);
    sections.push(rows::unanswered(&board.unanswered));
    let is_asked = to.is_none() && !scope.is_all();
    let open = is_asked.then(|| "to: not given (add to=NAME, who takes over)".to_owned());
    let open = open.into_iter().collect();
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
        open,
    };
    let names = scope.names.iter().map(|(kind, name)| json!({"kind": kind.name(), "name": name}));
    let names: Vec<Value> = names.collect();
    let mut output = page.output(json!({"about": names, "to": to, "since": scope.span.since}))?;
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
    let (successor, time) = report::split(rest, &context.now);
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

struct Claims<'a> {
    board: &'a Board<'a>,
    /// The last message of the subject that names a next step, for each story and for none.
    handoffs: BTreeMap<Option<&'a str>, &'a Message>,
    /// The newest messages about each task, and about each story.
    of_task: BTreeMap<&'a str, Vec<&'a Message>>,
    of_story: BTreeMap<&'a str, Vec<&'a Message>>,
}

impl<'a> Claims<'a> {
    /// The claims from the records and the newest messages of the log.
    fn new(board: &'a Board<'a>, newest: &'a [Message]) -> Self {
        let handoffs = newest.iter().filter(|message| message.next_step().is_some());
        let handoffs = handoffs.filter(|message| board.scope.has_message(message));
        Self {
            handoffs: handoffs.map(|message| (message.story.as_deref(), message)).collect(),
            of_task: by(newest, |message| message.task.as_deref()),
            of_story: by(newest, |message| message.story.as_deref()),
            board,
        }
    }

    /// The open stories that are neither begun nor blocked.
    fn not_begun(&self) -> Vec<&'a Story> {
        let open = &self.board.open;
        let is_blocked =
            |story: &Story| open.graph.place(&story.id).is_some_and(|at| open.is_blocked(at));
        self.board.stories(|story| story.is_work() && !story.is_begun() && !is_blocked(story))
    }

    /// The last message about a task of one of these kinds; of any kind if there are none.
    fn last(&self, task: &Task, kinds: &[Kind]) -> Option<&'a Message> {
        let mut all = self.of_task.get(task.id.as_str()).into_iter().flatten().copied();
        let last = all.rfind(|message| kinds.is_empty() || kinds.contains(&message.kind));
        last.or_else(|| self.last_of_story(task).filter(|_| kinds.is_empty()))
    }

    /// The last message about the story of its only running task, if it names no task.
    fn last_of_story(&self, task: &Task) -> Option<&'a Message> {
        let story = task.story.as_deref()?;
        let running = self.board.snapshot.tasks.iter().filter(|other| other.state == "running");
        let is_only = running.filter(|other| other.story.as_deref() == Some(story)).count() == 1;
        let last = self.of_story.get(story)?.iter().rfind(|message| message.task.is_none());
        last.copied().filter(|_| is_only)
    }

    /// Completed tasks and stories, completions known only from messages, and accepted reviews.
    fn done(&self) -> Vec<Value> {
        let completions = self.board.completions();
        let tasks = completions.iter().filter_map(|completion| completion.task);
        let mut claims: Vec<Value> = tasks.map(|task| self.of(task, &[Kind::Completed])).collect();
        for story in self.board.completed() {
            let at = story.completed_at.as_deref().map(|at| format!(" {}", line(at)));
            let words = format!("{}, {}{}", say::name(story), story.status, at.unwrap_or_default());
            claims.push(claim(&words, &[rows::cite_story(story)]));
        }
        let untold = completions.iter().filter(|completion| completion.task.is_none());
        let untold = untold.filter_map(|completion| completion.message);
        claims.extend(untold.map(|message| reported(message, "is reported done")));
        let accepted = self.board.past.iter().filter(|message| {
            message.kind == Kind::Review && message.verdict == Some(Verdict::Passed)
        });
        claims.extend(accepted.map(|message| reported(message, "was accepted")));
        claims
    }

    /// Running tasks, and stories that have begun without a running task.
    fn in_progress(&self) -> Vec<Value> {
        let mut claims: Vec<Value> =
            self.board.tasks("running").into_iter().map(|task| self.of(task, &[])).collect();
        let running = self.stories_of_tasks("running");
        for story in self.board.stories(Story::is_begun) {
            if !running.contains(story.id.as_str()) {
                let last = self.of_story.get(story.id.as_str()).and_then(|all| all.last());
                claims.push(self.told(story, last.copied()));
            }
        }
        claims
    }

    /// Blocked tasks, and blocked stories without a blocked task.
    fn blocked(&self) -> Vec<Value> {
        let tasks = self.board.tasks("blocked").into_iter();
        let mut claims: Vec<Value> = tasks.map(|task| self.of(task, &[Kind::Blocked])).collect();
        let by_task = self.stories_of_tasks("blocked");
        for story in self.board.blocked().into_iter().map(|at| self.board.open.stories[at]) {
            if !story.is_begun() && !by_task.contains(story.id.as_str()) {
                claims.push(self.told(story, self.board.blocks.of(&story.id)));
            }
        }
        claims
    }

    fn failed(&self) -> Vec<Value> {
        self.board.tasks("failed").into_iter().map(|task| self.of(task, &[Kind::Failed])).collect()
    }

    /// The steps that handoffs of open stories name; queued tasks, those that can begin first; and reviews that are
    /// requested or were rejected, without a later review of the same story.
    fn next(&self) -> Vec<Value> {
        let is_open = |id: &&str| self.board.snapshot.story(id).is_none_or(Story::is_open);
        let handoffs = self.handoffs.iter().filter(|(story, _)| story.as_ref().is_none_or(is_open));
        let mut claims: Vec<Value> = handoffs.filter_map(|(_, last)| handed(last)).collect();
        let mut queued = self.board.tasks("queued");
        queued.sort_by_key(|task| self.board.open_needs(task).next().is_some());
        claims.extend(queued.into_iter().map(|task| self.of(task, &[Kind::Assigned])));
        let is_review =
            |message: &&Message| matches!(message.kind, Kind::Review | Kind::ReviewRequest);
        for messages in self.of_story.values() {
            let last = messages.iter().copied().rfind(is_review);
            let last = last.filter(|last| self.board.scope.has_message(last));
            claims.extend(last.and_then(|last| match (last.kind, last.verdict) {
                (Kind::ReviewRequest, _) => Some(reported(last, "waits for a review")),
                (_, Some(Verdict::Refused)) => Some(reported(last, "was rejected in review")),
                _ => None,
            }));
        }
        claims
    }

    /// The stories of all tasks in a state.
    fn stories_of_tasks(&self, state: &str) -> HashSet<&'a str> {
        let tasks = self.board.snapshot.tasks.iter().filter(|task| task.state == state);
        tasks.filter_map(|task| task.story.as_deref()).collect()
    }

    /// A task, with its record and the last message of these kinds about it.
    fn of(&self, task: &'a Task, kinds: &[Kind]) -> Value {
        let story = task.story.as_ref().map(|story| format!(" ({story})")).unwrap_or_default();
        let mut parts = vec![format!("{}{story}", line(&task.description))];
        let needs = say::ids(self.board.open_needs(task));
        if !needs.is_empty() && task.state != "completed" {
            parts.push(format!("needs {needs}"));
        }
        parts.extend(task.error.as_deref().map(line));
        let mut cites = vec![rows::cite_task(task)];
        if let Some(last) = self.last(task, kinds) {
            let words = last.excerpt().filter(|words| !parts.contains(words));
            parts.extend(words.map(|words| format!("last message: {words}")));
            cites.push(last.cite());
        }
        claim(&parts.join("; "), &cites)
    }

    /// A story, what it waits for, and the last message about it.
    fn told(&self, story: &Story, last: Option<&Message>) -> Value {
        let mut parts = vec![format!("{}, {}", say::name(story), story.status)];
        let at = self.board.open.graph.place(&story.id);
        let reasons = at.into_iter().flat_map(|at| self.board.reasons(at));
        parts.extend(reasons.filter(Reason::is_recorded).map(|reason| reason.text()));
        let words = last.and_then(Message::excerpt);
        parts.extend(words.map(|words| format!("last message: {words}")));
        let mut cites = vec![rows::cite_story(story)];
        cites.extend(last.map(Message::cite));
        claim(&parts.join("; "), &cites)
    }
}

/// The messages about each task or story.
fn by(
    messages: &[Message],
    subject: fn(&Message) -> Option<&str>,
) -> BTreeMap<&str, Vec<&Message>> {
    let mut all: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
    for message in messages {
        if let Some(id) = subject(message) {
            all.entry(id).or_default().push(message);
        }
    }
    all
}

/// A text and its sources.
fn claim(words: &str, cites: &[String]) -> Value {
    let cites: Vec<Value> = cites.iter().map(|cite| json!({"cite": cite})).collect();
    json!({"said": words, "cites": cites})
}

fn handed(message: &Message) -> Option<Value> {
    let of = message.story.as_deref().or(message.task.as_deref());
    let of = of.map(|id| format!("{}: ", line(id))).unwrap_or_default();
    Some(claim(&format!("{of}{}", message.next_step()?), &[message.cite()]))
}

fn reported(message: &Message, how: &str) -> Value {
    let what = message.subject().unwrap_or_else(|| "a task without an id".to_owned());
    claim(&format!("{what} {how}{}", message.quoted()), &[message.cite()])
}

/// Number of digits of a commit's id that are cited.
const CITED: usize = 12;
/// Largest number of branches whose commits are read.
const BRANCHES: usize = 20;

/// The commits on the branches of the sessions, and those that name a story by its id, newest first; for the whole
/// project all commits since a time.
fn commits(context: &Context, board: &Board<'_>, notes: &mut Vec<String>) -> Vec<Value> {
    let scope = board.scope;
    let span = scope.span.seconds();
    let newest = match git::newest(&context.folder, "HEAD", span) {
        Ok(newest) => newest,
        Err(fault) => {
            notes.push(format!("No commits are cited: {fault}."));
            return Vec::new();
        }
    };
    let current = git::branch(&context.folder).ok();
    let stories: HashSet<&str> =
        board.stories(|_| true).into_iter().map(|story| story.id.as_str()).collect();
    let mut claims = Vec::new();
    let mut cited = HashSet::new();
    let sessions = board.snapshot.sessions.iter().filter(|session| scope.has_session(session));
    let branches: BTreeSet<&str> =
        sessions.filter_map(|session| session.branch.as_deref()).take(BRANCHES).collect();
    for branch in branches {
        let of_current = current.as_ref().filter(|one| one.name.as_deref() == Some(branch));
        let range = match of_current {
            Some(current) => current.range(),
            None => Some(format!("HEAD..refs/heads/{branch}")),
        };
        // A branch that is not in this repository has no commits.
        let commits = range.and_then(|range| git::newest(&context.folder, &range, span).ok());
        for commit in commits.unwrap_or_default() {
            let place = format!("on branch {}", line(branch));
            claims.push(cite(&commit, &place));
            cited.insert(commit.id);
        }
    }
    let is_all = scope.is_all() && !scope.span.is_all();
    for commit in newest.iter().filter(|commit| !cited.contains(&commit.id)) {
        let words = commit.message.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        let named: BTreeSet<&str> = words.filter(|word| stories.contains(word)).collect();
        if !named.is_empty() || is_all {
            claims.push(cite(commit, &say::ids(named)));
        }
    }
    claims
}

fn cite(commit: &git::Commit, of: &str) -> Value {
    let subject = line(commit.message.lines().next().unwrap_or_default());
    let subject = if subject.is_empty() { "a commit without a message" } else { &subject };
    let words = if of.is_empty() { subject.to_owned() } else { format!("{of}: {subject}") };
    let id = commit.id.get(..CITED).unwrap_or(&commit.id);
    claim(&words, &[format!("commit {id}")])
}
