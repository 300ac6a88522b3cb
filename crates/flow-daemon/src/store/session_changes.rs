//! The changes of the sessions in two states: those that came and went, and whether they are active.

use crate::model::change::What;
use crate::model::document;

use super::collection::Collection;
use super::differences::{Difference, between};
use super::plan_change::PlanChange;
use super::records::Records;

/// The changes, in the order of the records.
pub(super) fn between_sessions(before: &Records, after: &Records) -> Vec<PlanChange> {
    let changes = |difference: Difference| match difference {
        Difference::Added(at) => {
            vec![PlanChange { after: is_active(after, at), ..change(What::Added, after, at) }]
        }
        Difference::Removed(at) => {
            vec![PlanChange { before: is_active(before, at), ..change(What::Removed, before, at) }]
        }
        Difference::Changed { before: old, after: new } => changed([before, after], [old, new]),
    };
    between(before, after).into_iter().flat_map(changes).collect()
}

fn changed(sides: [&Records; 2], [old, new]: [usize; 2]) -> Vec<PlanChange> {
    let status = |records: &Records, at: usize| {
        let word = records.record(at)?.word("status")?.into_owned();
        Some(word).filter(|word| !word.is_empty())
    };
    let members = [
        ("active", is_active(sides[0], old), is_active(sides[1], new)),
        ("status", status(sides[0], old), status(sides[1], new)),
    ];
    let differing = members.into_iter().filter(|(_, from, to)| from != to);
    let of = |(member, before, after): (&'static str, Option<String>, Option<String>)| PlanChange {
        member: Some(member),
        before,
        after,
        ..change(What::Changed, sides[1], new)
    };
    differing.map(of).collect()
}

fn change(what: What, records: &Records, at: usize) -> PlanChange {
    PlanChange {
        title: records.record(at).and_then(|record| record.title()),
        ..PlanChange::new(Collection::Sessions, what, records.id_at(at).unwrap_or_default())
    }
}

fn is_active(records: &Records, at: usize) -> Option<String> {
    records.record(at).map(|record| document::is_active(&record).to_string())
}
