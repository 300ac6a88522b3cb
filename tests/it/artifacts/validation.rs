//! `validation-schema-generator`, executed: all four libraries give the verdict that JSON Schema gives.

#![expect(
    clippy::print_stdout,
    reason = "figures and skipped judges are said, in the test's own output"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Module, cases, compile, execute, has, judges, run};

const LIBRARIES: [&str; 4] = ["zod", "joi", "yup", "pydantic"];

fn judge(library: &str) -> &'static str {
    match library {
        "zod" => "node_modules/zod",
        "joi" => "node_modules/joi",
        "yup" => "node_modules/yup",
        _ => "venv/bin/python",
    }
}

/// The keyword files that peers were counted on: 742 cases.
const KEYWORDS: [&str; 34] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "boolean_schema",
    "const",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if-then-else",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "type",
    "uniqueItems",
];
/// More of the suite.
const MORE: [&str; 9] = [
    "unevaluatedItems",
    "unevaluatedProperties",
    "ref",
    "defs",
    "default",
    "format",
    "content",
    "infinite-loop-detection",
    "anchor",
];

struct Group {
    title: String,
    module: Option<Module>,
    expected: Vec<bool>,
}

/// The groups of keyword files, left out those that need more than one document.
fn groups(files: &[&str], library: &'static str) -> Vec<Group> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/suite");
    let mut groups = Vec::new();
    for file in files {
        let text = fs::read_to_string(folder.join(format!("{file}.json"))).unwrap();
        let read: Vec<Value> = serde_json::from_str(&text).unwrap();
        for group in read {
            let schema = &group["schema"];
            let text = schema.to_string();
            if ["\"$id\"", "\"$anchor\"", "\"$dynamicRef\""].iter().any(|word| text.contains(word))
            {
                continue;
            }
            let tests = group["tests"].as_array().unwrap();
            let fields = json!({ "schema": schema, "library": library, "formats": "annotate" });
            let made = run("validation-schema-generator", &fields);
            let title = format!("{file}: {}", group["description"].as_str().unwrap());
            if let Err(fault) = &made {
                println!("{library} refuses {title}: {fault}");
            }
            let module = made.ok().map(|output| Module {
                library,
                text: output.artifacts[0].text.clone(),
                name: "Root".into(),
                values: tests.iter().map(|test| test["data"].to_string()).collect(),
            });
            let expected = tests.iter().map(|test| test["valid"].as_bool().unwrap()).collect();
            groups.push(Group { title, module, expected });
        }
    }
    groups
}

/// Counts the cases that are right, a refusal being a miss, and prints the misses.
fn count(files: &[&str], library: &'static str) -> (usize, usize, usize, usize) {
    let mut groups = groups(files, library);
    let modules: Vec<Module> = groups
        .iter_mut()
        .filter_map(|group| {
            group.module.take().inspect(|_| {
                group.title += " *";
            })
        })
        .collect();
    let mut verdicts = execute(&modules).into_iter();
    let mut texts = modules.iter();
    let (mut right, mut whole, mut all) = (0, 0, 0);
    let mut missed = String::new();
    for group in &groups {
        all += group.expected.len();
        let Some(title) = group.title.strip_suffix(" *") else { continue };
        let found = verdicts.next().unwrap();
        let module = texts.next().unwrap();
        let good = found
            .iter()
            .zip(&group.expected)
            .filter(|(found, expected)| found.as_bool() == Some(**expected))
            .count();
        right += good;
        whole += usize::from(good == found.len());
        for (at, (found, expected)) in found.iter().zip(&group.expected).enumerate() {
            if found.as_bool() != Some(*expected) {
                let _ = writeln!(
                    missed,
                    "{library} {title}: {} -> {found}, expected {expected}",
                    module.values[at]
                );
            }
        }
        if good < found.len() {
            let _ = writeln!(missed, "{}", module.text);
        }
    }
    print!("{missed}");
    println!("{library}: {right} of {all} cases, {whole} of {} groups whole", groups.len());
    (right, all, whole, groups.len())
}

#[test]
fn the_json_schema_suite_gets_its_verdicts() {
    for library in LIBRARIES.into_iter().filter(|library| has(judge(library))) {
        let (right, all, ..) = count(&KEYWORDS, library);
        assert_eq!(all, 742);
        assert_eq!(right, all, "{library}");
        let (right, all, ..) = count(&MORE, library);
        // What is missed is refused: two groups refer to the meta-schema, which is another document.
        assert_eq!(all - right, 4, "{library}");
    }
}

#[test]
fn the_four_libraries_agree_on_hostile_inputs() {
    let mut wrong = String::new();
    for library in LIBRARIES.into_iter().filter(|library| has(judge(library))) {
        let cases = cases::all();
        let make = |case: &cases::Case| {
            let mut fields = case.fields.clone();
            fields["library"] = json!(library);
            let output = run("validation-schema-generator", &fields)
                .unwrap_or_else(|fault| panic!("{library} {}: {fault}", case.title));
            let values = case.good.iter().chain(&case.bad).map(Value::to_string).collect();
            Module {
                library,
                text: output.artifacts[0].text.clone(),
                name: case.name.into(),
                values,
            }
        };
        let modules: Vec<Module> = cases.iter().map(make).collect();
        for ((case, module), found) in cases.iter().zip(&modules).zip(execute(&modules)) {
            for (at, found) in found.iter().enumerate() {
                if found.as_bool() != Some(at < case.good.len()) {
                    let _ = writeln!(
                        wrong,
                        "{library} {}: {} -> {found}",
                        case.title, module.values[at]
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_written_for_scripts_compiles_strictly() {
    if !has("node_modules/typescript") {
        return;
    }
    let mut files = Vec::new();
    for library in ["zod", "joi", "yup"] {
        for (at, case) in cases::all().iter().enumerate() {
            let mut fields = case.fields.clone();
            fields["library"] = json!(library);
            let output = run("validation-schema-generator", &fields).unwrap();
            files.push((format!("{library}{at}.ts"), output.artifacts[0].text.clone()));
        }
    }
    assert_eq!(compile(&files), "");
}

#[test]
fn what_is_written_for_python_is_typed() {
    if !has("venv/bin/mypy") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(judges().join("venv/bin/mypy"));
    command.arg("--strict").current_dir(&folder);
    for (at, case) in cases::all().iter().enumerate() {
        let mut fields = case.fields.clone();
        fields["library"] = json!("pydantic");
        let output = run("validation-schema-generator", &fields).unwrap();
        let name = format!("m{at}.py");
        fs::write(folder.path().join(&name), &output.artifacts[0].text).unwrap();
        command.arg(name);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
