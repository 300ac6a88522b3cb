//! `flow schema`: the schemas are valid, contain the whole table of names, accept every file without a problem, and reject
//! only files with one; the paragraph for agents and the list of files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use flow::files::Files;
use flow::model::name::{Name, Value as Type};
use flow::model::record::Kind;
use flow::project::{Project as Opened, Source};
use flow::skill::project_state::state::Answers;
use flow::skill::runtime::catalog;
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::artifacts::judge;
use crate::oracle::messy;
use crate::support::Project;
use crate::tools;

/// The schema of a source, as the program prints it.
fn schema(source: Source) -> Value {
    let ran = Project::new().flow(&["schema", source.name()]).expect(0);
    assert!(ran.err.is_empty(), "{ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

fn validators() -> Vec<(Source, Validator)> {
    let validator = |source| {
        let schema = schema(source);
        (source, jsonschema::draft202012::new(&schema).unwrap())
    };
    Source::ALL.map(validator).into()
}

/// The problems of a project that has one file.
fn problems(source: Source, text: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let project = Opened::at(folder.path()).unwrap();
    let path = folder.path().join(&project.files(source)[0]);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // A line of the log is whole with its line break.
    fs::write(path, format!("{text}\n")).unwrap();
    let (status, body) = Files::read_at_rest(&project).get("/api/problems").unwrap();
    assert_eq!(status, 200, "{body}");
    let answer: Value = serde_json::from_str(&body).unwrap();
    answer["problems"].as_array().unwrap().clone()
}

/// What a schema says against a file; the log is checked line by line.
fn errors(source: Source, validator: &Validator, text: &str) -> Vec<String> {
    let texts = if source == Source::Bus { text.lines().collect() } else { vec![text] };
    let documents = texts.into_iter().map(|text| serde_json::from_str(text).unwrap());
    let found = |document: Value| {
        let errors = validator.iter_errors(&document);
        errors.map(|e| format!("{}: {e}", e.instance_path())).collect::<Vec<_>>()
    };
    documents.flat_map(found).collect()
}

#[test]
fn every_schema_is_valid_and_names_itself() {
    for source in Source::ALL {
        let schema = schema(source);
        jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], format!("urn:flow:schema:{}", source.name()));
        assert!(!schema["title"].as_str().unwrap().is_empty());
        let json = Project::new().flow(&["schema", "--json", source.name()]).expect(0).json();
        assert_eq!(json, schema);
    }
}

/// The words of a text: letters, digits and `_`.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

#[test]
fn every_name_of_the_table_is_in_the_schema() {
    for source in Source::ALL {
        let text = schema(source).to_string();
        let words = words(&text);
        let names = source.kinds().iter().flat_map(|kind| kind.names());
        for name in names.flat_map(|row| row.read.iter().chain(row.synonyms)) {
            assert!(words.contains(name), "{source:?}: {name}");
        }
    }
}

#[test]
fn the_demo_is_accepted() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo");
    let project = Opened::at(&demo).unwrap();
    for (source, validator) in validators() {
        let paths = project.files(source).iter();
        let text = paths.clone().find_map(|path| fs::read_to_string(demo.join(path)).ok()).unwrap();
        assert_eq!(errors(source, &validator, &text), [""; 0], "{source:?}");
        for (path, text) in catalog::DEMO {
            if paths.clone().any(|known| known.as_path() == Path::new(path)) {
                assert_eq!(errors(source, &validator, text), [""; 0], "{path}");
            }
        }
    }
}

/// Files that are rejected: each has a problem.
fn rejected(source: Source) -> impl Iterator<Item = &'static str> {
    let lines = include_str!("schema_rejected.txt").lines();
    lines.filter_map(move |line| line.strip_prefix(source.name()))
}

#[test]
fn what_is_rejected_is_a_problem_too() {
    for (source, validator) in validators() {
        for text in rejected(source) {
            assert_ne!(errors(source, &validator, text), [""; 0], "{text}");
            assert_ne!(problems(source, text), [json!(null); 0], "{text}");
        }
    }
}

/// Values of a type that are read without a problem, and some that may not be.
fn values(of: Type) -> Vec<Value> {
    let good = match of {
        Type::Id => vec![json!("US-1"), json!(7), json!("")],
        Type::Status => vec![json!("done"), json!("In Progress"), json!("own word")],
        Type::Time => vec![
            json!("2026-03-01T09:00:00Z"),
            json!("2026-03-01 09:00:00.5"),
            json!(" 2026-03-01 "),
            json!("n/a"),
            json!("TBD"),
            json!(""),
            json!(1_772_359_200),
            json!(1_772_359_200_000_u64),
            json!(false),
        ],
        Type::Ids => vec![json!([]), json!("waits for the key"), json!(["why not"])],
        Type::Text | Type::Texts | Type::Names => vec![json!("some text"), json!(["some text"])],
        Type::Amount => vec![json!("2d"), json!(5), json!(0.5)],
        Type::Any => vec![json!({"a": 1}), json!([1]), json!("x")],
    };
    let odd = vec![json!(null), json!(3), json!(true), json!([1]), json!({"id": 1}), json!("soon")];
    // A good value is more frequent.
    [good.clone(), good.clone(), good, odd].concat()
}

/// A member of a record: one that is read, a synonym, or an own one.
fn member(kind: Kind) -> BoxedStrategy<(String, Value)> {
    let rows: Vec<&Name> = kind.names().iter().collect();
    let read =
        select(rows.clone()).prop_flat_map(|row| (select(row.read), select(values(row.value))));
    let synonyms: Vec<(&str, Type)> = rows
        .iter()
        .flat_map(|row| row.synonyms.iter().map(|name| (*name, row.value)))
        .chain([("labels", Type::Any), ("id", Type::Id), ("id", Type::Any)])
        .collect();
    let other = select(synonyms).prop_flat_map(|(name, value)| (Just(name), select(values(value))));
    prop_oneof![6 => read, 1 => other].prop_map(|(name, value)| (name.to_owned(), value)).boxed()
}

fn record(kind: Kind) -> BoxedStrategy<Value> {
    let members = prop::collection::vec(member(kind), 0..5);
    let record = members.prop_map(|members| Value::Object(members.into_iter().collect()));
    prop_oneof![30 => record, 1 => select(vec![json!(1), json!(null), json!("x"), json!([])])]
        .boxed()
}

/// A collection: a map or an array of records.
fn collection(kind: Kind) -> BoxedStrategy<Value> {
    let records = || prop::collection::vec(record(kind), 0..4);
    let ids = ["US-1", "EP-1", "a", "1"];
    let map = records().prop_map(move |records| {
        let named = ids.iter().map(|id| (*id).to_owned()).zip(records);
        named.collect::<Map<String, Value>>().into()
    });
    let array = records().prop_map(move |mut records| {
        for (record, id) in records.iter_mut().zip(ids) {
            if let Value::Object(record) = record {
                record.entry("id").or_insert(id.into());
            }
        }
        records.into()
    });
    prop_oneof![6 => map, 3 => array, 1 => select(vec![json!(null), json!(3), json!("x")])].boxed()
}

fn document(source: Source) -> BoxedStrategy<Value> {
    let map = |members: Vec<(String, Value)>| Value::Object(members.into_iter().collect());
    let parts = source.kinds().iter().flat_map(|kind| {
        let name = kind.collection().to_owned();
        let whole = collection(*kind).prop_map(move |value| (name.clone(), value)).boxed();
        let prefixes = kind.prefixes().iter();
        let strays = prefixes.map(|prefix| {
            record(*kind).prop_map(move |value| (format!("{prefix}9"), value)).boxed()
        });
        [whole].into_iter().chain(strays).collect::<Vec<_>>()
    });
    let others = select(vec![("$schema", json!("x.json")), ("version", json!(1))]);
    let others = others.prop_map(|(name, value)| (name.to_owned(), value)).boxed();
    let parts: Vec<_> = parts.chain([others]).collect();
    let part = select(parts).prop_flat_map(|part| part);
    prop::collection::vec(part, 0..3).prop_map(map).boxed()
}

/// Whatever is read without a problem is accepted: epics with stories inside among them.
#[test]
fn every_file_without_a_problem_is_accepted() {
    for (source, validator) in validators() {
        let accepted = std::cell::Cell::new(0);
        let files = match source {
            Source::Bus => record(Kind::Message).boxed(),
            _ => document(source),
        };
        messy::run(tools::scaled(300, 5000), &files, |document| {
            let text = document.to_string();
            let found = problems(source, &text);
            if found.is_empty() {
                accepted.set(accepted.get() + 1);
                assert_eq!(errors(source, &validator, &text), [""; 0], "{text}");
            }
        });
        assert!(accepted.get() >= 50, "{source:?}: only {} have no problem", accepted.get());
    }
}

#[test]
fn other_validators_agree() {
    let needed = ["node_modules/ajv/dist/2020.js", "venv/bin/python"];
    if !judge::are_there(&needed) {
        return;
    }
    let bench = judge::bench();
    let cases: Vec<Value> = Source::ALL
        .map(|source| {
            let documents = rejected(source).map(|text| serde_json::from_str(text).unwrap());
            json!({"schema": schema(source), "rejected": documents.collect::<Vec<Value>>()})
        })
        .into();
    fs::write(bench.path().join("cases.json"), json!(cases).to_string()).unwrap();
    fs::write(bench.path().join("check.cjs"), AJV).unwrap();
    fs::write(bench.path().join("check.py"), PYTHON).unwrap();
    judge::said(Command::new("node").arg("check.cjs").current_dir(bench.path()));
    let mut python = Command::new(judge::folder().join(needed[1]));
    judge::said(python.arg("check.py").current_dir(bench.path()));
}

const AJV: &str = include_str!("../judges/check_schemas.cjs");
const PYTHON: &str = include_str!("../judges/check_schemas.py");

#[test]
fn an_editor_is_offered_the_documented_names_only() {
    let schema = schema(Source::Status);
    for kind in Source::Status.kinds() {
        let record = &schema["$defs"][kind.noun()];
        let offered: Vec<&String> = record["properties"].as_object().unwrap().keys().collect();
        let documented = kind.names().iter().map(Name::documented);
        assert_eq!(offered, ["id"].into_iter().chain(documented).collect::<Vec<_>>());
        let advised = record["patternProperties"].as_object().unwrap().values();
        let is_advice = |text: &Value| text.as_str().unwrap().starts_with("Not read; write `");
        let not_read: Vec<&Value> =
            advised.filter(|schema| is_advice(&schema["description"])).collect();
        assert!(not_read.len() >= 2 && not_read.iter().all(|one| one["deprecated"] == true));
    }
}

/// A synonym is accepted, since it may be a member of the writer; an editor marks it, and problems name it.
#[test]
fn a_synonym_is_told_with_the_name_to_write() {
    let schema = schema(Source::Status);
    let patterns = schema["$defs"]["story"]["patternProperties"].as_object().unwrap();
    let (_, advice) =
        patterns.iter().find(|(pattern, _)| pattern.contains("|blocked_on|")).unwrap();
    assert_eq!(advice, &json!({"description": "Not read; write `depends_on`", "deprecated": true}));
    let text = r#"{"stories": {"US-1": {}, "US-2": {"blocked_on": ["US-1"]}}}"#;
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    assert_eq!(errors(Source::Status, &validator, text), [""; 0]);
    let reason = r#"its member "blocked_on" is not read; write "depends_on""#;
    let entry = json!({"source": "status", "id": "US-2", "level": "suspicious", "reason": reason});
    assert_eq!(problems(Source::Status, text), [entry]);
}

#[test]
fn a_file_may_name_its_schema() {
    for source in [Source::Status, Source::Sessions, Source::Tasks] {
        let text = r#"{"$schema": "../../.vscode/status.schema.json"}"#;
        assert_eq!(problems(source, text), [json!(null); 0], "{source:?}");
    }
}

#[test]
fn agents_are_told_the_documented_names_and_a_good_example() {
    let project = Project::new();
    let text = project.flow(&["schema", "--for-agents"]).expect(0).out;
    assert!(text.lines().count() <= 75, "{text}");
    let words = words(&text);
    for kind in Kind::ALL {
        for row in kind.names() {
            assert!(words.contains(row.documented()), "{}", row.documented());
        }
    }
    assert!(!text.contains("epicId") && text.contains("`flow doctor`"));
    let example = |number| text.split("```json\n").nth(number)?.split("\n```").next();
    assert_eq!(problems(Source::Status, example(1).unwrap()), [json!(null); 0]);
    assert_eq!(problems(Source::Bus, example(2).unwrap()), [json!(null); 0]);
    let json = project.flow(&["schema", "--for-agents", "--json"]).expect(0).json();
    assert_eq!(json["text"], text);
    judge::markdown(&[format!("# Agents\n\n{text}")]);
}
