//! `type-definitions`, checked by the TypeScript compiler: matching values are assignable, others are errors in
//! their line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::execute::{compile, strict_faults};
use super::golden::example_output;
use super::making::make;
use super::{cases, judge};

fn types(fields: &Value) -> String {
    make("type-definitions", fields).unwrap().artifacts[0].text.clone()
}

/// The types of every case, and modules in which its values are assigned to them.
pub(super) fn modules() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (at, case) in cases::all().iter().enumerate() {
        files.push((format!("t{at}.ts"), types(&case.fields)));
        // A parameter accepts members that its type does not name, and does not widen `"a"` to `string`.
        let mut uses = format!(
            "import type {{ {} as T }} from \"./t{at}\";\ndeclare function take<V extends T>(value: V): void;\n",
            case.name
        );
        // A compiler treats `__proto__` in a literal differently from JSON.
        for value in case.good.iter().filter(|value| !value.to_string().contains("__proto__\":")) {
            let _ = writeln!(uses, "take({value});");
        }
        files.push((format!("u{at}.ts"), uses + "take;\n"));
    }
    files
}

#[test]
fn types_compile_strictly_and_samples_assign() {
    if judge::find("node_modules/typescript").is_some() {
        assert_eq!(strict_faults("types"), "");
    }
}

#[test]
fn mutated_samples_do_not_assign() {
    if judge::find("node_modules/typescript").is_none() {
        return;
    }
    let sample = json!({ "id": 1, "at": "2026-01-31", "role": "a", "tags": ["x"], "in": { "n": 1, "s": null }, "ok": true });
    let other =
        json!({ "id": 2, "at": "2026-01-31", "role": "b", "tags": [], "in": { "n": 1, "s": "y" } });
    let text = types(&json!({ "samples": [sample, other], "name": "Thing" }));
    let mut mutated = Vec::new();
    for (path, value) in [
        ("/id", json!("1")),
        ("/at", json!(5)),
        ("/tags", json!("x")),
        ("/tags/0", json!(1)),
        ("/in", json!([])),
        ("/in/n", json!(null)),
        ("/in/s", json!(3)),
        ("/ok", json!("yes")),
        ("/role", json!(null)),
    ] {
        let mut copy = sample.clone();
        *copy.pointer_mut(path).unwrap() = value;
        mutated.push(copy);
    }
    for key in ["id", "at", "role", "tags", "in"] {
        let mut copy = sample.clone();
        copy.as_object_mut().unwrap().remove(key);
        mutated.push(copy);
    }
    let mut uses = "import type { Thing } from \"./t\";\n".to_owned();
    let _ = writeln!(uses, "export const a: Thing = {sample}; export const b: Thing = {other};");
    for (at, value) in mutated.iter().enumerate() {
        let _ = writeln!(uses, "export const m{at}: Thing = {value};");
    }
    let said = compile(&[("t.ts".into(), text), ("u.ts".into(), uses)]);
    let lines: Vec<u32> = said
        .lines()
        .filter_map(|line| line.strip_prefix("u.ts(")?.split(',').next()?.parse().ok())
        .collect();
    for (value, line) in mutated.iter().zip(3..) {
        assert!(
            lines.contains(&line),
            "{value} assigns
{said}"
        );
    }
    assert!(!lines.contains(&2), "{said}");
}

#[test]
fn the_examples_give_their_goldens() {
    for skill in ["type-definitions", "validation-schema-generator"] {
        example_output(skill);
        flow::skill::runtime::manifest::read(
            flow::skill::runtime::catalog::file(skill, "SKILL.md").unwrap(),
        )
        .unwrap();
    }
}
