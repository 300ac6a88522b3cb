//! The stories of a time span from the records: completed and begun ones, and their durations.

use serde_json::{Value, json};

use super::durations::{median, show};
use super::{Snapshot, Span, Story, say};
use flow_model::time::{self, Edge};

/// The stories of a span.
#[derive(Debug)]
pub(super) struct Stories<'a> {
    /// Those that were completed in it, in the order of the file.
    pub(super) completed: Vec<&'a Story>,
    begun: usize,
    /// The durations of stories with both times, in milliseconds, shortest first.
    took: Vec<u64>,
}

impl<'a> Stories<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, span: &Span) -> Self {
        let in_span = |at: Option<&str>| span.holds_any(at);
        let completed: Vec<&Story> = snapshot
            .stories
            .iter()
            .filter(|story| story.is_completed() && in_span(story.completed_at.as_deref()))
            .collect();
        let begun = snapshot
            .stories
            .iter()
            .filter(|story| story.started_at.as_deref().is_some_and(|at| span.holds(at)));
        let mut took: Vec<u64> = completed.iter().filter_map(|story| took_ms(story)).collect();
        took.sort_unstable();
        Self { begun: begun.count(), took, completed }
    }

    /// As JSON; times in milliseconds.
    pub(super) fn data(&self) -> Value {
        json!({
            "completed": say::limit_rows(&self.completed, |story| json!({
                "id": story.id, "title": say::name(story), "completed_at": story.completed_at,
            })),
            "begun": self.begun,
            "timed": self.took.len(),
            "median_ms": median(&self.took),
            "longest_ms": self.took.last(),
        })
    }

    /// The rows of the table of figures, without zero counts except for the number of completed stories.
    pub(super) fn rows(&self) -> Vec<Value> {
        let mut rows =
            vec![json!({"name": "stories completed", "value": self.completed.len().to_string()})];
        if self.begun > 0 {
            rows.push(json!({"name": "stories begun", "value": self.begun.to_string()}));
        }
        if let Some(median) = median(&self.took) {
            rows.push(json!({"name": "time of a story, median", "value": show(median)}));
        }
        rows
    }
}

/// The duration of a story; `None` if its record does not have both times in order.
fn took_ms(story: &Story) -> Option<u64> {
    let at = |text: &Option<String>| time::parse(text.as_deref()?, Edge::Start);
    let (first, last) = (at(&story.started_at)?, at(&story.completed_at)?);
    let nanoseconds = i128::from(last) - i128::from(first);
    u64::try_from(nanoseconds / 1_000_000).ok().filter(|_| nanoseconds >= 0)
}
