//! The claims of a note, each based on a record or a message.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::generator::report::{Board, Reason, rows};
use crate::project_state::{Kind, Message, Story, Task, Verdict, say};
use crate::text::line;

pub(super) struct Claims<'a> {
    board: &'a Board<'a>,
    /// The last message of the subject that names a next step, for each story and for none.
    handoffs: BTreeMap<Option<&'a str>, &'a Message>,
    /// The newest messages about each task, and about each story.
    of_task: BTreeMap<&'a str, Vec<&'a Message>>,
    of_story: BTreeMap<&'a str, Vec<&'a Message>>,
}

impl<'a> Claims<'a> {
    /// The claims from the records and the newest messages of the log.
    pub(super) fn new(board: &'a Board<'a>, newest: &'a [Message]) -> Self {
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
    pub(super) fn not_begun(&self) -> Vec<&'a Story> {
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
    pub(super) fn done(&self) -> Vec<Value> {
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
    pub(super) fn in_progress(&self) -> Vec<Value> {
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
    pub(super) fn blocked(&self) -> Vec<Value> {
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

    pub(super) fn failed(&self) -> Vec<Value> {
        self.board.tasks("failed").into_iter().map(|task| self.of(task, &[Kind::Failed])).collect()
    }

    /// The steps that handoffs of open stories name; queued tasks, those that can begin first; and reviews that are
    /// requested or were rejected, without a later review of the same story.
    pub(super) fn next(&self) -> Vec<Value> {
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
pub(super) fn claim(words: &str, cites: &[String]) -> Value {
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
