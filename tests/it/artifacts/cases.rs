//! Difficult inputs for code generators, with values that match. Most are in `cases.json`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// An input of either skill, the name of its main type, and values of it.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) fields: Value,
    #[serde(default = "root")]
    pub(crate) name: String,
    pub(crate) good: Vec<Value>,
}

fn root() -> String {
    "Root".to_owned()
}

/// Names of members that are words of a target language, or no words at all.
#[rustfmt::skip]
const KEYS: [&str; 41] = [
    "class", "default", "first name", "a\"b", "a'b", "a\\b", "a`b${c}", "a.b", "[0]", "a\nb", "", "名前", "😀", "1st", "_x",
    "model_config", "json", "copy", "self", "list", "str", "Any", "not", "await", "*/", "//", "\u{2028}", "Field", "check", "value",
    "types", "a-b", "a_b", "z", "yup", "Joi", "None", "__class__", "validate", "schema", "\"\"\"",
];

/// Every case.
pub(crate) fn all() -> Vec<Case> {
    let mut cases: Vec<Case> = serde_json::from_str(include_str!("cases.json")).unwrap();
    let member = |key: &&str| {
        let about = format!("It is \"{key}\" */ \"\"\"");
        ((*key).to_owned(), json!({ "type": "integer", "description": about }))
    };
    let properties: Map<String, Value> = KEYS.iter().map(member).collect();
    let good: Map<String, Value> = KEYS.iter().map(|key| ((*key).to_owned(), json!(1))).collect();
    cases.push(Case {
        fields: json!({ "name": "class", "schema": { "type": "object", "properties": properties,
            "required": KEYS.as_slice(), "additionalProperties": false } }),
        name: "Class".to_owned(),
        good: vec![good.into()],
    });
    let many: Map<String, Value> =
        (0..1000).map(|at| (format!("field{at}"), json!({ "type": "string" }))).collect();
    cases.push(Case {
        fields: json!({ "schema": { "type": "object", "properties": many } }),
        name: root(),
        good: vec![json!({}), json!({ "field999": "x" })],
    });
    cases
}
