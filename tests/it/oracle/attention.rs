//! Checks `/api/attention`. Keys are only checked to be there. Items that depend on the server's history are ignored.

use super::derived::{Expectation, Waiting};
use super::json::Json;

/// Kinds that are not modelled, all of them at the end of the list.
const PASSED_OVER: [&str; 6] = [
    "session_gone",
    "plan_weakened",
    "plan_contradiction",
    "reopened",
    "overlap",
    "source_degraded",
];

/// The difference from the expected answer; `None` if there is none.
pub(super) fn difference(expected: &Expectation, got: &Json) -> Option<String> {
    let Json::Map(members) = got else { return Some("the body is no object".to_owned()) };
    let names: Vec<_> = members.iter().filter_map(|(key, _)| key.plain.as_deref()).collect();
    if names != ["items", "count", "counts", "timestamp"] {
        return Some(format!("the members are {names:?}"));
    }
    let Some(Json::List(items)) = got.get("items") else { return Some("no items".to_owned()) };
    if got.get("count") != Some(&Json::count(items.len())) {
        return Some(format!("count is {:?} for {} items", got.get("count"), items.len()));
    }
    let of_kind = |kind: &str| -> Vec<&Json> {
        items.iter().filter(|item| item.get("kind").and_then(Json::plain) == Some(kind)).collect()
    };
    let is_asked =
        |kind: &str| expected.asked.is_empty() || expected.asked.iter().any(|asked| asked == kind);
    for (kind, wanted) in &expected.items {
        let counted = got.get("counts").and_then(|counts| counts.get(kind));
        if counted != Some(&Json::count(wanted.len())) {
            return Some(format!("counts.{kind} is {counted:?}, not {}", wanted.len()));
        }
        let wanted: Vec<String> =
            wanted.iter().filter(|_| is_asked(kind)).map(Json::compact).collect();
        let found: Vec<String> = match of_kind(kind).into_iter().map(without_reason).collect() {
            Some(found) => found,
            None => return Some(format!("an item of {kind} has no reason")),
        };
        if wanted != found {
            return Some(format!("{kind}\n expected {wanted:#?}\n but got {found:#?}"));
        }
    }
    let cycles = of_kind("dependency_cycle");
    let known = expected.items.iter().map(|(kind, _)| of_kind(kind).len()).sum::<usize>();
    let others = PASSED_OVER.iter().map(|kind| of_kind(kind).len()).sum::<usize>();
    if known + others + cycles.len() != items.len() {
        return Some("there are items of other kinds".to_owned());
    }
    if !is_asked("dependency_cycle") {
        return (!cycles.is_empty()).then(|| "cycles were not asked for".to_owned());
    }
    let of = |collection: &str| -> Vec<Vec<String>> {
        let is_of =
            |item: &&&Json| item.get("collection").and_then(Json::plain) == Some(collection);
        cycles.iter().filter(is_of).map(|item| ids(item)).collect()
    };
    let wrong = |at: usize, name: &str| wrong_cycles(&expected.waiting[at], &of(name));
    wrong(0, "stories").or_else(|| wrong(1, "tasks"))
}

/// An item without its sentence; `None` if it has none.
fn without_reason(item: &Json) -> Option<String> {
    let Json::Map(members) = item else { return None };
    item.get("reason")?.plain().filter(|reason| !reason.is_empty())?;
    item.get("key")?.plain().filter(|key| !key.is_empty())?;
    let rest = members.iter().filter(|(key, _)| !key.is("reason") && !key.is("key"));
    let rest = rest.cloned().collect();
    Some(Json::Map(rest).compact())
}

fn ids(item: &Json) -> Vec<String> {
    let Some(Json::List(ids)) = item.get("ids") else { return Vec::new() };
    ids.iter().filter_map(Json::plain).map(str::to_owned).collect()
}

/// Each must be a cycle, no two may share a record, and none may be missing.
fn wrong_cycles(waiting: &Waiting, cycles: &[Vec<String>]) -> Option<String> {
    let mut left: Waiting = waiting.clone();
    for cycle in cycles {
        for (at, id) in cycle.iter().enumerate() {
            let next = &cycle[(at + 1) % cycle.len()];
            let waits = left.iter().any(|(known, needs)| known == id && needs.contains(next));
            if !waits {
                return Some(format!("{id} does not wait for {next}, or is in two cycles"));
            }
        }
        left.retain(|(id, _)| !cycle.contains(id));
    }
    // A record that waits for no remaining one is in no cycle.
    loop {
        let names: Vec<String> = left.iter().map(|(id, _)| id.clone()).collect();
        let before = left.len();
        left.retain(|(_, needs)| needs.iter().any(|need| names.contains(need)));
        if left.len() == before {
            break;
        }
    }
    (!left.is_empty()).then(|| format!("a cycle is not told: {left:?}"))
}
