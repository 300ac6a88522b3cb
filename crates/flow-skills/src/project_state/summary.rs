//! The first lines of a page on the project's state: what is blocked, and who waits for whom.

use indexmap::IndexMap;

use super::exchange::Blocks;
use super::open::{Blocker, Open};
use super::say::{first_ids, joined};
use super::{Message, Story};
use crate::text::{bare, line};

/// Largest number of blockers, of stories with the same one, or of pairs of owners in a line.
const NAMED: usize = 5;
/// Largest number of ids of one pair of owners.
const OF_A_PAIR: usize = 3;

/// The blocked stories by their blockers: `US-0010 by signing secret; US-0017, US-0018 by US-0009 (deferred)`.
pub fn blocked(
    open: &Open<'_>,
    blocks: &Blocks<'_>,
    is_selected: impl Fn(&Story) -> bool,
) -> String {
    let meant = (0..open.stories.len()).filter(|at| is_selected(open.stories[*at]));
    let mut groups: IndexMap<String, Vec<&str>> = IndexMap::new();
    for at in meant.filter(|at| open.is_blocked(*at)) {
        groups.entry(by(open, at, blocks)).or_default().push(open.graph.id(at));
    }
    let rest: usize = groups.values().skip(NAMED).map(Vec::len).sum();
    let shown = groups.into_iter().take(NAMED);
    let mut said: Vec<String> =
        shown.map(|(by, ids)| format!("{} {by}", first_ids(ids, NAMED))).collect();
    said.extend((rest > 0).then(|| format!("and {rest} more")));
    let said = said.join("; ");
    format!("Blocked: {}.", if said.is_empty() { "nothing" } else { &said })
}

/// What blocks a story, as the rest of a sentence.
pub fn by(open: &Open<'_>, at: usize, blocks: &Blocks<'_>) -> String {
    match open.blocker(at) {
        Some(Blocker::Cycle) => "by a dependency cycle".to_owned(),
        Some(Blocker::Unknown(id)) => format!("by {} (not in the project)", line(id)),
        Some(Blocker::OnHold(id, status)) => format!("by {} ({})", line(id), line(status)),
        Some(Blocker::Outside(words)) => format!("by {}", bare(words)),
        Some(Blocker::NoReason) => {
            let words = blocks.of(open.graph.id(at)).and_then(Message::excerpt);
            words.map_or_else(
                || "(reason not recorded)".to_owned(),
                |words| format!("by {}", bare(&words)),
            )
        }
        None => format!("by {}", first_ids(open.needs(at), OF_A_PAIR)),
    }
}

/// Who waits for whom: owners of stories for the owners of their dependencies, if either story is selected, and askers
/// for those who have not answered.
pub fn waiting(
    open: &Open<'_>,
    unanswered: &[&Message],
    is_selected: impl Fn(&Story) -> bool,
) -> String {
    let mut pairs: IndexMap<(&str, &str), Vec<&str>> = IndexMap::new();
    for (at, story) in open.stories.iter().enumerate() {
        let Some(owner) = story.owner.as_deref() else { continue };
        let needed = open.graph.needs(at).iter().map(|need| open.stories[*need]);
        let needed = needed.filter(|need| is_selected(story) || is_selected(need));
        let others = needed.filter_map(|need| need.owner.as_deref());
        for other in others.filter(|other| *other != owner) {
            let ids = pairs.entry((owner, other)).or_default();
            if ids.last() != Some(&story.id.as_str()) {
                ids.push(&story.id);
            }
        }
    }
    pairs.sort_by(|_, a, _, b| b.len().cmp(&a.len()));
    let owners = pairs.into_iter().map(|((owner, other), ids)| {
        format!("{} for {} ({})", line(owner), line(other), first_ids(ids, OF_A_PAIR))
    });
    let asked = unanswered.iter().filter_map(|question| {
        let (from, to) = (question.from.as_deref()?, question.to.as_deref().unwrap_or("anybody"));
        Some(format!("{} for an answer of {}", line(from), line(to)))
    });
    let said = joined(owners.chain(asked), NAMED, "; ");
    format!("Waiting: {}.", if said.is_empty() { "nobody" } else { &said })
}
