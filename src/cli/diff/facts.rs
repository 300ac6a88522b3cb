//! The comparison as JSON.

use serde_json::{Map, Value, json};

use super::rows::Label;
use super::states::{State, States};
use crate::model::change::Effect;
use crate::model::time;
use crate::model::wording::Loss;
use crate::store::plan_changes::{PlanChange, PlanChanges};

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
        "changes": found.changes.iter().map(change).collect::<Vec<_>>(),
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

fn change(change: &PlanChange) -> Value {
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| {
        if !value.is_null() {
            facts.insert(name.to_owned(), value);
        }
    };
    add("collection", change.collection.name().into());
    add("id", change.id.as_str().into());
    add("title", change.title.clone().into());
    add("change", change.what.name().into());
    add("field", change.member.into());
    add("from", change.before.clone().into());
    add("to", change.after.clone().into());
    add("effect", change.effect.map(Effect::name).into());
    add("loss", change.loss.as_ref().filter(|_| change.effect.is_some()).map(loss).into());
    add("open", if change.open.is_empty() { Value::Null } else { change.open.clone().into() });
    add("owner", change.owner.clone().into());
    add("file", change.place.as_ref().map(|place| place.file.as_str()).into());
    add("line", change.place.as_ref().and_then(|place| place.line).into());
    Value::Object(facts)
}

fn loss(loss: &Loss) -> Value {
    match loss {
        Loss::Number(word) => json!({"kind": "number", "word": word}),
        Loss::Negation(word) => json!({"kind": "negation", "word": word}),
        Loss::Words => json!({"kind": "words"}),
    }
}
