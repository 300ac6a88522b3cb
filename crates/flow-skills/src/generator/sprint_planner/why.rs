//! Why a story is not in the plan, and what has to be asked for it.

use super::pick::Pick;
use crate::project_state::effort::Unit;
use crate::project_state::open::{Blocker, Open};
use crate::project_state::say::{self, ids};
use crate::text::line;

/// Why a candidate is not in the plan, in a sentence without its stop.
pub(super) fn reason(open: &Open<'_>, pick: &Pick, at: usize) -> String {
    match pick.obstacles[at] {
        Some(other) if other == at => own(open, at),
        Some(other) => format!("needs {}, which {}", line(open.graph.id(other)), own(open, other)),
        None => too_large(open, pick, at),
    }
}

/// What keeps a story itself from being planned, as a sentence about it goes on.
fn own(open: &Open<'_>, at: usize) -> String {
    match (open.hindrance(at), open.stories[at].effort) {
        (Some(Blocker::Circle), _) => "is in a circle of needs, or behind one".to_owned(),
        (Some(Blocker::Unknown(id)), _) => {
            format!("needs {}, which the project does not have", line(id))
        }
        (Some(Blocker::Outside(words)), _) => format!("waits for {}", line(words)),
        (Some(Blocker::OnHold(status)), _) => format!("has the status {}", line(status)),
        (Some(Blocker::Unsaid), _) => "is blocked, and does not say by what".to_owned(),
        (None, Some(size)) => format!("has the size {size}, of another unit than the capacity"),
        (None, None) => "has no size".to_owned(),
    }
}

fn too_large(open: &Open<'_>, pick: &Pick, at: usize) -> String {
    let (more, missing) = pick.more(open, at);
    let show = |amount: u64| pick.capacity.unit.show(amount);
    let mut others: Vec<usize> = missing.into_iter().filter(|other| *other != at).collect();
    others.sort_unstable();
    let with = match others.as_slice() {
        [] => String::new(),
        some => format!(" with {}", ids(some.iter().map(|at| open.graph.id(*at)))),
    };
    format!("takes {}{with}; {} left", show(more), show(pick.capacity.amount - pick.sum))
}

/// Sizes that have to be known before the stories that were left out for them can be planned.
pub(super) fn questions(open: &Open<'_>, pick: &Pick) -> Vec<String> {
    let mut bare: Vec<usize> = pick.left_out.iter().filter_map(|at| pick.obstacles[*at]).collect();
    bare.sort_unstable();
    bare.dedup();
    bare.retain(|at| open.hindrance(*at).is_none());
    let (other, none): (Vec<usize>, Vec<usize>) =
        bare.into_iter().partition(|at| open.stories[*at].effort.is_some());
    let id = |at: &usize| open.graph.id(*at);
    let unit = match pick.capacity.unit {
        Unit::Points => "points",
        Unit::Time => "working time",
    };
    let rest = format!("{{}} in {unit}? The recorded size is of another unit than the capacity.");
    let words = (format!("How large is {rest}"), format!("How large are {rest}"));
    let other = say::question(other.iter().map(id), (&words.0, &words.1));
    say::unsized_question(none.iter().map(id)).into_iter().chain(other).collect()
}
