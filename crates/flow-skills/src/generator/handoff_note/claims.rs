//! The claims of a note, each based on a record or a message.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::subject::Subject;
use super::{Kind, Message, Snapshot, Span, Story, Task, claim, line, rows, say};
use crate::project_state::Verdict;
use crate::project_state::exchange::Blocks;
use crate::project_state::open::Open;

pub(super) struct Claims<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) subject: &'a Subject<'a>,
    pub(super) span: &'a Span,
    pub(super) open: Open<'a>,
    /// The current blocks of stories.
    pub(super) blocks: Blocks<'a>,
    /// The messages of the subject in the span.
    past: Vec<&'a Message>,
    /// The last message of the subject that names a next step, for each story and for none.
    handoffs: BTreeMap<Option<&'a str>, &'a Message>,
    /// The newest messages about each task, and about each story.
    of_task: HashMap<&'a str, Vec<&'a Message>>,
    of_story: HashMap<&'a str, Vec<&'a Message>>,
    /// The ids of the completed tasks.
    completed: HashSet<&'a str>,
}

impl<'a> Claims<'a> {
    /// The claims about a subject, from the messages of the span and the newest of the log.
    pub(super) fn new(
        snapshot: &'a Snapshot,
        subject: &'a Subject<'a>,
        span: &'a Span,
        past: &'a [Message],
        now: &'a [Message],
    ) -> Self {
        let ours = |message: &&Message| subject.has_message(message);
        let handoffs = now.iter().filter(|message| message.next_step().is_some());
        let handoffs = handoffs.filter(ours).map(|message| (message.story.as_deref(), message));
        let completed = snapshot.tasks.iter().filter(|task| task.state == "completed");
        Self {
            handoffs: handoffs.collect(),
            past: past.iter().filter(ours).collect(),
            of_task: by(now, |message| message.task.as_deref()),
            of_story: by(now, |message| message.story.as_deref()),
            completed: completed.map(|task| task.id.as_str()).collect(),
            open: Open::of(snapshot, |_| true),
            blocks: Blocks::standing(now),
            snapshot,
            subject,
            span,
        }
    }

    fn tasks(&self, state: &str) -> impl Iterator<Item = &'a Task> {
        let ours = self.snapshot.tasks.iter().filter(|task| self.subject.has_task(task));
        ours.filter(move |task| task.state == state)
    }

    fn open_stories(&self) -> impl Iterator<Item = &'a Story> {
        let ours = self.snapshot.stories.iter().filter(|story| self.subject.has_story(story));
        ours.filter(|story| story.is_open())
    }

    /// The stories of the subject that are blocked and not begun.
    fn blocked_stories(&self) -> Vec<&'a Story> {
        let blocked = (0..self.open.stories.len()).filter(|at| self.open.is_blocked(*at));
        let stories = blocked.map(|at| self.open.stories[at]);
        stories.filter(|story| self.subject.has_story(story) && !story.is_begun()).collect()
    }

    /// The open stories of the subject that are neither begun nor blocked, listed from the records.
    pub(super) fn not_begun(&self) -> Value {
        let blocked: HashSet<&str> =
            self.blocked_stories().iter().map(|story| story.id.as_str()).collect();
        let stories = self.open_stories().filter(|story| !story.is_begun());
        let stories: Vec<&Story> =
            stories.filter(|story| !blocked.contains(story.id.as_str())).collect();
        say::limit_rows(&stories, |story| rows::story(story))
    }

    /// The last message about a task of one of these kinds; of any kind if there are none.
    fn last(&self, task: &Task, kinds: &[Kind]) -> Option<&'a Message> {
        let mut all = self.of_task.get(task.id.as_str()).into_iter().flatten().copied();
        let last = all.rfind(|found| kinds.is_empty() || kinds.contains(&found.kind));
        last.or_else(|| self.last_of_story(task).filter(|_| kinds.is_empty()))
    }

    /// The last message about the story of its only running task, if it names no task.
    fn last_of_story(&self, task: &Task) -> Option<&'a Message> {
        let story = task.story.as_deref()?;
        let running = self.snapshot.tasks.iter().filter(|other| other.state == "running");
        let is_only = running.filter(|other| other.story.as_deref() == Some(story)).count() == 1;
        let last = self.of_story.get(story)?.iter().rfind(|found| found.task.is_none());
        last.copied().filter(|_| is_only)
    }

    /// Completed tasks, completed stories, completions known only from messages, and accepted reviews; newest stories
    /// first.
    pub(super) fn done(&self) -> Vec<Value> {
        let tasks = self.tasks("completed");
        let tasks: Vec<&Task> =
            tasks.filter(|task| self.span.holds_any(task.updated_at.as_deref())).collect();
        let mut claims: Vec<Value> =
            tasks.iter().map(|task| self.of(task, &[Kind::Completed])).collect();
        let stories = self.snapshot.completed_in(self.span).into_iter();
        claims.extend(stories.filter(|story| self.subject.has_story(story)).map(completed));
        let told: HashSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        for message in &self.past {
            let is_told = message.task.as_deref().is_some_and(|task| told.contains(task));
            match (message.kind, message.verdict) {
                (Kind::Completed, _) if !is_told && self.subject.sends(message) => {
                    claims.push(reported(message, "is reported done"));
                }
                (Kind::Review, Some(Verdict::Passed)) => {
                    claims.push(reported(message, "was accepted"));
                }
                _ => {}
            }
        }
        claims
    }

    /// Running tasks, and stories that have begun without a running task.
    pub(super) fn in_progress(&self) -> Vec<Value> {
        let mut claims: Vec<Value> = self.tasks("running").map(|task| self.of(task, &[])).collect();
        let all = self.snapshot.tasks.iter().filter(|task| task.state == "running");
        let running: HashSet<&str> = all.filter_map(|task| task.story.as_deref()).collect();
        for story in self.open_stories().filter(|story| story.is_begun()) {
            let last = self.of_story.get(story.id.as_str()).and_then(|all| all.last());
            if !running.contains(story.id.as_str()) {
                claims.push(self.told(story, last.copied()));
            }
        }
        claims
    }

    /// Blocked tasks, and blocked stories without a blocked task.
    pub(super) fn blocked(&self) -> Vec<Value> {
        let mut claims: Vec<Value> =
            self.tasks("blocked").map(|task| self.of(task, &[Kind::Blocked])).collect();
        let all = self.snapshot.tasks.iter().filter(|task| task.state == "blocked");
        let by_task: HashSet<&str> = all.filter_map(|task| task.story.as_deref()).collect();
        let blocked = self.blocked_stories().into_iter();
        for story in blocked.filter(|story| !by_task.contains(story.id.as_str())) {
            claims.push(self.told(story, self.blocks.of(&story.id)));
        }
        claims
    }

    pub(super) fn failed(&self) -> Vec<Value> {
        self.tasks("failed").map(|task| self.of(task, &[Kind::Failed])).collect()
    }

    /// The steps that handoffs of open stories name, queued tasks (those that can begin first), and reviews that are requested or were rejected, without a later review of the same story.
    pub(super) fn next(&self) -> Vec<Value> {
        let is_open = |id: &&str| self.snapshot.story(id).is_none_or(Story::is_open);
        let handoffs = self.handoffs.iter().filter(|(story, _)| story.as_ref().is_none_or(is_open));
        let mut claims: Vec<Value> = handoffs.filter_map(|(_, last)| handed(last)).collect();
        let mut queued: Vec<&Task> = self.tasks("queued").collect();
        queued.sort_by_key(|task| self.open_needs(task).next().is_some());
        claims.extend(queued.into_iter().map(|task| self.of(task, &[Kind::Assigned])));
        let is_review =
            |found: &&&Message| matches!(found.kind, Kind::Review | Kind::ReviewRequest);
        let reviews = self.of_story.iter();
        let reviews =
            reviews.filter_map(|(story, all)| Some((story, all.iter().rfind(is_review)?)));
        let reviews: BTreeMap<_, _> =
            reviews.filter(|(_, last)| self.subject.has_message(last)).collect();
        claims.extend(reviews.values().filter_map(|last| match (last.kind, last.verdict) {
            (Kind::ReviewRequest, _) => Some(reported(last, "waits for a review")),
            (_, Some(Verdict::Refused)) => Some(reported(last, "was rejected in review")),
            _ => None,
        }));
        claims
    }

    /// A task, with its record and the last message of these kinds about it.
    fn of(&self, task: &Task, kinds: &[Kind]) -> Value {
        let story = task.story.as_ref().map(|story| format!(" ({story})")).unwrap_or_default();
        let mut said = vec![format!("{}{story}", line(&task.description))];
        let needs = Some(say::ids(self.open_needs(task))).filter(|ids| !ids.is_empty());
        said.extend(needs.filter(|_| task.state != "completed").map(|ids| format!("needs {ids}")));
        said.extend(task.error.as_deref().map(line));
        let mut cites = vec![rows::cite_task(task)];
        if let Some(last) = self.last(task, kinds) {
            let words = last.excerpt().filter(|words| !said.contains(words));
            said.extend(words.map(|words| format!("last message: {words}")));
            cites.push(last.cite());
        }
        claim(&said.join("; "), &cites)
    }

    /// The ids that a task needs and that are not completed.
    fn open_needs(&self, task: &'a Task) -> impl Iterator<Item = &'a str> {
        task.needs.iter().map(String::as_str).filter(|id| !self.completed.contains(id))
    }

    /// A story, what it waits for, and the last message about it.
    fn told(&self, story: &Story, last: Option<&Message>) -> Value {
        let mut said = vec![format!("{}, {}", say::name(story), story.status)];
        said.extend(rows::open_needs(self.snapshot, story).map(|needs| format!("needs {needs}")));
        said.extend(story.reasons.iter().map(|words| format!("waits for: {}", line(words))));
        let words = last.and_then(Message::excerpt);
        said.extend(words.map(|words| format!("last message: {words}")));
        let mut cites = vec![format!("story {}", line(&story.id))];
        cites.extend(last.map(Message::cite));
        claim(&said.join("; "), &cites)
    }
}

/// The messages about each task or story.
fn by(messages: &[Message], subject: fn(&Message) -> Option<&str>) -> HashMap<&str, Vec<&Message>> {
    let mut found: HashMap<&str, Vec<&Message>> = HashMap::new();
    for message in messages {
        if let Some(id) = subject(message) {
            found.entry(id).or_default().push(message);
        }
    }
    found
}

fn completed(story: &Story) -> Value {
    let at = story.completed_at.as_deref().map(|at| format!(" {}", line(at))).unwrap_or_default();
    let said = format!("{}, {}{at}", say::name(story), story.status);
    claim(&said, &[format!("story {}", line(&story.id))])
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
