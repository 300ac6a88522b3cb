//! What comes next within a scope: the steps that are recorded, and the stories that are not begun.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Board, Listing, rows};
use crate::project_state::names::{Name, Named};
use crate::project_state::say::joined;
use crate::project_state::{Message, MessageKind, Story, text};
use crate::text::{bare, line};

/// Largest number of steps in the sentence of the summary.
const NAMED: usize = 3;

/// The sentence without a step. A page that has it need not have any of the sections.
pub(crate) const NO_NEXT: &str = "Next: not recorded.";

impl Board<'_> {
    /// The sections on all work that is to be done, with these criteria too, and the sentence on the first steps.
    pub(crate) fn work(&self, newest: &[Message], criteria: &[Value]) -> (Vec<Listing>, String) {
        let next = self.next(newest);
        let criteria = [&self.criteria(), criteria].concat();
        let mut sections = vec![rows::list("criteria", "Acceptance criteria", &criteria)];
        sections.extend(self.work_sections());
        sections.extend([rows::list("next", "Next", &next), self.not_begun()]);
        let steps = next.iter().filter_map(|claim| claim["said"].as_str()?.split(';').next());
        let steps = joined(steps.map(bare), NAMED, "; ");
        let next = if steps.is_empty() { NO_NEXT.to_owned() } else { format!("Next: {steps}.") };
        (sections, next)
    }

    /// The open stories that are neither begun nor blocked, with what each needs first.
    fn not_begun(&self) -> Listing {
        let open = &self.open;
        let is_it = |at: &usize| {
            let story = open.stories[*at];
            self.scope.has_story(story) && !story.is_begun() && !open.is_blocked(*at)
        };
        let stories: Vec<&Story> =
            (0..open.stories.len()).filter(is_it).map(|at| open.stories[at]).collect();
        self.stories_with_needs("stories", "Not begun", &stories)
    }

    /// The acceptance criteria of the stories that are named, and of those that are begun in a part of the project.
    pub(crate) fn criteria(&self) -> Vec<Value> {
        let is_meant = |story: &Story| {
            let is_named = |name: &Name| name.kind == Named::Story && name.id == story.id;
            !self.scope.is_all() && (story.is_begun() || self.scope.names.iter().any(is_named))
        };
        let stories = self.stories(is_meant);
        let criteria = stories.iter().flat_map(|story| {
            // Where task-master keeps how a task is checked.
            let strategy = text(&story.record, &["testStrategy"]);
            let all = story.criteria.iter().cloned().chain(strategy).map(|one| line(&one));
            let all = all.filter(|one| !one.is_empty());
            all.map(|one| rows::cited(&one, &rows::cite_story(story))).collect::<Vec<_>>()
        });
        criteria.collect()
    }

    /// The steps that the last handoffs of open stories name; queued tasks, those that can begin first; and reviews that are
    /// requested or were rejected, without a later review of the same story.
    pub(crate) fn next(&self, newest: &[Message]) -> Vec<Value> {
        let mut handoffs: BTreeMap<Option<&str>, &Message> = BTreeMap::new();
        let mut reviews: BTreeMap<&str, &Message> = BTreeMap::new();
        for message in newest.iter().filter(|message| self.scope.has_message(message)) {
            let story = message.story.as_deref();
            if message.next_step().is_some() {
                handoffs.insert(story, message);
            }
            if let (MessageKind::Review | MessageKind::ReviewRequest, Some(story)) =
                (message.kind, story)
            {
                reviews.insert(story, message);
            }
        }
        handoffs.retain(|story, _| {
            story.and_then(|id| self.snapshot.story(id)).is_none_or(Story::is_open)
        });
        let step = |message: &&Message| {
            let of = message.subject().map(|id| format!("{id}: ")).unwrap_or_default();
            Some(rows::cited(&format!("{of}{}", message.next_step()?), &message.cite()))
        };
        let mut steps: Vec<Value> = handoffs.values().filter_map(step).collect();
        let mut queued = self.tasks("queued");
        queued.sort_by_key(|task| self.open_needs(task).next().is_some());
        steps.extend(queued.into_iter().map(|task| self.row(task)));
        for (story, last) in reviews {
            let how = match (last.kind, last.is_passed()) {
                (MessageKind::ReviewRequest, _) => "waits for a review",
                (_, Some(false)) => "was rejected in review",
                _ => continue,
            };
            let words = format!("{} {how}{}", line(story), last.quoted());
            steps.push(rows::cited(&words, &last.cite()));
        }
        steps
    }
}
