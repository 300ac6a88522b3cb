//! Names that a database reserves are quoted.

use serde_json::json;

use super::SKILL;
use super::databases::{Judge, on_all};
use crate::artifacts::making::{Input, nowhere, run_once};

#[track_caller]
fn up(fields: &serde_json::Value) -> String {
    let fields = fields.as_object().unwrap().clone();
    let made = run_once(SKILL, &Input { fields, upstream: None }, &nowhere()).unwrap();
    made.artifacts[0].text.clone()
}

/// Every keyword of some database, as the name of a table and of a column: the unquoted ones are not reserved.
#[test]
fn reserved_words_are_quoted() {
    // Those of PostgreSQL 15, MariaDB 10.11, SQLite 3.40 and MySQL 8.4.
    let words: Vec<String> =
        include_str!("words.txt").split_whitespace().map(str::to_owned).collect();
    let check = |judge: &Judge| {
        for part in words.chunks(200) {
            judge.clear();
            let entity = |word: &String| {
                let column = json!({ "types": ["integer"] });
                let keys = json!({ "name": word, "indexes": [[word]] });
                (
                    word.clone(),
                    json!({ "shape": { "types": ["object"], "object": { "properties": { word: column } } }, "table": keys }),
                )
            };
            let entities: serde_json::Map<_, _> = part.iter().map(entity).collect();
            let fields = json!({ "model": { "entities": entities }, "dialect": judge.dialect() });
            judge.run(&up(&fields)).unwrap_or_else(|error| panic!("{}: {error}", judge.dialect()));
        }
    };
    on_all(check);
}
