//! The comparison as JSON.

use serde_json::{Value, json};

use super::states::{State, States};
use crate::model::change::Effect;
use crate::model::time;
use crate::store::plan_changes::PlanChanges;
use crate::store::plan_rows::Label;

pub(super) fn facts(states: &States, found: &PlanChanges) -> Value {
    let count = |effect: Effect| {
        found.changes.iter().filter(|change| change.effect == Some(effect)).count()
    };
    let done = found.changes.iter().filter(|change| Label::of(change) == Label::Done).count();
    let not_compared = found.not_compared.iter().map(|one| {
        json!({"file": one.file, "state": if one.is_now { "to" } else { "from" }, "reason": one.reason})
    });
    json!({
        "from": state(&states.from),
        "to": state(&states.to),
        "weakened": count(Effect::Weakened),
        "reopened": count(Effect::Reopened),
        "contradictions": count(Effect::Contradiction),
        "done": done,
        "changes": found.changes,
        "not_compared": not_compared.collect::<Vec<_>>(),
        "left_out": states.files_left_out(),
    })
}

fn state(state: &State) -> Value {
    let commit = state.commit.as_ref();
    json!({
        "name": state.name,
        "revision": commit.map(|commit| commit.id.as_str()),
        "time": commit.map(|commit| time::format(commit.time())),
    })
}
