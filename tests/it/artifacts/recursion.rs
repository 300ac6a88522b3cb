//! Schemas that refer to themselves, in every way and through every skill that reads data: the program ends with an
//! artifact or an error, on a small stack too, and never with an abort.

use std::process::Command;

use serde_json::{Map, Value, json};

use crate::support::{FLOW, fed};
use crate::tools::{figure, scaled};

/// The skills that read data, with the fields that choose what they write. Unless `FLOW_LONG` is set, each reads every second input.
const RUNS: [&str; 8] = [
    "type-definitions",
    "validation-schema-generator library=zod",
    "validation-schema-generator library=joi",
    "validation-schema-generator library=yup",
    "validation-schema-generator library=pydantic",
    "sql-schema-generator dialect=postgresql",
    "api-documentation-generator openapi=3.0",
    "diagram-generator",
];

type Named = (String, String);

/// `recursion.json` has what is written by hand: `D` inside of its values and for its own value, several that refer to each
/// other, other kinds of input as text, and models in the program's own form, which no reader has checked.
fn written() -> Vec<Named> {
    let all: Map<String, Value> = serde_json::from_str(include_str!("recursion.json")).unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    all.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn object(child: &Value) -> Value {
    json!({ "type": "object", "properties": { "id": { "type": "integer" }, "child": child } })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
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
    let named = |name: &str, all: Vec<(String, Value)>, first: &str| {
        let all: Map<String, Value> =
            [("D".to_owned(), reference(first))].into_iter().chain(all).collect();
        (name.to_owned(), json!({ "$defs": all }).to_string())
    };
    vec![
        named("300 in a ring", ring, "C0"),
        named("60 of which each extends the next", chain, "L0"),
        named("60 of which each has the next two", wide, "W0"),
        named("40 that combine each other in their members", combined(), "C0"),
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
    let document = |schema: &str| {
        format!("openapi: 3.1.0\npaths: {{}}\ncomponents: {{schemas: {{A: {schema}}}}}\n")
    };
    let all = [
        ("deep items", schema("items", nested(110, "{\"items\":", "}"))),
        ("deep allOf", schema("not", nested(50, "{\"allOf\":[", "]}"))),
        ("too deep", schema("items", nested(100_000, "{\"items\":", "}"))),
        ("deep YAML", document(&nested(2_000, "{items: ", "}"))),
        ("YAML at the limit", document(&nested(58, "{items: ", "}"))),
        ("deep samples", format!("{{\"a\":{}}}", nested(60, "[{\"a\":", "}]"))),
    ];
    all.map(|(name, text)| (name.to_owned(), text)).into()
}

/// Stack of the program, in KiB: an eighth of what is usual.
const STACK: usize = 1024;

fn run(skill: &str, text: &str) -> (Option<i32>, String) {
    let script = format!("ulimit -s {STACK}; exec {} skill {skill}", *FLOW);
    let output = fed(Command::new("sh").args(["-c", &script]), text.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn no_recursion_aborts() {
    let all = [written(), chains(), deep()].concat();
    let (mut refused, mut runs) = (0, 0);
    for (at, (name, text)) in all.iter().enumerate() {
        for skill in RUNS.iter().skip(scaled(at % 2, 0)).step_by(scaled(2, 1)) {
            let (code, said) = run(skill, text);
            let place = format!("{name} by {skill}");
            assert!(matches!(code, Some(0..=2)), "{place}: {code:?}: {said:.600}");
            assert!(code == Some(0) || said.contains("error: "), "{place}: {said:.600}");
            refused += usize::from(code != Some(0));
            runs += 1;
        }
    }
    figure("recursive schemas, refused runs", format!("{refused} of {runs}"));
}
