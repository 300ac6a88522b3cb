//! The static types of generated code: a validator's inferred types are those that `type-definitions` writes, and
//! nothing becomes `unknown` or `Any`. The shapes are in `shapes.json`.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value, json};

use super::execute::compile_with;
use super::judge;
use super::making::make;

fn shapes() -> Map<String, Value> {
    serde_json::from_str(include_str!("shapes.json")).unwrap()
}

/// The name of the root of a shape.
fn root(schema: &Value) -> &str {
    schema["title"].as_str().unwrap_or("Root")
}

fn validator(schema: &Value, library: &str) -> String {
    let fields = json!({ "schema": schema, "library": library });
    make("validation-schema-generator", fields).unwrap().artifacts[0].text.clone()
}

/// Mutually assignable types, neither of which is `any`.
const ALIKE: &str = "type IsAny<T> = 0 extends 1 & T ? true : false;\n\
     declare function alike<A, B>(a: IsAny<A> extends true ? never : A, b: IsAny<B> extends true ? never : B): void;\n";

#[test]
fn inferred_types_are_the_types_that_are_written() {
    if judge::find("node_modules/typescript").is_none() {
        return;
    }
    let mut files = Vec::new();
    for (at, (title, schema)) in shapes().iter().enumerate() {
        let name = root(schema);
        let types = make("type-definitions", json!({ "schema": schema })).unwrap();
        files.push((format!("t{at}.ts"), types.artifacts[0].text.clone()));
        for library in ["zod", "yup"] {
            let file = format!("{library}{at}");
            files.push((format!("{file}.ts"), validator(schema, library)));
            let mut uses = format!(
                "// {title}\nimport type {{ {name} as T }} from \"./t{at}\";\n\
                 import type {{ {name} as V }} from \"./{file}\";\n{ALIKE}\
                 declare const t: T;\ndeclare const v: Exclude<V, undefined>;\nalike<T, T>(v, t);\n"
            );
            // A `catchall` infers an index signature, to which no interface is assignable.
            if title != "maps" {
                let _ = writeln!(uses, "alike<V, V>(t, v);");
            }
            files.push((format!("u_{file}.ts"), uses));
        }
    }
    // The inferred type of an optional member includes `undefined`.
    assert_eq!(compile_with(&files, &json!({ "exactOptionalPropertyTypes": false })), "");
}

#[test]
fn no_type_is_lost_in_python() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = judge::mypy(folder.path()) else { return };
    for (title, schema) in shapes() {
        let text = validator(&schema, "pydantic");
        let typed = text.lines().filter(|line| {
            line.starts_with("    ") && line.contains(": ") || line.starts_with(root(&schema))
        });
        for line in typed.filter(|line| !line.contains("def ") && !line.contains("set[Any]")) {
            let mut words = line.split(|c: char| !c.is_alphanumeric());
            assert!(words.all(|word| word != "Any"), "{title}: {line}");
        }
        let name = format!("m_{title}.py");
        fs::write(folder.path().join(&name), text).unwrap();
        command.arg(name);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
