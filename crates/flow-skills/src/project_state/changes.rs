//! The changes in a time span, by the messages of the log and the dates of the records.

use indexmap::IndexSet;

use super::say::{counted, first_ids};
use super::span::Span;
use super::{Kind, Message, Snapshot, Story};

/// Largest number of ids in a line of a summary.
const NAMED: usize = 5;

/// The ids of what changed.
#[derive(Debug, Default)]
pub struct Changes<'a> {
    /// Stories that were completed, by their records; newest first.
    pub done: Vec<&'a str>,
    /// Stories that were begun, by their records; newest first.
    pub begun: Vec<&'a str>,
    /// Tasks that were completed, by a message or by their records.
    pub tasks_done: IndexSet<&'a str>,
    /// What failed, by a message or by the records of tasks.
    pub failed: IndexSet<&'a str>,
    /// What was blocked, by a message.
    pub blocked: IndexSet<&'a str>,
}

impl<'a> Changes<'a> {
    /// The changes in a span, from its messages and the snapshot; `is_selected` says which stories count, and is asked
    /// with `None` for what belongs to no story.
    pub fn of(
        snapshot: &'a Snapshot,
        span: &Span,
        messages: &'a [Message],
        is_selected: impl Fn(Option<&str>) -> bool,
    ) -> Self {
        let mut found = Self::default();
        let in_span = |at: &Option<String>| at.as_deref().is_some_and(|at| span.holds(at));
        let ids = |stories: Vec<&'a Story>, at: fn(&Story) -> &Option<String>| {
            let ours = stories.into_iter().filter(|story| at(story).is_some());
            ours.map(|story| story.id.as_str()).filter(|id| is_selected(Some(id))).collect()
        };
        found.done = ids(snapshot.completed_in(span), |story| &story.completed_at);
        found.begun =
            ids(snapshot.newest_first(span, |story| story.started_at.as_deref()), |story| {
                &story.started_at
            });
        for message in messages.iter().filter(|message| is_selected(message.story.as_deref())) {
            let Some(what) = message.task.as_deref().or(message.story.as_deref()) else { continue };
            match message.kind {
                Kind::Completed => _ = found.tasks_done.insert(what),
                Kind::Failed => _ = found.failed.insert(what),
                Kind::Blocked => {
                    _ = found.blocked.insert(message.story.as_deref().unwrap_or(what));
                }
                _ => {}
            }
        }
        let tasks = snapshot.tasks.iter().filter(|task| is_selected(task.story.as_deref()));
        for task in tasks.filter(|task| in_span(&task.updated_at)) {
            match task.state.as_str() {
                "completed" => _ = found.tasks_done.insert(&task.id),
                "failed" => _ = found.failed.insert(&task.id),
                _ => {}
            }
        }
        found
    }

    /// A short phrase: `US-0021 done, 3 tasks completed, task-0009 failed`.
    pub fn phrase(&self) -> String {
        let named = |ids: Vec<&str>, how: &str| {
            (!ids.is_empty()).then(|| format!("{} {how}", first_ids(ids, NAMED)))
        };
        let tasks = self.tasks_done.len();
        let parts = [
            named(self.done.clone(), "done"),
            named(self.begun.clone(), "begun"),
            (tasks > 0).then(|| format!("{} completed", counted(tasks, "task", "tasks"))),
            named(self.failed.iter().copied().collect(), "failed"),
            named(self.blocked.iter().copied().collect(), "blocked"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
    }
}
