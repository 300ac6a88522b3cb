//! Schemas that refer to themselves, in every way and through every skill that reads data: the program ends with an
//! artifact or an error, on a small stack too, and never with an abort.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{FLOW, fed};
use crate::tools::{figure, milliseconds};

/// The skills that read data, with the fields that choose what they write.
const RUNS: [&str; 8] = [
    "type-definitions",
    "validation-schema-generator library=zod",
    "validation-schema-generator library=joi",
    "validation-schema-generator library=yup",
    "validation-schema-generator library=pydantic",
    "sql-schema-generator dialect=postgresql",
    "api-documentation-generator version=3.0",
    "diagram-generator",
];

fn own() -> Value {
    json!({ "$ref": "#/$defs/D" })
}

/// The definition `D`, and others.
fn schema(d: &Value, others: &[(&str, Value)]) -> String {
    let mut all = json!({ "D": d });
    for (name, other) in others {
        all[*name] = other.clone();
    }
    json!({ "$defs": all }).to_string()
}

type Named = (&'static str, String);

fn object(child: &Value) -> Value {
    json!({ "type": "object", "properties": { "id": { "type": "integer" }, "child": child } })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// `D` inside of its values.
fn inside() -> Vec<Named> {
    let map = |value: Value| json!({ "type": "object", "additionalProperties": value });
    let tagged =
        json!({ "type": "object", "required": ["k"], "properties": { "k": { "const": "a" } } });
    let nothing = json!({ "type": "null" });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let tuple = json!({ "type": "array", "prefixItems": [own(), { "allOf": [own()] }], "items": { "oneOf": [own(), nothing] } });
    let all = [
        ("a map and anyOf", map(json!({ "anyOf": [own(), { "type": "boolean" }] }))),
        ("a map and oneOf", map(json!({ "oneOf": [own(), tagged] }))),
        (
            "patternProperties",
            json!({ "type": "object", "patternProperties": { "^a": { "anyOf": [own(), nothing] } } }),
        ),
        (
            "a member and allOf",
            object(&json!({ "allOf": [own(), { "properties": { "x": { "type": "string" } } }] })),
        ),
        ("a member and anyOf", object(&json!({ "anyOf": [own(), object(&own())] }))),
        ("items", list(own())),
        ("items and anyOf", list(json!({ "anyOf": [own(), { "type": "string" }] }))),
        ("prefixItems", tuple),
        ("contains", json!({ "type": "array", "contains": own(), "unevaluatedItems": own() })),
        (
            "dependentSchemas",
            json!({ "type": "object", "propertyNames": { "minLength": 1 }, "dependentSchemas": { "a": { "properties": { "b": own() } } } }),
        ),
        (
            "unevaluatedProperties",
            json!({ "type": "object", "allOf": [{ "properties": { "a": own() } }], "unevaluatedProperties": own() }),
        ),
        ("not in a member", object(&json!({ "not": own() }))),
        (
            "if in a member",
            object(&json!({ "if": own(), "then": { "required": ["id"] }, "else": own() })),
        ),
    ];
    let mut all: Vec<Named> = all.iter().map(|(name, own)| (*name, schema(own, &[]))).collect();
    let root = json!({ "type": "object", "properties": { "id": { "type": "integer" }, "all": { "anyOf": [{ "$ref": "#" }, list(json!({ "$ref": "#" }))] } } });
    all.push(("the root", root.to_string()));
    all
}

/// `D` for its own value.
fn in_place() -> Vec<Named> {
    let two = json!({ "oneOf": [own(), { "type": "string" }] });
    vec![
        ("in place: not", schema(&json!({ "not": own() }), &[])),
        ("in place: allOf", schema(&json!({ "allOf": [own()] }), &[])),
        ("in place: if", schema(&json!({ "if": own(), "then": own() }), &[])),
        (
            "in place: two",
            schema(&json!({ "anyOf": [reference("E"), { "type": "null" }] }), &[("E", two)]),
        ),
    ]
}

/// Several that refer to each other.
fn mutual() -> Vec<Named> {
    let words = |word: &str| json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "const": word }, "next": own() } });
    let union = |one: Value, other: Value| json!({ "anyOf": [one, other] });
    let [e, f] = ["E", "F"].map(reference);
    let more = json!({ "properties": { "more": { "allOf": [own(), e] } } });
    let of_maps = json!({ "type": "object", "properties": { "k": union(own(), e.clone()) }, "additionalProperties": union(own(), e.clone()) });
    vec![
        (
            "two that extend each other's members",
            schema(
                &json!({ "allOf": [object(&e)] }),
                &[("E", json!({ "allOf": [object(&own()), more] }))],
            ),
        ),
        (
            "a union of tags",
            schema(&json!({ "oneOf": [e, f] }), &[("E", words("e")), ("F", words("f"))]),
        ),
        (
            "unions of unions in maps",
            schema(
                &json!({ "type": "object", "additionalProperties": union(e, f.clone()) }),
                &[
                    (
                        "E",
                        json!({ "type": "object", "additionalProperties": { "oneOf": [own(), f] } }),
                    ),
                    ("F", of_maps),
                ],
            ),
        ),
    ]
}

/// Many that refer to each other.
fn chains() -> Vec<Named> {
    let ring: Vec<(String, Value)> = (0..300)
        .map(|at| (format!("C{at}"), object(&reference(&format!("C{}", (at + 1) % 300)))))
        .collect();
    let chain: Vec<(String, Value)> = (0..60)
        .map(|at| {
            let own = json!({ "properties": { format!("p{at}"): reference("L0") } });
            (format!("L{at}"), json!({ "allOf": [reference(&format!("L{}", at + 1)), own] }))
        })
        .chain([("L60".to_owned(), object(&json!({})))])
        .collect();
    let wide = |at: usize| {
        let part = |more: usize| reference(&format!("W{}", (at + more).min(60)));
        (format!("W{at}"), json!({ "allOf": [part(1), part(2), { "properties": { "a": {} } }] }))
    };
    let last = ("W60".to_owned(), object(&json!({})));
    let wide: Vec<(String, Value)> = (0..60).map(wide).chain([last]).collect();
    let named = |all: &[(String, Value)], first: &str| {
        let all: Vec<(&str, Value)> =
            all.iter().map(|(name, own)| (&**name, own.clone())).collect();
        schema(&reference(first), &all)
    };
    vec![
        ("300 in a ring", named(&ring, "C0")),
        ("60 of which each extends the next", named(&chain, "L0")),
        ("60 of which each has the next two", named(&wide, "W0")),
        ("40 that combine each other in their members", named(&combined(), "C0")),
    ]
}

/// Entities whose members combine other entities with a rule, so that neither can be a base.
fn combined() -> Vec<(String, Value)> {
    let member = |at: usize| {
        let part = json!({ "allOf": [reference(&format!("C{}", at % 40)), { "required": ["x"] }] });
        (format!("m{at}"), part)
    };
    let entity = |at: usize| {
        let members: serde_json::Map<String, Value> =
            (0..10).map(|more| member(at * 3 + more)).collect();
        (format!("C{at}"), json!({ "type": ["object", "null"], "properties": members }))
    };
    (0..40).map(entity).collect()
}

/// Texts that nest deeply.
fn deep() -> Vec<Named> {
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{}{{}}{}", open.repeat(depth), close.repeat(depth))
    };
    let schema = |word: &str, inner: String| {
        format!(
            "{{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"{word}\":{inner}}}"
        )
    };
    let yaml = nested(2_000, "{items: ", "}");
    vec![
        ("deep items", schema("items", nested(110, "{\"items\":", "}"))),
        ("deep allOf", schema("not", nested(50, "{\"allOf\":[", "]}"))),
        ("too deep", schema("items", nested(100_000, "{\"items\":", "}"))),
        (
            "deep YAML",
            format!("openapi: 3.1.0\npaths: {{}}\ncomponents: {{schemas: {{A: {yaml}}}}}\n"),
        ),
        (
            "YAML at the limit",
            format!(
                "openapi: 3.1.0\npaths: {{}}\ncomponents: {{schemas: {{A: {}}}}}\n",
                nested(58, "{items: ", "}")
            ),
        ),
        ("deep samples", format!("{{\"a\":{}}}", nested(60, "[{\"a\":", "}]"))),
    ]
}

/// Other kinds of input.
fn others() -> Vec<Named> {
    let document = |schemas: Value| {
        json!({ "openapi": "3.1.0", "info": { "title": "a", "version": "1" }, "paths": {}, "components": { "schemas": schemas } }).to_string()
    };
    let [d, e] = ["D", "E"].map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    let map = json!({ "type": "object", "additionalProperties": { "anyOf": [d, { "type": "boolean" }] } });
    vec![
        ("OpenAPI, itself", document(json!({ "D": map }))),
        ("OpenAPI, each other", document(json!({ "D": object(&json!({ "allOf": [e] })), "E": object(&json!({ "oneOf": [d, e] })) }))),
        ("OpenAPI, in place", document(json!({ "D": { "allOf": [e] }, "E": { "anyOf": [d] } }))),
        ("entities, itself", "Node: id int pk, parent -> Node, children -> Node[], map map<Node>".into()),
        ("entities, each other", "A: id int pk, b -> B, all B[]; B: id int pk, c -> C, as -> A[]; C: id int pk, a -> A, bs map<A[]>".into()),
        ("DDL, itself", "CREATE TABLE a (id int PRIMARY KEY, parent int REFERENCES a (id));".into()),
        ("DDL, each other", "CREATE TABLE a (id int PRIMARY KEY, b int REFERENCES b (id)); CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a (id));".into()),
    ]
}

/// Models in the program's own form, which no reader has checked.
fn models() -> Vec<Named> {
    let envelope = |entities: Value| {
        json!({ "skill": "type-definitions", "kind": "model", "data": { "entities": entities, "root": null } }).to_string()
    };
    let own = |shape: Value| json!({ "shape": shape });
    let reference = |name: &str| json!({ "reference": name });
    vec![
        (
            "a model in place",
            envelope(
                json!({ "A": own(json!({ "all_of": [reference("B")] })), "B": own(json!({ "any_of": [reference("A"), { "types": ["null"] }] })) }),
            ),
        ),
        ("a model that is itself", envelope(json!({ "A": own(reference("A")) }))),
        (
            "a model with a key to itself",
            envelope(
                json!({ "A": { "shape": { "types": ["object"], "object": { "properties": { "id": reference("A"), "b": reference("A") } } }, "table": { "primary_key": ["id"], "unique": [], "indexes": [], "relations": [{ "columns": ["id"], "to": "A", "to_columns": ["id"] }] } } }),
            ),
        ),
        (
            "a model of lists",
            envelope(
                json!({ "A": own(json!({ "types": ["array"], "array": { "items": reference("B") } })), "B": own(json!({ "types": ["array"], "array": { "items": reference("A") } })) }),
            ),
        ),
    ]
}

/// Stack of the program, in KiB: an eighth of what is usual.
const STACK: usize = 1024;

fn run(skill: &str, text: &str) -> (Option<i32>, String, Duration) {
    let script = format!("ulimit -s {STACK}; exec {FLOW} skill {skill}");
    let started = Instant::now();
    let output = fed(Command::new("sh").args(["-c", &script]), text.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said, started.elapsed())
}

#[test]
fn no_recursion_aborts() {
    let mut longest = (Duration::ZERO, String::new());
    let all = [inside(), in_place(), mutual(), chains(), deep(), others(), models()].concat();
    let count = all.len();
    let mut refused = 0;
    for (name, text) in all {
        for skill in RUNS {
            let (code, said, took) = run(skill, &text);
            let place = format!("{name} by {skill}");
            assert!(matches!(code, Some(0..=2)), "{place}: {code:?}: {said:.600}");
            assert!(code == Some(0) || said.contains("error: "), "{place}: {said:.600}");
            refused += usize::from(code != Some(0));
            if took > longest.0 {
                longest = (took, place);
            }
        }
    }
    let longest = format!("{} {}", milliseconds(longest.0), longest.1);
    figure("recursive schemas, longest run (ms)", longest);
    figure("recursive schemas, refused runs", format!("{refused} of {}", count * RUNS.len()));
}
