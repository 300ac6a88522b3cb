//! The critical path: the longest dependency path through open stories.

use serde_json::{Value, json};

use crate::input::effort::Unit;
use crate::project_state::open::Open;
use crate::project_state::say::{counted, limit_rows, name};

/// The path and its unit.
///
/// Sizes are added up only if every story has one and all have the same unit; else stories are counted, with the
/// reason.
pub(super) fn critical(open: &Open<'_>) -> Value {
    let count = |unit: Option<Unit>| {
        open.stories.iter().filter(|story| story.effort.map(|size| size.unit) == unit).count()
    };
    let (points, time, none) = (count(Some(Unit::Points)), count(Some(Unit::Time)), count(None));
    // A sum is in hundredths of a point, or in minutes.
    let unit = match (points, time, none) {
        (1.., 0, 0) => Some((Unit::Points, "hundredths of a point")),
        (0, 1.., 0) => Some((Unit::Time, "minutes")),
        _ => None,
    };
    let weight = |at: usize| -> u64 {
        let size = unit.and(open.stories[at].effort);
        size.map_or(1, |size| size.most.into())
    };
    let path = open.graph.longest(weight);
    let sum = path.iter().map(|at| weight(*at)).sum();
    let stories = counted(path.len(), "story", "stories");
    let (unit, length, why) = match unit {
        Some((unit, word)) => (word, format!("{} in {stories}", unit.show(sum)), None),
        None => ("stories", stories, why(points, time, none)),
    };
    json!({
        "unit": unit,
        "sum": sum,
        "length": length,
        "why": why,
        "stories": limit_rows(&path, |at| step(open, *at)),
    })
}

fn why(points: usize, time: usize, none: usize) -> Option<String> {
    let parts = [(points, "in points"), (time, "in working time"), (none, "without a size")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    let given = parts.join(", ");
    (!given.is_empty())
        .then(|| format!("Counted in stories, not in sizes: of the open stories, {given}."))
}

fn step(open: &Open<'_>, at: usize) -> Value {
    let story = open.stories[at];
    json!({
        "id": story.id,
        "title": name(story),
        "status": story.status,
        "size": story.effort.map(|size| size.to_string()),
    })
}
