//! Idiomatic validators: the same verdict of all libraries on ordinary values.

#![allow(
    clippy::too_many_lines,
    reason = "a table of values, or a whole output, is read best in one piece"
)]

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::execute::{Module, execute};
use super::making::make;
use super::suite::libraries;

/// An object of ten ordinary fields.
fn account() -> Value {
    json!({
        "title": "Account", "type": "object", "additionalProperties": false,
        "required": ["id", "email", "name", "role", "created_at"],
        "properties": {
            "id": { "type": "string", "format": "uuid" },
            "email": { "type": "string", "format": "email" },
            "name": { "type": "string", "minLength": 1, "maxLength": 80 },
            "age": { "type": "integer", "minimum": 0, "maximum": 150 },
            "role": { "enum": ["admin", "editor", "reader"] },
            "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 10 },
            "website": { "type": ["string", "null"], "format": "uri" },
            "zip": { "type": "string", "pattern": "^\\d{5}$" },
            "balance": { "type": "number" },
            "created_at": { "type": "string", "format": "date-time" },
        },
    })
}

fn written(schema: &Value, library: &str) -> String {
    let fields = json!({ "schema": schema, "library": library });
    make("validation-schema-generator", fields).unwrap().artifacts[0].text.clone()
}

/// Shapes with values that match and values that do not, on which all libraries must agree.
fn ordinary() -> Vec<(Value, Vec<Value>, Vec<Value>)> {
    let id = "6f2c1a52-8a1e-4d52-9b3b-0d2f6b1c7e11";
    let good = json!({ "id": id, "email": "ada@mail.example", "name": "Ada", "role": "admin",
        "created_at": "2026-01-31T09:30:00Z", "website": null, "zip": "12345", "tags": ["a"] });
    let with = |key: &str, value: Value| {
        let mut copy = good.clone();
        copy[key] = value;
        copy
    };
    let bad = [
        ("id", json!("x")),
        ("email", json!("ada")),
        ("name", json!("")),
        ("age", json!(-1)),
        ("age", json!("5")),
        ("age", json!(1.5)),
        ("role", json!("root")),
        ("tags", json!([1])),
        ("website", json!("no address")),
        ("zip", json!("1234")),
        ("created_at", json!("yesterday")),
        ("other", json!(1)),
    ];
    let shape = |kind: &str, more: Value| json!({ "type": "object", "required": ["kind", "n"], "properties": { "kind": { "const": kind }, "n": more } });
    vec![
        (
            account(),
            vec![
                good.clone(),
                with("age", json!(7)),
                with("website", json!("https://a.example/x")),
            ],
            bad.into_iter().map(|(key, value)| with(key, value)).collect(),
        ),
        (
            json!({ "oneOf": [shape("a", json!({ "type": "integer" })), shape("b", json!({ "type": "string" }))] }),
            vec![json!({ "kind": "a", "n": 1 }), json!({ "kind": "b", "n": "x" })],
            vec![
                json!({ "kind": "a", "n": "x" }),
                json!({ "kind": "c", "n": 1 }),
                json!({ "n": 1 }),
                json!(1),
            ],
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/P" }, { "type": "object", "required": ["b"], "properties": { "b": { "type": "integer" } } }],
                "$defs": { "P": { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } } } }),
            vec![json!({ "a": "x", "b": 1 })],
            vec![
                json!({ "a": "x" }),
                json!({ "b": 1 }),
                json!({ "a": 1, "b": 1 }),
                json!({ "a": "x", "b": "y" }),
            ],
        ),
        (
            json!({ "title": "Node", "type": "object", "required": ["v"], "properties": { "v": { "type": "string" },
                "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] }, "all": { "type": "array", "items": { "$ref": "#" } },
                "by": { "type": "object", "additionalProperties": { "$ref": "#" } } } }),
            vec![
                json!({ "v": "a", "next": { "v": "b", "next": null }, "all": [{ "v": "c" }], "by": { "k": { "v": "d" } } }),
            ],
            vec![
                json!({}),
                json!({ "v": "a", "next": {} }),
                json!({ "v": "a", "all": [1] }),
                json!({ "v": "a", "by": { "k": {} } }),
            ],
        ),
        (
            json!({ "type": "object", "properties": { "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "boolean" }],
                "minItems": 2, "items": false }, "level": { "enum": ["lo", "hi", null] }, "map": { "type": "object",
                "propertyNames": { "enum": ["x", "y"] }, "additionalProperties": { "type": "integer" } } } }),
            vec![json!({ "pair": ["a", true], "level": null, "map": { "x": 1 } }), json!({})],
            vec![
                json!({ "pair": ["a"] }),
                json!({ "pair": ["a", true, 1] }),
                json!({ "level": "mid" }),
                json!({ "map": { "z": 1 } }),
                json!({ "map": { "x": "1" } }),
            ],
        ),
        (
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "boolean" } }),
            vec![json!({ "a": "x" }), json!({ "a": "x", "b": true })],
            vec![json!({ "a": "x", "b": "y" }), json!({ "b": true })],
        ),
        (
            json!({ "type": "object", "properties": { "a": { "enum": ["x", 1.5, 2] }, "b": { "type": ["object", "null"], "required": ["id"],
                "properties": { "id": { "type": "string" } }, "anyOf": [{ "type": "object", "required": ["c"], "properties": { "c": { "type": "integer" } } }, { "type": "null" }] } } }),
            vec![
                json!({ "a": "x", "b": { "id": "i", "c": 1 } }),
                json!({ "a": 1.5, "b": null }),
                json!({ "a": 2 }),
            ],
            vec![
                json!({ "a": 3 }),
                json!({ "a": "y" }),
                json!({ "b": { "id": "i" } }),
                json!({ "b": { "c": 1 } }),
            ],
        ),
    ]
}

#[test]
fn all_libraries_agree_on_ordinary_values() {
    let cases = ordinary();
    let asked: Vec<_> =
        libraries().flat_map(|library| cases.iter().map(move |case| (library, case))).collect();
    let module =
        |(library, (schema, good, bad)): &(&'static str, &(Value, Vec<Value>, Vec<Value>))| {
            Module {
                library,
                text: written(schema, library),
                name: schema["title"].as_str().unwrap_or("Root").into(),
                values: good.iter().chain(bad).map(Value::to_string).collect(),
            }
        };
    let modules: Vec<Module> = asked.iter().map(module).collect();
    let mut wrong = String::new();
    for (((library, case), module), found) in asked.iter().zip(&modules).zip(execute(&modules)) {
        for (at, found) in found.iter().enumerate() {
            if found.as_bool() != Some(at < case.1.len()) {
                let _ = writeln!(wrong, "{library}: {} -> {found}", module.values[at]);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn defaults_and_the_digits_of_decimals_are_checked() {
    let source = "Config: port int default 3000, mode enum(a|b) default a, price decimal(4,2)";
    let module = |library: &'static str| {
        let fields = json!({ "source": source, "library": library });
        let text = make("validation-schema-generator", fields).unwrap().artifacts[0].text.clone();
        let values =
            [r#"{"price": 9.25}"#, r#"{"price": 9.25, "port": "x"}"#, r#"{"price": 9.255}"#];
        Module { library, text, name: "Config".into(), values: values.map(str::to_owned).into() }
    };
    let modules: Vec<Module> = libraries().map(module).collect();
    for (module, found) in modules.iter().zip(execute(&modules)) {
        // Only Python has decimal numbers.
        let is_exact = module.library == "pydantic";
        assert_eq!(found, [json!(true), json!(false), json!(!is_exact)], "{}", module.library);
    }
}
