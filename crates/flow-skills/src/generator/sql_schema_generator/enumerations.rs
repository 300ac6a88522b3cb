//! The changes of PostgreSQL's enumerations: one that only gets values is extended, another one is replaced.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::dialect::Dialect;
use super::tables::Plan;

/// Enumerations that change in another way than by more values.
pub(super) fn replaced(old: &Plan, new: &Plan) -> HashSet<String> {
    let is_replaced = |name: &str, labels: &[String]| {
        old.types.get(name).is_some_and(|before| !is_extended(before, labels))
    };
    let all = new.types.iter().filter(|(name, labels)| is_replaced(name, labels));
    all.map(|(name, _)| name.clone()).collect()
}

/// Whether the old values are there still, in their order.
fn is_extended(before: &[String], labels: &[String]) -> bool {
    let mut rest = labels.iter();
    before.iter().all(|label| rest.any(|other| other == label))
}

/// The statements that give enumerations more values. They stand before the transaction, which could not use them.
pub(super) fn added_values(old: &Plan, new: &Plan) -> String {
    let dialect = Dialect::Postgres;
    let mut out = String::new();
    for (name, labels) in &new.types {
        let Some(before) = old.types.get(name).filter(|before| is_extended(before, labels)) else {
            continue;
        };
        let mut kept = before.iter().peekable();
        let is_added = |(_, label): &(usize, &String)| kept.next_if_eq(label).is_none();
        for (at, label) in labels.iter().enumerate().filter(is_added) {
            let previous = at.checked_sub(1).and_then(|at| labels.get(at));
            let place = match (previous, before.first()) {
                (Some(previous), _) => format!(" AFTER {}", dialect.text(previous)),
                (None, Some(first)) => format!(" BEFORE {}", dialect.text(first)),
                (None, None) => String::new(),
            };
            let (name, label) = (dialect.name(name), dialect.text(label));
            let _ = writeln!(out, "ALTER TYPE {name} ADD VALUE IF NOT EXISTS {label}{place};");
        }
    }
    out
}
