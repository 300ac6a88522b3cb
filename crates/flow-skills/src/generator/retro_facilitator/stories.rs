//! The stories of a time span from the records: completed and begun ones, and their durations.

use serde_json::{Value, json};

use super::durations::{median, show};
use super::{Snapshot, Span, Story, say};
use flow_model::time::{self, Edge};

#[derive(Debug)]
pub(super) struct Stories<'a> {
    /// Those that were completed in it, the newest last.
    pub(super) completed: Vec<&'a Story>,
    begun: usize,
    /// The durations of stories with both times, in milliseconds, shortest first.
    took: Vec<u64>,
}

impl<'a> Stories<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, span: &Span) -> Self {
        let mut completed = snapshot.completed_in(span);
        let at = |story: &&Story| time::parse(story.completed_at.as_deref()?, Edge::Start);
        completed.sort_by_key(at);
        let begun = snapshot.stories.iter().filter_map(|story| story.started_at.as_deref());
        let begun = begun.filter(|at| span.holds(at)).count();
        let mut took: Vec<u64> = completed.iter().filter_map(|story| took_ms(story)).collect();
        took.sort_unstable();
        Self { completed, begun, took }
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

    /// The row of the table of figures.
    pub(super) fn row(&self) -> Value {
        let begun = (self.begun > 0).then(|| format!("{} begun", self.begun));
        let took = median(&self.took).map(|median| format!("median time {}", show(median)));
        let parts = [Some(format!("{} completed", self.completed.len())), begun, took];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        json!({"name": "stories", "value": parts.join(", ")})
    }
}

/// The duration of a story; `None` if its record does not have both times in order, one of them is a date without a time,
/// or both are the same date.
fn took_ms(story: &Story) -> Option<u64> {
    let (first, last) = (story.started_at.as_deref()?, story.completed_at.as_deref()?);
    let is_date = |text: &str| !text.contains(':');
    if is_date(first) != is_date(last) || is_date(first) && first == last {
        return None;
    }
    let at = |text| time::parse(text, Edge::Start);
    let nanoseconds = i128::from(at(last)?) - i128::from(at(first)?);
    u64::try_from(nanoseconds / 1_000_000).ok().filter(|_| nanoseconds >= 0)
}
