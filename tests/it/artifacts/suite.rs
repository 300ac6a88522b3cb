//! The JSON Schema Test Suite, run with the code that `validation-schema-generator` writes: how many verdicts of each
//! library are those of JSON Schema. `tests/judges/peers` counts other generators on the same groups.

#![expect(clippy::print_stdout, reason = "figures are said, in the test's own output")]

use std::fs;

use serde_json::{Value, json};

use super::execute::{Module, execute};
use super::judge;
use super::making::make;
use crate::tools::text;

/// Each library, with what it needs to be judged, and the fewest cases that it must get right.
const LIBRARIES: [(&str, &str, usize); 4] = [
    ("zod", "node_modules/zod", 600),
    ("joi", "node_modules/joi", 600),
    ("yup", "node_modules/yup", 590),
    ("pydantic", "venv/bin/python", 590),
];
/// The cases of the basis.
const CASES: usize = 742;

/// The keywords that name a schema for references; the basis excludes groups that have one.
const NAMING: [&str; 3] = ["\"$id\"", "\"$anchor\"", "\"$dynamicRef\""];

/// The libraries that can be tested here.
pub(super) fn libraries() -> impl Iterator<Item = &'static str> {
    let judged = LIBRARIES.into_iter().filter(|(_, needed, _)| judge::find(needed).is_some());
    judged.map(|(library, ..)| library)
}

/// A group of the suite: one schema, and values with the verdict that each must get.
struct Group {
    title: String,
    schema: Value,
    cases: Vec<(String, bool)>,
}

/// The groups of the files that `basis.txt` names; `None` if the suite is not installed.
fn basis() -> Option<Vec<Group>> {
    let folder = judge::find("suite/type.json")?.parent()?.to_owned();
    let names = text("tests/judges/suite/basis.txt");
    let read = |name: &str| {
        let file = folder.join(format!("{name}.json"));
        let groups: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        groups.into_iter().map(|group| (name.to_owned(), group)).collect::<Vec<_>>()
    };
    let group = |(name, group): (String, Value)| Group {
        title: format!("{name}: {}", group["description"].as_str().unwrap()),
        schema: group["schema"].clone(),
        cases: (group["tests"].as_array().unwrap().iter())
            .map(|case| (case["data"].to_string(), case["valid"].as_bool().unwrap()))
            .collect(),
    };
    let is_counted = |group: &Group| {
        let text = group.schema.to_string();
        !NAMING.iter().any(|word| text.contains(word))
    };
    Some(names.lines().flat_map(read).map(group).filter(is_counted).collect())
}

fn module(group: &Group, library: &'static str) -> Module {
    // The suite takes formats for annotations.
    let mut schema = group.schema.clone();
    if let Some(members) =
        schema.as_object_mut().filter(|all| all.get("format").is_some_and(Value::is_string))
    {
        members.shift_remove("format");
    }
    let fields = json!({ "schema": schema, "library": library });
    let output = make("validation-schema-generator", &fields).unwrap();
    Module {
        library,
        text: output.artifacts[0].text.clone(),
        name: "Root".into(),
        values: group.cases.iter().map(|(value, _)| value.clone()).collect(),
    }
}

#[test]
fn most_verdicts_are_those_of_json_schema() {
    let Some(groups) = basis() else { return };
    assert_eq!(groups.iter().map(|group| group.cases.len()).sum::<usize>(), CASES);
    let all: Vec<(&'static str, &Group)> =
        libraries().flat_map(|library| groups.iter().map(move |group| (library, group))).collect();
    let modules: Vec<Module> = all.iter().map(|(library, group)| module(group, library)).collect();
    let found = execute(&modules);
    for (library, _, fewest) in LIBRARIES {
        let mut right = 0;
        for ((_, group), found) in all.iter().zip(&found).filter(|((own, _), _)| *own == library) {
            for ((value, expected), found) in group.cases.iter().zip(found) {
                if found.as_bool() == Some(*expected) {
                    right += 1;
                } else {
                    println!("{library} {}: {value} -> {found}", group.title);
                }
            }
        }
        println!("{library}: {right} of {CASES}");
        assert!(
            right >= fewest || all.iter().all(|(own, _)| *own != library),
            "{library}: {right}"
        );
    }
}
