//! Why a story is not in the plan, and what to add so that it can be planned.

use super::pick::{Pick, is_waiting};
use crate::project_state::Story;
use crate::project_state::open::{Blocker, Open};
use crate::project_state::say::{self, counted, ids};
use crate::text::line;

/// Why a candidate is not in the plan, as a sentence without a full stop.
pub(super) fn reason(open: &Open<'_>, pick: &Pick, at: usize) -> String {
    match pick.obstacles[at] {
        Some(other) if other == at => own(open, at),
        Some(other) => format!("needs {}, which {}", line(open.graph.id(other)), own(open, other)),
        None => too_large(open, pick, at),
    }
}

/// What prevents the selection of a story itself, as the rest of a sentence.
fn own(open: &Open<'_>, at: usize) -> String {
    match (open.blocker(at), open.stories[at].effort) {
        (Some(Blocker::Cycle), _) => "is in a dependency cycle, or needs one".to_owned(),
        (Some(Blocker::Unknown(id)), _) => format!("needs {} (not in the project)", line(id)),
        (Some(Blocker::OnHold(id, status)), _) => format!("needs {} ({})", line(id), line(status)),
        (Some(Blocker::Outside(words)), _) => format!("waits for: {}", line(words)),
        (Some(Blocker::NoReason), _) => "is blocked (reason not recorded)".to_owned(),
        (None, _) if is_waiting(open, at) => "is waiting (reason not recorded)".to_owned(),
        (None, Some(size)) => format!("is sized in another unit ({size})"),
        (None, None) => match open.stories[at].unread_size() {
            Some(size) => format!("has the unreadable size {}", line(&size)),
            None => "has no size".to_owned(),
        },
    }
}

fn too_large(open: &Open<'_>, pick: &Pick, at: usize) -> String {
    let more = pick.more(open, at);
    let mut others: Vec<usize> = more.stories.into_iter().filter(|other| *other != at).collect();
    others.sort_unstable();
    let with = match others.as_slice() {
        [] => String::new(),
        some => format!(" with {}", ids(some.iter().map(|at| open.graph.id(*at)))),
    };
    format!("takes {}{with}", pick.show(more.size))
}

/// What is left out and what is next, and questions about missing sizes.
pub(super) fn not_planned(open: &Open<'_>, pick: &Pick) -> (Option<String>, Vec<String>) {
    let fitting = || pick.left_out.iter().filter(|at| pick.obstacles[**at].is_none());
    let sum: u64 = fitting().filter_map(|at| pick.capacity.size(open.stories[*at])).sum();
    let next = fitting().next().map(|next| {
        format!(
            "{} of {} for a later sprint, {} first",
            counted(fitting().count(), "story", "stories"),
            pick.show(sum),
            line(open.graph.id(*next)),
        )
    });
    let mut kept_out: Vec<usize> =
        pick.left_out.iter().filter_map(|at| pick.obstacles[*at]).collect();
    kept_out.sort_unstable();
    kept_out.dedup();
    kept_out.retain(|at| open.blocker(*at).is_none() && !is_waiting(open, *at));
    let (other, none): (Vec<usize>, Vec<usize>) =
        kept_out.into_iter().partition(|at| open.stories[*at].effort.is_some());
    let other = other.first().and_then(|at| open.stories[*at].effort).map(|size| {
        let (count, unit) = (counted(other.len(), "story", "stories"), size.unit.name());
        format!("{count} sized in {unit} (plan them with a capacity in {unit})")
    });
    let parts: Vec<String> = next.into_iter().chain(other).collect();
    let said = (!parts.is_empty()).then(|| format!("Not planned: {}.", parts.join("; ")));
    let none: Vec<&Story> = none.into_iter().map(|at| open.stories[at]).collect();
    (said, say::missing_sizes(&none))
}
