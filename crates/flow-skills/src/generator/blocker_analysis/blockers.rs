//! What holds up other stories: open stories, external things, and ids that the project does not have.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::{Value, json};

use crate::project_state::open::Open;
use crate::project_state::say::{LISTED, ids, name};
use crate::reach::{counts, reached};
use crate::text::line;

/// Everything that can hold up a story: first the open stories by index, then external things, then unknown ids.
#[derive(Debug)]
pub(super) struct Blockers<'a> {
    /// The stories that each holds up directly.
    pub(super) dependents: Vec<Vec<usize>>,
    /// Number of stories that each holds up, directly or through others.
    counts: Vec<usize>,
    /// The blockers that are not open stories.
    others: Vec<Other<'a>>,
    /// The indexes of those that hold up any story, in descending order of their number.
    pub(super) list: Vec<usize>,
}

/// A blocker that is not an open story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Other<'a> {
    /// Something without a record, as a record describes it.
    Outside(&'a str),
    Unknown(&'a str),
}

impl<'a> Blockers<'a> {
    pub(super) fn of(open: &Open<'a>) -> Self {
        let mut dependents = open.graph.needed_by();
        let mut others = Vec::new();
        let mut places = HashMap::new();
        let mut put = |other: Other<'a>, at: usize| {
            let place = *places.entry(other).or_insert_with(|| {
                others.push(other);
                dependents.push(Vec::new());
                dependents.len() - 1
            });
            dependents[place].push(at);
        };
        for (at, story) in open.stories.iter().enumerate() {
            story.reasons.iter().for_each(|words| put(Other::Outside(words), at));
        }
        for at in 0..open.stories.len() {
            open.unknown(at).iter().for_each(|id| put(Other::Unknown(id), at));
        }
        let counts = counts(&dependents);
        let mut list: Vec<usize> = (0..dependents.len()).filter(|at| counts[*at] > 0).collect();
        list.sort_by_key(|at| (Reverse(counts[*at]), *at));
        Self { dependents, counts, others, list }
    }

    /// The blocker at an index beyond the stories.
    pub(super) fn other(&self, open: &Open<'_>, at: usize) -> Option<Other<'a>> {
        self.others.get(at.checked_sub(open.stories.len())?).copied()
    }

    /// The stories that nothing blocks, with the number that each holds up: descending, then in the order of the file.
    pub(super) fn ready(&self, open: &Open<'_>) -> Vec<(usize, usize)> {
        let ready = (0..open.stories.len()).filter(|at| open.is_ready(*at));
        let mut ready: Vec<(usize, usize)> = ready.map(|at| (at, self.counts[at])).collect();
        ready.sort_by_key(|(at, holds)| (Reverse(*holds), *at));
        ready
    }

    /// A blocker and everything that it holds up, in the order of the file.
    pub(super) fn row(&self, open: &Open<'_>, at: usize) -> Value {
        let holds = reached(&self.dependents, &[at]).into_iter().filter(|story| *story != at);
        let holds: Vec<&str> = holds.map(|story| open.graph.id(story)).collect();
        let (kind, id, title, status) = match self.other(open, at) {
            None => {
                let story = open.stories[at];
                ("story", Some(story.id.as_str()), name(story), story.status.as_str())
            }
            Some(Other::Outside(words)) => ("outside", None, line(words), "not a story"),
            Some(Other::Unknown(id)) => {
                ("unknown", Some(id), "(not in the project)".to_owned(), "unknown")
            }
        };
        json!({
            "kind": kind,
            "id": id,
            "title": title,
            "status": status,
            "owner": open.stories.get(at).and_then(|story| story.owner.as_deref()),
            "holds_up": self.counts[at],
            "directly": self.dependents[at].len(),
            "stories": holds.iter().take(LISTED).collect::<Vec<_>>(),
            "named": ids(holds.iter().copied()),
        })
    }
}
