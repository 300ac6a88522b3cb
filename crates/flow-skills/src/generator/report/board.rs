//! The state of a project within a scope: the lists and the sentences that the reports share, so that no two of them
//! count the same thing in two ways.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use flow_model::time;
use flow_model::time::Edge;
use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::open::Open;
use super::rows::cited;
use super::scope::Scope;
use super::{Listing, rows};
use crate::output::Result;
use crate::project_state::changes::Change;
use crate::project_state::message::{standing_blocks, unanswered};
use crate::project_state::say::{counted, ids, joined, name};
use crate::project_state::{Context, Message, MessageKind, Session, Snapshot, Story, Task};
use crate::text::{bare, line};

/// Largest number of names in a part of a sentence of the summary.
const NAMED: usize = 5;
const OF_A_PAIR: usize = 3;
/// Largest number of stories in a cell of what a story needs.
const NEEDED: usize = 20;
/// Largest number of blocked tasks that are reasons of one story.
const MOST_TASKS: usize = 20;
/// The kinds of messages that describe the current state.
const TALK: [MessageKind; 4] =
    [MessageKind::Blocked, MessageKind::Unblocked, MessageKind::Question, MessageKind::Answer];

#[derive(Default)]
pub(crate) struct Log {
    /// Those of its time span.
    pub(crate) past: Vec<Message>,
    /// The newest blocks, questions and answers of the whole log.
    talk: Vec<Message>,
    /// What was taken back from the plan in that span.
    taken_back: Vec<Change>,
}

impl Log {
    /// Reads the newest messages about the current state.
    pub(crate) fn talk(context: &Context) -> Result<Self> {
        let talk = Message::newest_of(&context.state, &TALK)?;
        Ok(Self { talk, ..Self::default() })
    }

    /// Also reads the messages of a span, and what was taken back in it.
    pub(crate) fn of_span(context: &Context, scope: &Scope) -> Result<Self> {
        let past = context.state.messages(&scope.span.parameters())?;
        let past = past.iter().map(Message::read).collect();
        let taken_back = Change::taken_back(&context.state, &scope.span)?;
        Ok(Self { past, taken_back, ..Self::talk(context)? })
    }
}

/// Why a story cannot be completed now: `needs US-0009 (in-progress)`.
pub(crate) struct Reason {
    verb: &'static str,
    pub(crate) what: String,
    cite: String,
}

impl Reason {
    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.verb, self.what).trim_start().to_owned()
    }
}

/// The row of a task that ended, by a message, by its record, or by both: the text of the message, or else the
/// description of the record.
fn end(task: Option<&Task>, message: Option<&Message>) -> Value {
    let id = task.map(|task| &task.id).or_else(|| message?.task.as_ref());
    let story = message.and_then(|message| message.story.as_ref());
    let what = match (id, story) {
        (Some(task), _) => line(task),
        (None, Some(story)) => format!("a task of {}", line(story)),
        (None, None) => "a task".to_owned(),
    };
    let words = message.and_then(Message::excerpt);
    let words = words.or_else(|| task.map(|task| line(&task.description)));
    let parts: Vec<String> = std::iter::once(what).chain(words).collect();
    let of_record = || task.map(rows::cite_task).unwrap_or_default();
    let cite = message.map_or_else(of_record, Message::cite);
    rows::with(cited(&parts.join(": "), &cite), "id", id.or(story).cloned())
}

/// What blocks a story whose record does not say it.
pub(crate) const NO_REASON: &str = "(reason not recorded)";

pub(crate) struct Board<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) scope: &'a Scope,
    pub(crate) open: Open<'a>,
    /// The messages of the scope in its span.
    pub(crate) past: Vec<&'a Message>,
    /// The questions of the scope without an answer.
    pub(crate) unanswered: Vec<&'a Message>,
    /// What was taken back from its plan in its span.
    taken_back: Vec<&'a Change>,
    /// The message that reports each story blocked.
    blocks: HashMap<&'a str, &'a Message>,
    /// The blocked tasks of each story.
    blocked_tasks: HashMap<&'a str, Vec<&'a Task>>,
    completed_tasks: HashSet<&'a str>,
}

impl<'a> Board<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, scope: &'a Scope, log: &'a Log) -> Self {
        let mut blocked_tasks: HashMap<&str, Vec<&Task>> = HashMap::new();
        for task in snapshot.tasks.iter().filter(|task| task.state == "blocked") {
            if let Some(story) = &task.story {
                blocked_tasks.entry(story).or_default().push(task);
            }
        }
        let completed = snapshot.tasks.iter().filter(|task| task.state == "completed");
        let mut unanswered = unanswered(&log.talk);
        unanswered.retain(|question| scope.has_message(question));
        Self {
            snapshot,
            scope,
            open: Open::of(snapshot, |_| true),
            past: log.past.iter().filter(|message| scope.has_message(message)).collect(),
            unanswered,
            taken_back: log.taken_back.iter().filter(|one| scope.has_change(one)).collect(),
            blocks: standing_blocks(&log.talk),
            blocked_tasks,
            completed_tasks: completed.map(|task| task.id.as_str()).collect(),
        }
    }

    /// The stories of the scope that `is_listed` selects.
    pub(crate) fn stories(&self, is_listed: impl Fn(&Story) -> bool) -> Vec<&'a Story> {
        let stories = self.snapshot.stories.iter().filter(|story| self.scope.has_story(story));
        stories.filter(|story| is_listed(story)).collect()
    }

    pub(crate) fn tasks(&self, state: &str) -> Vec<&'a Task> {
        let tasks = self.snapshot.tasks.iter().filter(|task| task.state == state);
        tasks.filter(|task| self.scope.has_task(task)).collect()
    }

    /// The ids that a task needs and that are not completed.
    pub(crate) fn open_needs<'t>(&self, task: &'t Task) -> impl Iterator<Item = &'t str> {
        task.needs.iter().map(String::as_str).filter(|id| !self.completed_tasks.contains(id))
    }

    pub(crate) fn sessions(&self) -> Vec<&'a Session> {
        let active = self.snapshot.sessions.iter().filter(|one| one.is_active);
        active.filter(|session| self.scope.has_session(session)).collect()
    }

    /// The blocked stories of the scope, as indexes of open stories.
    pub(crate) fn blocked(&self) -> Vec<usize> {
        let is_listed =
            |at: &usize| self.scope.has_story(self.open.stories[*at]) && self.open.is_blocked(*at);
        (0..self.open.stories.len()).filter(is_listed).collect()
    }

    pub(crate) fn on_hold(&self) -> Vec<&'a Story> {
        let on_hold = self.open.on_hold.iter().copied();
        on_hold.filter(|story| self.scope.has_story(story)).collect()
    }

    /// The stories of the scope that were completed in its span, newest first. An archived story without a time of its
    /// completion may have been given up, so it is none.
    pub(crate) fn completed(&self) -> Vec<&'a Story> {
        self.dated(Story::is_done, |story| story.completed_at.as_deref())
    }

    /// The stories of the scope that were begun in its span, newest first.
    pub(crate) fn begun(&self) -> Vec<&'a Story> {
        self.dated(|story| story.started_at.is_some(), |story| story.started_at.as_deref())
    }

    /// The stories with a time in the span, newest first; in an unbounded one also those without, at the end.
    fn dated(
        &self,
        is_listed: fn(&Story) -> bool,
        written: fn(&Story) -> Option<&str>,
    ) -> Vec<&'a Story> {
        let span = &self.scope.span;
        let mut stories = self.stories(|story| is_listed(story) && span.holds_any(written(story)));
        let at = |story: &&Story| time::parse(written(story)?, Edge::Start);
        stories.sort_by_key(|story| Reverse(at(story)));
        stories
    }

    /// The tasks that ended in a state (completed or failed) in the span: by messages, each task once, newest first; then by their records only. With tasks
    /// T-1 and T-2 of US-1, a message of T-1 and one of US-1 alone are about both; a second one of T-1 adds nothing.
    pub(crate) fn ended(&self, state: &str) -> Vec<Value> {
        let kind = MessageKind::of(&format!("task_{state}"));
        let is_in = |task: &&Task| self.scope.span.holds_any(task.updated_at.as_deref());
        let mut records: IndexMap<&str, &Task> = IndexMap::new();
        for task in self.tasks(state).into_iter().filter(is_in) {
            records.insert(&task.id, task);
        }
        let is_meant = |message: &&&Message| message.kind == kind && self.scope.sends(message);
        let messages: Vec<&Message> = self.past.iter().filter(is_meant).rev().copied().collect();
        let named: HashSet<&str> = messages.iter().filter_map(|one| one.task.as_deref()).collect();
        let mut told: HashSet<&str> = HashSet::new();
        let mut ends = Vec::new();
        for message in messages {
            // A message that names only a story is about a task of it that no message names.
            let is_its = |task: &&&Task| {
                task.story.is_some()
                    && task.story == message.story
                    && !named.contains(task.id.as_str())
            };
            let of_story = || records.values().find(is_its).map(|task| task.id.as_str());
            let id = message.task.as_deref().or_else(of_story);
            if id.is_none_or(|id| told.insert(id)) {
                let task = id.and_then(|id| records.shift_remove(id));
                ends.push(end(task, Some(message)));
            }
        }
        ends.extend(records.into_values().map(|task| end(Some(task), None)));
        ends
    }

    /// Why an open story cannot be completed now; the first is the most serious. Empty if it can, or no reason is
    /// recorded.
    pub(crate) fn reasons(&self, at: usize) -> Vec<Reason> {
        let story = self.open.stories[at];
        let cite = rows::cite_story(story);
        let of_record = |verb, what| Reason { verb, what, cite: cite.clone() };
        let mut reasons = Vec::new();
        if self.open.is_in_cycle(at) {
            reasons.push(of_record("is in", "a dependency cycle".to_owned()));
        }
        for words in &story.reasons {
            reasons.push(of_record("waits for:", line(words)));
        }
        // What is no open work is never done: it comes first.
        let mut unmet: Vec<&str> = self.open.unmet(story).collect();
        unmet.sort_by_key(|id| self.open.known(id).is_some_and(Story::is_work));
        reasons.extend(unmet.into_iter().map(|id| of_record("needs", self.with_status(id))));
        for task in self.blocked_tasks.get(story.id.as_str()).into_iter().flatten().take(MOST_TASKS)
        {
            reasons.push(Reason { verb: "", what: self.said(task), cite: rows::cite_task(task) });
        }
        if let Some(block) = self.blocks.get(story.id.as_str())
            && let Some(what) = block.excerpt()
            && !story.reasons.iter().any(|words| line(words) == what)
        {
            reasons.push(Reason { verb: "", what, cite: block.cite() });
        }
        if !story.is_workable() && story.status != "blocked" {
            let what = format!("a status that is ready (it is {})", line(&story.status));
            reasons.push(of_record("waits for:", what));
        }
        reasons
    }

    /// The id of a story with its status: `US-0009 (in-progress)`.
    fn with_status(&self, id: &str) -> String {
        let status = self.open.known(id).map_or("not in the project", |need| &need.status);
        format!("{} ({})", line(id), line(status))
    }

    /// A table of stories with what each needs that is not completed.
    pub(super) fn stories_with_needs(
        &self,
        key: &'static str,
        heading: &str,
        all: &[&Story],
    ) -> Listing {
        Listing::table(key, heading, "story=id, title, status, owner, needs", all, |story| {
            rows::with(rows::story(story), "needs", self.needs_of(&[story]))
        })
    }

    /// What stories need that is not completed: `US-0009 (in-progress), US-0010 (blocked)`.
    pub(crate) fn needs_of(&self, stories: &[&Story]) -> String {
        let unmet: IndexSet<&str> =
            stories.iter().flat_map(|story| self.open.unmet(story)).collect();
        joined(unmet.into_iter().map(|id| self.with_status(id)), NEEDED, ", ")
    }

    /// The reasons in one text; [`NO_REASON`] without any.
    pub(crate) fn reasons_text(&self, at: usize) -> String {
        let reasons: Vec<String> = self.reasons(at).iter().map(Reason::text).collect();
        if reasons.is_empty() { NO_REASON.to_owned() } else { reasons.join("; ") }
    }

    /// The sentence on what is blocked, with the stories and tasks of each blocker together, and what is deferred:
    /// `Blocked: US-0010 by signing secret; US-0017, US-0018 by US-0009 (ready). On hold: US-0016.`
    pub(crate) fn blocked_line(&self) -> String {
        let mut groups: IndexMap<String, Vec<&str>> = IndexMap::new();
        let mut add = |by: Option<String>, id: &'a str| {
            let by = by.map_or_else(|| NO_REASON.to_owned(), |by| format!("by {}", bare(&by)));
            groups.entry(by).or_default().push(id);
        };
        for at in self.blocked() {
            let first = self.reasons(at).into_iter().next();
            add(first.map(|reason| reason.what), self.open.graph.id(at));
        }
        for task in self.other_blocked_tasks() {
            add(task.error.as_deref().map(line), &task.id);
        }
        let groups =
            groups.into_iter().map(|(by, ids)| format!("{} {by}", joined(ids, NAMED, ", ")));
        let blocked = joined(groups, NAMED, "; ");
        let blocked = if blocked.is_empty() { self.none("nothing") } else { blocked };
        let on_hold = self.on_hold();
        if on_hold.is_empty() {
            return format!("Blocked: {blocked}.");
        }
        let on_hold = joined(on_hold.iter().map(|story| story.id.as_str()), NAMED, ", ");
        format!("Blocked: {blocked}. On hold: {on_hold}.")
    }

    /// The sentence on who waits for whom: owners of stories for the owners of their dependencies, if either story is of
    /// the scope, and askers for those who have not answered.
    pub(crate) fn waiting_line(&self) -> String {
        let mut pairs: IndexMap<(&str, &str), IndexSet<&str>> = IndexMap::new();
        let mut beyond: IndexSet<&str> = IndexSet::new();
        for (at, story) in self.open.stories.iter().enumerate() {
            let is_meant = self.scope.has_story(story);
            for need in self.open.needs(at).filter(|need| is_meant || self.scope.has_story(need)) {
                let pair = story.owner.as_deref().zip(need.owner.as_deref());
                if let Some(pair) = pair.filter(|(owner, other)| owner != other) {
                    pairs.entry(pair).or_default().insert(&story.id);
                } else if !is_meant {
                    // Who takes over has to know of it, whoever owns it.
                    beyond.insert(&story.id);
                }
            }
        }
        pairs.sort_by(|_, a, _, b| b.len().cmp(&a.len()));
        let owners = pairs.into_iter().map(|((owner, other), ids)| {
            format!("{} for {} ({})", line(owner), line(other), joined(ids, OF_A_PAIR, ", "))
        });
        let asked = self.unanswered.iter().filter_map(|question| {
            let other = question.to.as_deref().unwrap_or("anybody");
            Some(format!("{} for an answer of {}", line(question.from.as_deref()?), line(other)))
        });
        let beyond = (!beyond.is_empty()).then(|| joined(beyond, OF_A_PAIR, ", "));
        let waiting = joined(owners.chain(beyond).chain(asked), NAMED, "; ");
        format!("Waiting: {}.", if waiting.is_empty() { self.none("nobody") } else { waiting })
    }

    /// A word for none, limited to what could be read where some records or files could not.
    fn none(&self, word: &str) -> String {
        let gaps = &self.snapshot.gaps;
        let is_whole = gaps.unread.is_empty() && gaps.doubtful.is_none();
        if is_whole { word.to_owned() } else { format!("{word} in what could be read") }
    }

    /// The blocked tasks of the scope whose story is not blocked itself.
    fn other_blocked_tasks(&self) -> Vec<&'a Task> {
        let blocked = self.blocked();
        let ids: HashSet<&str> = blocked.iter().map(|at| self.open.graph.id(*at)).collect();
        let mut tasks = self.tasks("blocked");
        tasks.retain(|task| !task.story.as_deref().is_some_and(|story| ids.contains(story)));
        tasks
    }

    /// The sentence on what changed in the span, with the counts of the lists.
    pub(crate) fn changed_line(&self) -> String {
        let (completed, begun, failures) = (self.completed(), self.begun(), self.ended("failed"));
        let blocked = self.past.iter().filter(|message| message.kind == MessageKind::Blocked);
        let blocked = blocked.filter_map(|one| one.story.as_deref().or(one.task.as_deref()));
        let named = |ids: &mut dyn Iterator<Item = &str>, how: &str| {
            let ids: IndexSet<&str> = ids.collect();
            (!ids.is_empty()).then(|| format!("{} {how}", joined(ids, NAMED, ", ")))
        };
        let tasks = self.ended("completed").len();
        let parts = [
            named(&mut completed.iter().map(|story| story.id.as_str()), "done"),
            named(&mut begun.iter().map(|story| story.id.as_str()), "begun"),
            (tasks > 0).then(|| format!("{} completed", counted(tasks, "task", "tasks"))),
            named(&mut failures.iter().filter_map(|row| row["id"].as_str()), "failed"),
            named(&mut blocked.into_iter(), "blocked"),
            named(&mut self.taken_back.iter().map(|one| one.id.as_str()), "with less in the plan"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let what = if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") };
        let span = &self.scope.span;
        let time = |story: &Story| time::parse(story.completed_at.as_deref()?, Edge::Start);
        let undated = self.stories(|one| !span.is_all() && one.is_done() && time(one).is_none());
        let undated = joined(undated.iter().map(|story| &story.id), NAMED, ", ");
        let undated = match undated.as_str() {
            "" => String::new(),
            ids => format!(" Done at a time that is not recorded: {ids}."),
        };
        format!("{}: {what}.{undated}", span.qualify("Changed"))
    }

    /// A task in words: what it is, what it needs that is not completed, and its error.
    fn said(&self, task: &Task) -> String {
        let mut parts = vec![line(&task.description)];
        let needs = ids(self.open_needs(task));
        if !needs.is_empty() {
            parts.push(format!("needs {needs}"));
        }
        parts.extend(task.error.as_deref().map(line));
        parts.join("; ")
    }

    pub(crate) fn row(&self, task: &Task) -> Value {
        let story = task.story.as_ref().map(|story| format!(" ({story})")).unwrap_or_default();
        let said = format!("{}{story}: {}", line(&task.id), self.said(task));
        rows::with(rows::task(task), "said", said)
    }

    /// The work of the scope that is neither done nor only planned, and what was taken back from the plan.
    pub(crate) fn work_sections(&self) -> Vec<Listing> {
        let list = |key, heading, tasks: &[&Task]| {
            Listing::list(key, heading, tasks, |task| self.row(task))
        };
        let begun = self.stories(Story::is_begun);
        let other = self.stories(Story::has_other_status);
        vec![
            self.stories_with_needs("in_progress", "In progress", &begun),
            rows::stories("other", "With another status", rows::STORY, &other),
            rows::tasks("running", "Running tasks", rows::TASK, &self.tasks("running")),
            Listing::list("blocked", "Blocked", &self.blocked(), |at| self.blocked_row(*at)),
            list("blocked_tasks", "Blocked tasks of other stories", &self.other_blocked_tasks()),
            list("failed", "Failed tasks", &self.tasks("failed")),
            rows::stories("on_hold", "On hold", rows::STORY, &self.on_hold()),
            self.taken_back_section(),
        ]
    }

    /// What was taken back from the plan, as far as it is known: `2026-03-10 US-0009: Reopened: done → in-progress`.
    pub(crate) fn taken_back_section(&self) -> Listing {
        Listing::list("taken_back", "Taken back from the plan", &self.taken_back, |change| {
            let Change { at, id, summary, place, .. } = change;
            let day = at.split('T').next().unwrap_or(at);
            cited(&format!("{day} {id}: {summary}"), place.as_deref().unwrap_or_default())
        })
    }

    fn blocked_row(&self, at: usize) -> Value {
        let story = self.open.stories[at];
        let owner = story.owner.as_deref().map(|owner| format!(" ({})", line(owner)));
        let said = format!("{}: {}{}", line(&story.id), name(story), owner.unwrap_or_default());
        let reasons: Vec<Value> =
            self.reasons(at).iter().map(|one| cited(&one.text(), &one.cite)).collect();
        rows::with(cited(&said, ""), "below", reasons)
    }
}
