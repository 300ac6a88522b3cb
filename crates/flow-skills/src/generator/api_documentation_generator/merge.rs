//! Puts a generated document into one that exists. What is there stays; doing it twice equals doing it once.

use serde_json::Value;

/// Adds what `own` has not; `notes` gets the places where both say something different.
pub(super) fn merge(own: &mut Value, made: &Value, place: &str, notes: &mut Vec<String>) {
    match (own, made) {
        (Value::Object(own), Value::Object(made)) => {
            for (key, value) in made {
                match own.get_mut(key) {
                    Some(there) => merge(there, value, &format!("{place}/{key}"), notes),
                    None => _ = own.insert(key.clone(), value.clone()),
                }
            }
        }
        (Value::Array(own), Value::Array(made))
            if place.ends_with("/parameters") || place == "/tags" =>
        {
            let same =
                |a: &Value, b: &Value| a.get("name") == b.get("name") && a.get("in") == b.get("in");
            for value in made {
                if !own.iter().any(|there| there == value || same(there, value)) {
                    own.push(value.clone());
                }
            }
        }
        (own, made) if own != made => {
            notes.push(format!("{place}: the document's own value is kept"));
        }
        _ => {}
    }
}
