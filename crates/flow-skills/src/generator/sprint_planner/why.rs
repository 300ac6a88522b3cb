//! Why a story is not in the plan, and what to add so that it can be planned.

use super::pick::Pick;
use crate::project_state::open::{Blocker, Open};
use crate::project_state::say::{self, ids};
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
        (Some(Blocker::Outside(words)), _) => format!("waits for {}", line(words)),
        (Some(Blocker::NoReason), _) => "is blocked (reason not recorded)".to_owned(),
        (None, Some(size)) => format!("is sized in another unit ({size})"),
        (None, None) => "has no size".to_owned(),
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
    format!(
        "takes {}{with}; {} left",
        pick.show(more.size),
        pick.show(pick.capacity.amount - pick.sum)
    )
}

/// A line about stories that are sized in the other unit, and questions about missing sizes.
pub(super) fn questions(open: &Open<'_>, pick: &Pick) -> (Option<String>, Vec<String>) {
    let mut kept_out: Vec<usize> =
        pick.left_out.iter().filter_map(|at| pick.obstacles[*at]).collect();
    kept_out.sort_unstable();
    kept_out.dedup();
    kept_out.retain(|at| open.blocker(*at).is_none());
    let (other, none): (Vec<usize>, Vec<usize>) =
        kept_out.into_iter().partition(|at| open.stories[*at].effort.is_some());
    let hint = (!other.is_empty())
        .then(|| format!("Not planned: {} {}.", other.len(), pick.capacity.hint()));
    let missing = say::not_recorded("estimate", none.iter().map(|at| open.graph.id(*at)));
    (hint, missing.into_iter().collect())
}
