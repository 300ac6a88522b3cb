//! Changes values at random places, mostly such that they are no longer valid.

use serde_json::{Value, json};

use super::draw::{Draw, FORMATS};

/// Values that replace others. Those are left out on which the libraries differ by their nature.
fn replacements() -> Value {
    let mut all = json!([
        null, true, false, 0, -7, 12, 2.5, 1e12, "", "a", "red", "12", [], [1, 1], ["a", null], {},
        { "x": 1 }, { "kind": "cat" },
    ]);
    all.as_array_mut().unwrap().extend(FORMATS.iter().map(|(_, _, wrong)| json!(wrong)));
    all
}

/// A value with a change at one place.
pub(super) fn mutated(draw: &mut Draw, value: &Value) -> Value {
    let mut changed = value.clone();
    let mut place = &mut changed;
    // Each step leads into a child, so that deep places are reached as well.
    loop {
        let children = match &*place {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if children == 0 || draw.below(4) == 0 {
            break;
        }
        let at = draw.below(children);
        place = match place {
            Value::Array(items) => &mut items[at],
            Value::Object(members) => members.values_mut().nth(at).unwrap(),
            _ => unreachable!("a scalar has no children"),
        };
    }
    change(draw, place);
    with_plain_integers(changed)
}

/// The value with each number such as `1.0` written as `1`, since Pydantic distinguishes them.
pub(super) fn with_plain_integers(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|own| own.fract() == 0.0) => {
            number.as_i64().or_else(|| format!("{:.0}", number.as_f64()?).parse().ok()).into()
        }
        Value::Array(items) => items.into_iter().map(with_plain_integers).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, own)| (name, with_plain_integers(own))).collect()
        }
        other => other,
    }
}

fn change(draw: &mut Draw, place: &mut Value) {
    let kind = draw.below(3);
    match place {
        _ if draw.below(3) == 0 => *place = draw.one(&replacements()),
        Value::Object(members) => match members.keys().next().cloned() {
            Some(first) if kind == 0 => _ = members.remove(&first),
            Some(first) if kind == 1 => _ = members.insert(first, Value::Null),
            _ => {
                let name = ["other", "constructor", "x"][draw.below(3)].to_owned();
                members.insert(name, draw.one(&json!([1, "a", null])));
            }
        },
        Value::Array(items) => match items.first().cloned() {
            Some(first) if kind == 0 => items.push(first),
            Some(_) if kind == 1 => _ = items.pop(),
            _ => items.push(draw.one(&json!(["a", 3, true]))),
        },
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            *place = draw.one(&json!([number + 0.5, -number, number * 1000.0]));
        }
        Value::String(text) => *place = draw.one(&json!([format!("{text}!"), "", text.repeat(4)])),
        other => *other = json!("a"),
    }
}
