//! Ids that both a story and a task have, where the two records contradict each other.

use crate::model::problem::{Effect, Position, Problems};

use crate::model::record::status;

use super::records::Records;

/// Statuses of stories whose work is done and not accepted: their tasks are completed.
const CHECKED: [&str; 14] = [
    "in-review",
    "review",
    "reviewing",
    "ready-for-review",
    "needs-review",
    "testing",
    "in-test",
    "in-testing",
    "in-qa",
    "qa",
    "ready-for-qa",
    "verifying",
    "staging",
    "staged",
];

/// The tasks whose id is that of a story with other content: one of the two is done and the other is not, or their titles
/// differ.
pub fn contradictions(stories: &Records, tasks: &Records) -> Problems {
    let mut problems = Problems::default();
    for (at, id) in tasks.ids().enumerate() {
        // Numbers count separately in each file.
        let is_name = id.contains(char::is_alphabetic) && id.contains(|c: char| c.is_ascii_digit());
        let Some(story) = stories.position(id).filter(|_| is_name) else { continue };
        let Some(difference) = difference(stories, story, tasks, at) else { continue };
        let reason =
            format!("a story has this id too, and {difference}; use another id, or correct one");
        problems.note(Position::Id(id.to_owned()), Effect::Suspicious, reason);
    }
    problems
}

fn difference(
    stories: &Records,
    story: usize,
    tasks: &Records,
    task: usize,
) -> Option<&'static str> {
    let (story_at, task_at) = (u32::try_from(story).ok()?, u32::try_from(task).ok()?);
    if stories.is_done(story_at) && tasks.is_open(task_at) {
        return Some("is done, while the task is not");
    }
    let is_checked = || {
        let status = stories
            .record(story)
            .and_then(|record| record.word("status").map(|word| status(&word).into_owned()));
        status.is_some_and(|status| CHECKED.contains(&status.as_str()))
    };
    if tasks.is_done(task_at) && stories.is_open(story_at) && !is_checked() {
        return Some("is not done, while the task is");
    }
    let title =
        |records: &Records, at| Some(records.record(at)?.text(&["title", "name"])?.to_lowercase());
    let (of_story, of_task) = (title(stories, story)?, title(tasks, task)?);
    (of_story != of_task).then_some("has another title")
}
