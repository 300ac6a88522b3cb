//! The stories that are analysed: all, or those around an epic or a story.

use std::collections::HashSet;

use super::Input;
use crate::output::Result;
use crate::project_state::open::Open;
use crate::project_state::{Epic, Snapshot, Story};
use crate::reach::reached;
use crate::text::line;

/// The values of the fields `epic` and `story`.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    epic: Option<&'a Epic>,
    story: Option<&'a Story>,
}

impl<'a> Scope<'a> {
    pub(super) fn read(input: &Input, snapshot: &'a Snapshot) -> Result<Self> {
        let is_epic = |id: &&str| snapshot.story(id).is_none() && snapshot.epic(id).is_some();
        let (epic, story) = match (input.epic.as_deref(), input.story.as_deref()) {
            (None, Some(id)) if is_epic(&id) => (Some(id), None),
            given => given,
        };
        let epic = epic.map(|id| snapshot.named_epic("epic", id));
        let story = story.map(|id| snapshot.named_story("story", id));
        Ok(Self { epic: epic.transpose()?, story: story.transpose()? })
    }

    /// Whether all stories are analysed.
    pub(super) fn is_all(&self) -> bool {
        self.epic.is_none() && self.story.is_none()
    }

    /// The open stories that are analysed: those named, their dependencies, and their dependents.
    pub(super) fn open<'b>(&self, snapshot: &'b Snapshot) -> Open<'b> {
        let all = Open::of(snapshot, |_| true);
        if self.is_all() {
            return all;
        }
        let is_named = |story: &Story| {
            self.epic.is_none_or(|epic| story.epic.as_ref() == Some(&epic.id))
                && self.story.is_none_or(|named| story.id == named.id)
        };
        let named: Vec<usize> =
            (0..all.stories.len()).filter(|at| is_named(all.stories[*at])).collect();
        let below = reached(all.graph.all_needs(), &named);
        let above = reached(&all.graph.needed_by(), &named);
        let meant: HashSet<&str> = below.iter().chain(&above).map(|at| all.graph.id(*at)).collect();
        Open::of(snapshot, |story| meant.contains(story.id.as_str()))
    }

    /// The scope as a phrase; `None` if it is everything.
    pub(super) fn phrase(&self) -> Option<String> {
        let named = match (self.story, self.epic) {
            (Some(story), Some(epic)) => format!("the story {} of {}", story.id, epic.id),
            (Some(story), None) => format!("the story {}", story.id),
            (None, Some(epic)) => format!("the stories of {}", epic.id),
            (None, None) => return None,
        };
        Some(format!("Scope: {}, what comes before, and what comes after.", line(&named)))
    }

    /// A note if what is named cannot be blocked.
    pub(super) fn note(&self) -> Option<String> {
        let story = self.story.filter(|story| !story.is_open())?;
        Some(format!("{} is not open (its status is {}).", line(&story.id), line(&story.status)))
    }
}
