//! The lists of a status report, and which stories, tasks, messages and sessions they contain.

use std::collections::HashSet;

use serde_json::Value;

use crate::project_state::exchange::Blocks;
use crate::project_state::open::Open;
use crate::project_state::span::Span;
use crate::project_state::{
    Activity, Epic, Kind, Message, Session, Snapshot, Story, Task, rows, say,
};
use crate::text::line;
use flow_model::time::{self, Edge};

pub(super) struct Lists<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) open: &'a Open<'a>,
    pub(super) span: &'a Span,
    pub(super) messages: &'a [Message],
    /// The newest blocks, failures and questions of the whole log.
    pub(super) standing: &'a [Message],
    /// The current blocks among them.
    pub(super) blocks: Blocks<'a>,
    /// The stories of the selected epic; `None` without one.
    pub(super) ours: Option<HashSet<&'a str>>,
}

pub(super) fn stories_of<'a>(snapshot: &'a Snapshot, epic: &Epic) -> HashSet<&'a str> {
    let ours = snapshot.stories.iter().filter(|story| story.epic.as_ref() == Some(&epic.id));
    ours.map(|story| story.id.as_str()).collect()
}

impl<'a> Lists<'a> {
    /// Whether something about this story is listed.
    pub(super) fn is_within(&self, story: Option<&str>) -> bool {
        let Some(ours) = &self.ours else { return true };
        story.is_some_and(|id| ours.contains(id))
    }

    pub(super) fn stories(&self, is_selected: impl Fn(&Story) -> bool) -> Vec<&'a Story> {
        let ours = self.snapshot.stories.iter().filter(|story| self.is_within(Some(&story.id)));
        ours.filter(|story| is_selected(story)).collect()
    }

    pub(super) fn tasks(&self, state: &str) -> Vec<&'a Task> {
        let of_state = self.snapshot.tasks.iter().filter(|task| task.state == state);
        of_state.filter(|task| self.is_within(task.story.as_deref())).collect()
    }

    pub(super) fn blocked(&self) -> Value {
        say::limit_rows(&self.blocked_stories(), |story| {
            let mut row = rows::story(story);
            row["why"] = rows::blocked_by(self.snapshot, story, &self.blocks).into();
            row
        })
    }

    /// The open stories that are blocked, by their status or by anything other than open stories.
    fn blocked_stories(&self) -> Vec<&'a Story> {
        let blocked = (0..self.open.stories.len()).filter(|at| self.open.is_blocked(*at));
        let blocked = blocked.map(|at| self.open.stories[at]);
        blocked.filter(|story| self.is_within(Some(&story.id))).collect()
    }

    /// The blocked tasks of stories that are not blocked themselves.
    pub(super) fn blocked_tasks(&self) -> Value {
        let blocked = self.blocked_stories();
        let blocked: HashSet<&str> = blocked.iter().map(|story| story.id.as_str()).collect();
        let mut tasks = self.tasks("blocked");
        tasks.retain(|task| !task.story.as_deref().is_some_and(|story| blocked.contains(story)));
        say::limit_rows(&tasks, |task| rows::blocked_task(task))
    }

    /// The stories completed in the span, newest first.
    pub(super) fn completed(&self) -> Value {
        let mut stories = self.snapshot.completed_in(self.span);
        stories.retain(|story| self.is_within(Some(&story.id)));
        say::limit_rows(&stories, |story| {
            let mut row = rows::story(story);
            row["completed_at"] = story.completed_at.as_deref().into();
            row
        })
    }

    /// The tasks that are completed in the span, according to messages or only to their records, newest first.
    pub(super) fn completed_tasks(&self) -> Value {
        let is_done = |message: &&Message| {
            message.kind == Kind::Completed && self.is_within(message.story.as_deref())
        };
        let said: Vec<&Message> = self.messages.iter().rev().filter(is_done).collect();
        let told: HashSet<&str> = said.iter().filter_map(|found| found.task.as_deref()).collect();
        let mut done: Vec<Value> = said.iter().map(|message| self.completion(message)).collect();
        let untold = self.tasks("completed").into_iter().filter(|task| {
            !told.contains(task.id.as_str()) && self.span.holds_any(task.updated_at.as_deref())
        });
        done.extend(untold.map(|task| {
            let said = format!("{}: {}", line(&task.id), line(&task.description));
            rows::quote(&said, &rows::cite_task(task))
        }));
        say::limit_rows(&done, Value::clone)
    }

    /// The text of a message about a completion, or the description of the task's record.
    fn completion(&self, message: &Message) -> Value {
        let record = || {
            let id = message.task.as_ref()?;
            let record = self.snapshot.tasks.iter().find(|task| task.id == *id)?;
            Some(line(&record.description))
        };
        let what = match (&message.task, &message.story) {
            (Some(task), _) => line(task),
            (None, Some(story)) => format!("a task of {}", line(story)),
            (None, None) => "a task".to_owned(),
        };
        let said: Vec<String> =
            [Some(what), message.excerpt().or_else(record)].into_iter().flatten().collect();
        rows::quote(&said.join(": "), &message.cite())
    }

    /// The failed tasks, with the last message about the failure.
    pub(super) fn failed(&self) -> Value {
        say::limit_rows(&self.tasks("failed"), |task| {
            let about = |message: &&Message| {
                message.kind == Kind::Failed && message.task.as_ref() == Some(&task.id)
            };
            let message = self.standing.iter().rfind(about);
            let words = message.and_then(Message::excerpt);
            let mut said = vec![format!("{}: {}", line(&task.id), line(&task.description))];
            said.extend(task.error.as_deref().map(line));
            said.extend(words.clone().filter(|words| !said.contains(words)));
            let mut cites = vec![rows::cite_task(task)];
            cites.extend(message.filter(|_| words.is_some()).map(Message::cite));
            let mut row = rows::task(task);
            row["said"] = said.join("; ").into();
            row["cite"] = cites.join("; ").into();
            row
        })
    }

    pub(super) fn sessions(&self) -> Value {
        let is_active = |session: &&Session| {
            session.activity == Activity::Active && self.is_within(session.story.as_deref())
        };
        let active: Vec<_> = self.snapshot.sessions.iter().filter(is_active).collect();
        say::limit_rows(&active, |session| rows::session(session))
    }

    /// What a report needs and is not recorded, worded as what to add.
    pub(super) fn questions(&self) -> Vec<String> {
        let ids = |stories: Vec<&'a Story>| stories.into_iter().map(|story| story.id.as_str());
        let is_bare =
            |story: &&&Story| rows::blocked_by(self.snapshot, story, &self.blocks).is_empty();
        let blocked = self.blocked_stories();
        let bare = blocked.iter().take(say::LISTED).filter(is_bare).copied().collect();
        let ownerless = self.stories(|story| story.is_begun() && story.owner.is_none());
        let timeless = self.stories(|story| story.is_completed() && story.completed_at.is_none());
        let unread = |story: &&'a Story| {
            let at = story.completed_at.as_deref().filter(|_| story.is_completed())?;
            let is_unread = time::parse(at, Edge::Start).is_none();
            is_unread.then(|| (story.id.as_str(), format!("{at:?}")))
        };
        let all = self.stories(|_| true);
        let is_dated = !self.span.is_all();
        let asked = [
            say::not_recorded("blocked_by", ids(bare)),
            say::not_recorded("owner", ids(ownerless)),
            say::not_recorded("completed_at", ids(timeless)).filter(|_| is_dated),
            say::not_readable(
                "completed_at: not a time",
                all.iter().filter_map(unread),
                "2026-01-31 or 2026-01-31T12:00:00Z",
            )
            .filter(|_| is_dated),
        ];
        asked.into_iter().flatten().collect()
    }
}
