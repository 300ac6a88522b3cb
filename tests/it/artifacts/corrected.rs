//! Ordinary schemas, and such for which something wrong was generated once, found by drawing types at random (`random.rs`)
//! and by reading outputs: verdicts, inferred types and Python's types of each are right, in all libraries. The schemas and
//! values are in `corrected.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;
use serde_json::{Value, json};

use super::execute::{Module, execute};
use super::judge;
use super::making::make;
use super::random::{assignments, says_unchecked, untyped, validator};
use super::suite::libraries;
use super::validation;

#[derive(Deserialize)]
struct Case {
    schema: Value,
    #[serde(default)]
    good: Vec<Value>,
    #[serde(default)]
    bad: Vec<Value>,
}

fn cases() -> BTreeMap<String, Case> {
    serde_json::from_str(include_str!("corrected.json")).unwrap()
}

#[test]
fn verdicts_are_those_of_json_schema() {
    let cases = cases();
    let mut asked = Vec::new();
    for library in libraries() {
        for (title, case) in &cases {
            let values = case.good.iter().chain(&case.bad).map(Value::to_string).collect();
            let text = validator(&case.schema, library);
            asked.push((title, case, Module { library, text, name: "Root".into(), values }));
        }
    }
    let modules: Vec<Module> = asked.iter().map(|(.., module)| module.clone()).collect();
    let mut wrong = String::new();
    for ((title, case, module), found) in asked.iter().zip(execute(&modules)) {
        let is_unchecked = ["additionalProperties", "enum", "multipleOf"]
            .iter()
            .any(|keyword| says_unchecked(&module.text, keyword));
        for (at, (value, found)) in module.values.iter().zip(&found).enumerate() {
            if is_unchecked && *found == true {
                continue;
            }
            if found.as_bool() != Some(at < case.good.len()) {
                let _ = writeln!(wrong, "{} {title}: {value} -> {found}", module.library);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Modules whose inferred types are compared with those that are written; `random.rs` compiles them with its own, since
/// reading the declarations of the libraries takes the most time.
pub(super) fn typed_files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (title, case) in cases() {
        let types = make("type-definitions", json!({ "schema": case.schema })).unwrap();
        files.push((format!("types_{title}.ts"), types.artifacts[0].text.clone()));
        for library in ["zod", "joi", "yup"] {
            let file = format!("{library}_{title}");
            let text = validator(&case.schema, library);
            let is_loose = case.schema.to_string().contains("{}");
            files.push((format!("{file}.ts"), text));
            if library != "joi" {
                let types = format!("types_{title}");
                files.push((format!("use_{file}.ts"), assignments(&types, &file, is_loose)));
            }
        }
    }
    files
}

#[test]
fn python_modules_are_typed() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = judge::mypy(folder.path()) else { return };
    let mut modules = validation::modules(&["pydantic"]);
    for (title, case) in cases() {
        let text = validator(&case.schema, "pydantic");
        assert!(!title.starts_with("shape") || untyped(&text).is_empty(), "{text}");
        modules.push((title, text));
    }
    for (name, text) in modules {
        fs::write(folder.path().join(format!("{name}.py")), text).unwrap();
        command.arg(format!("{name}.py"));
    }
    judge::said(&mut command);
}
