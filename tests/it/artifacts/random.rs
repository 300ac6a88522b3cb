//! Types that are drawn at random: the types that are inferred are those that are written, and all libraries give one verdict
//! on values, that of JSON Schema. The drawn types are the same each time unless `FLOW_TEST_SEED` (a number) selects others;
//! `FLOW_LONG` draws more of them.

mod deviations;
mod draw;
mod mutate;

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use self::deviations::deviating;
use self::draw::Draw;
use super::corrected;
use super::execute::{Module, compile, execute};
use super::judge;
use super::making::make;
use super::suite::libraries;
use crate::tools::{scaled, setting};

/// Values of each type that are drawn as valid ones, and changes of each of them.
const VALUES: usize = 3;
const CHANGES: usize = 5;
/// Faults that are shown.
const MOST_SHOWN: usize = 40;

fn seed() -> u64 {
    setting("FLOW_TEST_SEED").unwrap_or(0)
}

/// Documents with the source of randomness after them.
fn documents() -> (Vec<Value>, Draw) {
    let mut draw = Draw::new(seed());
    let documents = (0..scaled(8, 240)).map(|_| draw.document()).collect();
    (documents, draw)
}

pub(super) fn validator(schema: &Value, library: &str) -> String {
    let fields = json!({ "schema": schema, "library": library });
    let output = make("validation-schema-generator", fields);
    output.unwrap_or_else(|fault| panic!("{library}: {fault}\n{schema}")).artifacts[0].text.clone()
}

/// Values of a document, each with changed ones.
fn values(draw: &mut Draw, document: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for _ in 0..VALUES {
        let value = mutate::with_plain_integers(draw.value(document, document, 0));
        all.extend((0..CHANGES).map(|_| mutate::mutated(draw, &value)));
        all.push(value);
    }
    all.dedup();
    all
}

fn judge_of(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(true).build(schema).unwrap()
}

/// A module with the verdict that each of its values must get.
struct Expected {
    module: Module,
    verdicts: Vec<bool>,
    title: String,
}

/// The modules of all documents for a library.
fn expected(library: &'static str) -> Vec<Expected> {
    let (documents, mut draw) = documents();
    let mut all = Vec::new();
    for schema in &documents {
        let mut values = values(&mut draw, schema);
        let truth = judge_of(schema);
        let differing = judge_of(&deviating(schema, library));
        // Zod leaves a member `__proto__` out before a predicate is called.
        values.retain(|value| !(library == "zod" && value.to_string().contains("\"__proto__\":")));
        values.retain(|value| truth.is_valid(value) == differing.is_valid(value));
        all.push(Expected {
            verdicts: values.iter().map(|value| truth.is_valid(value)).collect(),
            title: format!("{library}: {schema}"),
            module: Module {
                library,
                text: validator(schema, library),
                name: "Root".into(),
                values: values.iter().map(Value::to_string).collect(),
            },
        });
    }
    all
}

#[test]
fn verdicts_on_random_types_are_those_of_json_schema() {
    let (mut faults, mut right, mut accepted) = (Vec::new(), 0, 0);
    let all: Vec<Expected> = libraries().flat_map(expected).collect();
    if all.is_empty() {
        return;
    }
    let modules: Vec<Module> = all.iter().map(|own| own.module.clone()).collect();
    for (own, found) in all.iter().zip(execute(&modules)) {
        let mut fault = String::new();
        let is_unchecked = says_unchecked(&own.module.text, "allOf");
        for ((value, verdict), found) in own.module.values.iter().zip(&own.verdicts).zip(&found) {
            if is_unchecked && !verdict && *found == true {
                continue;
            }
            if found.as_bool() == Some(*verdict) {
                right += 1;
                accepted += usize::from(*verdict);
            } else {
                let _ = writeln!(fault, "  {value} -> {found}, expected {verdict}");
            }
        }
        if !fault.is_empty() {
            faults.push(format!("{}\n{fault}{}", own.title, own.module.text));
        }
    }
    let shown = faults.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "seed {}: {} modules:\n{shown}", seed(), faults.len());
    // The values are worth judging: many are valid, and many are not.
    assert!((right / 5..right * 4 / 5).contains(&accepted), "{accepted} of {right} are valid");
}

/// Whether a module says of a keyword that it does not check it. It may accept more then.
pub(super) fn says_unchecked(module: &str, keyword: &str) -> bool {
    let mut notes = module.lines().filter(|line| line.contains("Not checked: "));
    notes.any(|note| note.contains(keyword))
}

/// Whether there are values about which a schema says nothing.
fn has_untyped(schema: &Value) -> bool {
    let keywords = schema.as_object().unwrap();
    keywords.keys().all(|key| ["title", "$defs"].contains(&key.as_str()))
        || schema.to_string().contains("{}")
}

/// `clear` takes a value of a type that is `any` nowhere, to a bounded depth.
const CLEAR: &str = "type HasAny<T, D extends 1[] = []> = D[\"length\"] extends 5 ? false : 0 extends 1 & T ? true\n\
     : T extends readonly (infer I)[] ? HasAny<I, [...D, 1]>\n\
     : T extends object ? { [K in keyof T]-?: HasAny<T[K], [...D, 1]> }[keyof T] : false;\n\
     declare function clear<T>(value: true extends HasAny<T> ? never : T): void;\n\
     declare function alike<A, B>(a: A, b: B): void;\n";

/// A script that assigns a value of the inferred type of a module to the written type and, unless the inferred one is
/// narrower by its nature, the reverse.
pub(super) fn assignments(types: &str, module: &str, is_loose: bool) -> String {
    let back = if is_loose { "" } else { "alike<V, V>(t, t);\n" };
    format!(
        "import type {{ Root as T }} from \"./{types}\";\nimport type {{ Root as V }} from \"./{module}\";\n{CLEAR}\
         declare const t: T;\ndeclare const v: Exclude<V, undefined>;\nalike<T, T>(v, v);\n{back}clear<typeof v>(v);\n"
    )
}

#[test]
fn inferred_types_are_those_that_are_written() {
    if judge::find("node_modules/typescript").is_none() {
        return;
    }
    let mut files = corrected::typed_files();
    let documents = documents().0;
    for (at, schema) in documents.iter().enumerate() {
        let types = make("type-definitions", json!({ "schema": schema })).unwrap();
        files.push((format!("types_{at}_.ts"), types.artifacts[0].text.clone()));
        for library in ["zod", "yup"] {
            let file = format!("{library}_{at}");
            let text = validator(schema, library);
            // A loose object infers an index signature, to which no interface is assignable, and Yup that a member that is
            // there is not undefined.
            let is_loose =
                text.contains(".looseObject(") || library == "yup" && has_untyped(schema);
            let types = format!("types_{at}_");
            files.push((format!("use_{file}.ts"), assignments(&types, &file, is_loose)));
            files.push((format!("{file}.ts"), text));
        }
    }
    let found = compile(&files, &["exactOptionalPropertyTypes", "noUnusedLocals"]);
    let mut schemas = String::new();
    for (at, schema) in documents.iter().enumerate() {
        if found.contains(&format!("_{at}_")) {
            let _ = writeln!(schemas, "{at}: {schema}");
        }
    }
    assert!(found.is_empty(), "seed {}: {found}{schemas}", seed());
}

/// The lines of a module that say a type and have `Any` in it, which is the type of what the schema says nothing about.
pub(super) fn untyped(text: &str) -> Vec<&str> {
    let is_type = |line: &&str| {
        let is_member = line.starts_with("    ") && line.contains(": ") && !line.contains("def ");
        let is_alias = !line.starts_with(' ') && line.contains(" = ") && !line.contains("Check = ");
        (is_member || is_alias) && !line.contains("set[Any]") && !line.contains("Callable[[Any]")
    };
    let has_any =
        |line: &&str| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Any");
    text.lines().filter(is_type).filter(has_any).collect()
}

#[test]
fn no_random_type_is_lost_in_python() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = judge::mypy(folder.path()) else { return };
    let mut lost = String::new();
    for (at, schema) in documents().0.iter().enumerate() {
        let is_whole = !has_untyped(schema);
        let name = format!("m{at}.py");
        let text = validator(schema, "pydantic");
        for line in untyped(&text).iter().filter(|_| is_whole) {
            let _ = writeln!(lost, "{line}\n  {schema}");
        }
        fs::write(folder.path().join(&name), text).unwrap();
        command.arg(name);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "seed {}: {said}", seed());
    assert!(lost.is_empty(), "seed {}: {lost}", seed());
}
