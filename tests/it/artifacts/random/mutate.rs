//! Changes values at random places, mostly such that they are no longer valid.

use serde_json::{Value, json};

use super::draw::Draw;
use super::types::FORMATS;

/// Values that replace others. Those are left out on which the libraries differ by their nature.
fn replacements() -> Vec<Value> {
    let mut all = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-7),
        json!(12),
        json!(2.5),
        json!(1e12),
        json!(""),
        json!("a"),
        json!("red"),
        json!("12"),
        json!([]),
        json!([1, 1]),
        json!(["a", null]),
        json!({}),
        json!({ "x": 1 }),
        json!({ "kind": "cat" }),
    ];
    all.extend(FORMATS.iter().map(|(_, _, wrong)| json!(wrong)));
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
    if draw.below(3) == 0 {
        let mut all = replacements();
        *place = all.swap_remove(draw.below(all.len()));
        return;
    }
    match place {
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            match draw.below(3) {
                0 if !names.is_empty() => {
                    members.remove(&names[draw.below(names.len())]);
                }
                1 => {
                    let name = ["other", "constructor", "x"][draw.below(3)];
                    members.insert(
                        name.to_owned(),
                        [json!(1), json!("a"), json!(null)][draw.below(3)].clone(),
                    );
                }
                _ => {
                    for value in members.values_mut().take(1) {
                        *value = json!(null);
                    }
                }
            }
        }
        Value::Array(items) => match draw.below(3) {
            0 if !items.is_empty() => {
                items.push(items[0].clone());
            }
            1 => {
                items.pop();
            }
            _ => items.push([json!("a"), json!(3), json!(true)][draw.below(3)].clone()),
        },
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            *place = [json!(number + 0.5), json!(-number), json!(number * 1000.0)][draw.below(3)]
                .clone();
        }
        Value::String(text) => {
            *place = [json!(format!("{text}!")), json!(""), json!(text.repeat(4))][draw.below(3)]
                .clone();
        }
        other => *other = json!("a"),
    }
}
