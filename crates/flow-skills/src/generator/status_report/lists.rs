//! The lists of a status report: which stories, tasks, messages and sessions stand in which.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::project_state::open::is_begun;
use crate::project_state::span::Span;
use crate::project_state::{Activity, Board, Epic, Kind, Message, Session, Story, Task, rows, say};
use crate::text::line;
use flow_model::time::{self, Edge};

/// What the lists are made of.
pub(super) struct Lists<'a> {
    board: &'a Board,
    span: &'a Span,
    messages: &'a [Message],
    troubles: &'a [Message],
    /// The stories of the epic that they keep to; none where they keep to none.
    ours: Option<HashSet<&'a str>>,
}

impl<'a> Lists<'a> {
    /// Lists of a board and a span, of an epic alone where one is given; with the messages of the span, and what the
    /// whole log says of blocks and failures.
    pub(super) fn new(
        (board, epic): (&'a Board, Option<&'a Epic>),
        span: &'a Span,
        (messages, troubles): (&'a [Message], &'a [Message]),
    ) -> Self {
        let ours = epic.map(|epic| {
            let ours = board.stories.iter().filter(|story| story.epic.as_ref() == Some(&epic.id));
            ours.map(|story| story.id.as_str()).collect()
        });
        Self { board, span, messages, troubles, ours }
    }

    /// Whether what is of this story is listed.
    fn is_within(&self, story: Option<&String>) -> bool {
        let Some(ours) = &self.ours else { return true };
        story.is_some_and(|id| ours.contains(id.as_str()))
    }

    fn stories(&self, is_meant: impl Fn(&Story) -> bool) -> Vec<&'a Story> {
        let ours = self.board.stories.iter().filter(|story| self.is_within(Some(&story.id)));
        ours.filter(|story| is_meant(story)).collect()
    }

    fn tasks(&self, state: &str) -> Vec<&'a Task> {
        let within = |task: &&Task| task.state == state && self.is_within(task.story.as_ref());
        self.board.tasks.iter().filter(within).collect()
    }

    /// How many stories have a status.
    pub(super) fn stories_of(&self, status: &str) -> usize {
        self.stories(|story| story.status == status).len()
    }

    /// How many tasks are in a state.
    pub(super) fn tasks_of(&self, state: &str) -> usize {
        self.tasks(state).len()
    }

    /// The stories that have begun, with their running tasks.
    pub(super) fn in_progress(&self) -> Value {
        let running = self.tasks("running");
        say::limit_rows(&self.stories(is_begun), |story| {
            let ours = running.iter().filter(|task| task.story.as_ref() == Some(&story.id));
            let ours: Vec<&str> = ours.map(|task| task.id.as_str()).collect();
            let mut row = rows::story(story);
            row["tasks"] = say::ids(ours).into();
            row
        })
    }

    pub(super) fn running(&self) -> Value {
        say::limit_rows(&self.tasks("running"), |task| rows::task(task))
    }

    pub(super) fn blocked(&self) -> Value {
        say::limit_rows(&self.blocked_stories(), |story| {
            let mut row = rows::story(story);
            row["why"] = rows::blocked_by(self.board, story, self.troubles).into();
            row
        })
    }

    fn blocked_stories(&self) -> Vec<&'a Story> {
        self.stories(|story| story.status == "blocked")
    }

    /// The blocked tasks of stories that are not blocked themselves.
    pub(super) fn blocked_tasks(&self) -> Value {
        let blocked = self.blocked_stories();
        let blocked: HashSet<&str> = blocked.iter().map(|story| story.id.as_str()).collect();
        let mut tasks = self.tasks("blocked");
        tasks.retain(|task| !task.story.as_deref().is_some_and(|story| blocked.contains(story)));
        say::limit_rows(&tasks, |task| rows::blocked_task(task))
    }

    /// The completed stories of the span, the newest first; those without a time last, where the span is all of time.
    pub(super) fn completed(&self) -> Value {
        let mut stories = self.stories(|story| {
            let at = story.completed_at.as_deref();
            story.is_completed() && (self.span.is_all() || at.is_some_and(|at| self.span.holds(at)))
        });
        let at = |story: &Story| time::parse(story.completed_at.as_deref()?, Edge::Start);
        stories.sort_by_key(|story| std::cmp::Reverse(at(story)));
        say::limit_rows(&stories, |story| {
            let mut row = rows::story(story);
            row["completed_at"] = story.completed_at.as_deref().into();
            row
        })
    }

    /// The tasks that messages of the span say are completed, and those whose record alone says so, the newest first.
    pub(super) fn completed_tasks(&self) -> Value {
        let is_done = |message: &&Message| {
            message.kind == Kind::Completed && self.is_within(message.story.as_ref())
        };
        let said: Vec<&Message> = self.messages.iter().rev().filter(is_done).collect();
        let told: HashSet<&str> = said.iter().filter_map(|found| found.task.as_deref()).collect();
        let mut done: Vec<Value> = said.iter().map(|message| self.completion(message)).collect();
        let untold = self.tasks("completed").into_iter().filter(|task| {
            let at = task.updated_at.as_deref();
            !told.contains(task.id.as_str())
                && (self.span.is_all() || at.is_some_and(|at| self.span.holds(at)))
        });
        done.extend(untold.map(|task| {
            json!({
                "time": task.updated_at, "from": task.agent, "story": task.story, "task": task.id,
                "said": line(&task.description), "cite": rows::cite_task(task),
            })
        }));
        say::limit_rows(&done, Value::clone)
    }

    /// What a message says of a completion; the words of the task's record where it has none.
    fn completion(&self, message: &Message) -> Value {
        let mut row = message.row();
        let is_meant = |task: &&Task| Some(&task.id) == message.task.as_ref();
        if row["said"].is_null()
            && let Some(task) = self.board.tasks.iter().find(is_meant)
        {
            row["said"] = line(&task.description).into();
        }
        row
    }

    /// The failed tasks, with the last message about the failure.
    pub(super) fn failed(&self) -> Value {
        say::limit_rows(&self.tasks("failed"), |task| {
            let about = |message: &&Message| {
                message.kind == Kind::Failed && message.task.as_ref() == Some(&task.id)
            };
            let mut row = rows::task(task);
            let last = self.troubles.iter().rfind(about);
            row["message"] =
                last.and_then(|message| Some(rows::said(&message.said()?, &message.cite()))).into();
            row
        })
    }

    /// The active sessions.
    pub(super) fn sessions(&self) -> Value {
        let is_active = |session: &&Session| {
            session.activity == Activity::Active && self.is_within(session.story.as_ref())
        };
        let active: Vec<_> = self.board.sessions.iter().filter(is_active).collect();
        say::limit_rows(&active, |session| rows::session(session))
    }

    /// What the records do not say and a report should.
    pub(super) fn questions(&self) -> Vec<String> {
        let mut asked = Vec::new();
        let unsaid =
            |story: &&&Story| rows::blocked_by(self.board, story, self.troubles).is_empty();
        let blocked = self.blocked_stories();
        asked.extend(blocked.iter().take(say::LISTED).filter(unsaid).map(|story| {
            format!("What blocks {}? Neither its record nor a message says.", line(&story.id))
        }));
        let ownerless = self.stories(|story| is_begun(story) && story.owner.is_none());
        if !ownerless.is_empty() {
            let ids = say::ids(ownerless.iter().map(|story| story.id.as_str()));
            asked.push(format!("Who has {ids}? Work has begun, and no owner is recorded."));
        }
        let is_timeless = |story: &Story| {
            let at = story.completed_at.as_deref();
            story.is_completed() && at.is_none_or(|at| time::parse(at, Edge::Start).is_none())
        };
        let timeless = self.stories(is_timeless);
        if !timeless.is_empty() && !self.span.is_all() {
            let ids = say::ids(timeless.iter().map(|story| story.id.as_str()));
            asked.push(format!(
                "When was the work completed on {ids}? No time is recorded, so the list is without it."
            ));
        }
        asked
    }
}
