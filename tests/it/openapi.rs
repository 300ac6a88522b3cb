//! The description of the API: validators accept it, it has every route and parameter, and every answer conforms to it.

use std::fs;
use std::path::Path;
use std::process::Command;

use flow::routes::{Kind, ROUTES};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::artifacts::golden::hold_parts;
use crate::artifacts::judge;
use crate::live::Live;
use crate::tools::{self, scaled};
use crate::transcript;

fn demo() -> Live {
    Live::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo"))
}

fn get(live: &Live, target: &str) -> (u16, Value) {
    let (status, body) = live.app.get(target);
    (status, serde_json::from_slice(&body).unwrap())
}

fn document() -> Value {
    let (status, document) = get(&demo(), "/api/openapi.json");
    assert_eq!(status, 200);
    document
}

#[test]
fn judges_take_the_document() {
    let needed = ["venv/bin/openapi-spec-validator", "node_modules/.bin/redocly"];
    if !judge::are_there(&needed) {
        return;
    }
    let bench = judge::bench();
    fs::write(bench.path().join("flow.json"), document().to_string()).unwrap();
    let run = |name: &str, words: &[&str]| {
        let mut command = Command::new(judge::folder().join(name));
        command.args(words).arg("flow.json").current_dir(bench.path());
        judge::said(command.env("REDOCLY_TELEMETRY", "off").env("CI", "1"))
    };
    run(needed[0], &["--schema", "3.1", "--errors", "all"]);
    let said = run(needed[1], &["lint", "--extends=recommended", "--max-problems=100"]);
    assert!(said.contains("is valid") && !said.contains("You have"), "{said}");
}

/// Valid and invalid requests generated from the document, sent to the running server: every answer is described, there
/// is no internal error, no permitted request is refused, and no other is accepted.
#[test]
fn answers_to_generated_requests_are_as_described() {
    let schemathesis = "venv/bin/schemathesis";
    if !judge::are_there(&[schemathesis]) {
        return;
    }
    let project = transcript::demo();
    let server = project.start();
    let document = format!("http://127.0.0.1:{}/api/openapi.json", server.port);
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/schemathesis");
    let lists = "(sessions|tasks|epics|stories)(/|$)";
    let known = format!("--include-path-regex=^/api/{lists}");
    // The stream never ends. Lists are asked for known values, and for any value where `FLOW_LONG` is set.
    let others = scaled(format!("events$|{lists}"), "events$".to_owned());
    let others = format!("--exclude-path-regex=^/api/({others})");
    for (name, paths) in [("any-value.toml", others), ("known-values.toml", known)] {
        let bench = judge::bench();
        let mut command = Command::new(judge::folder().join(schemathesis));
        command.args(["--no-color", "--config-file"]).arg(settings.join(name));
        command.args(["run", &document, "--phases=examples,coverage,fuzzing", "--seed=1"]);
        command.args(["--generation-database=none", "--max-examples", scaled("3", "100")]);
        let said = judge::said(command.arg(paths).current_dir(bench.path()));
        assert!(said.contains("No issues found"), "{said}");
        let requests = said.lines().find_map(|line| line.trim().strip_suffix(" passed"));
        let requests = requests.and_then(|line| line.split(' ').next_back()).unwrap().to_owned();
        tools::figure(&format!("schemathesis_{}", name.replace(['-', '.'], "_")), requests);
    }
}

#[test]
fn every_route_and_parameter_is_described() {
    let document = document();
    assert_eq!(document["paths"].as_object().unwrap().len(), ROUTES.len());
    for route in ROUTES {
        let operation = &document["paths"][route.path.replace(":id", "{id}")]["get"];
        assert_eq!(operation["summary"], route.gives, "{}", route.path);
        let described = operation["parameters"].as_array().unwrap();
        let find = |name: &str| described.iter().find(|parameter| parameter["name"] == name);
        for parameter in route.parameters {
            let found = find(parameter.name).unwrap_or_else(|| panic!("no {}", parameter.name));
            let schema = &found["schema"];
            let words = match parameter.kind {
                Kind::Words(words) => Some(([words, &[""]].concat(), &schema["items"])),
                Kind::Conditions(words) => Some((words.to_vec(), &schema["items"])),
                Kind::Word(words) => Some((words.to_vec(), schema)),
                _ => None,
            };
            if let Some((words, schema)) = words {
                assert_eq!(schema["enum"], json!(words), "{}", parameter.name);
            }
            let negated = format!("{}!", parameter.name);
            assert_eq!(find(&negated).is_some(), parameter.kind.can_be_negated(), "{negated}");
        }
    }
}

/// The requests: each route in many forms, valid and invalid.
fn targets() -> Vec<&'static str> {
    include_str!("openapi_requests.txt").lines().collect()
}

/// An answer, as the document describes it.
fn described<'d>(document: &'d Value, target: &str, status: u16) -> &'d Value {
    let path = target.split('?').next().unwrap();
    let route = match flow::routes::find(path) {
        flow::routes::Match::Whole(route) | flow::routes::Match::One(route, _) => route.path,
        flow::routes::Match::BadId(_) => "/api/stories/:id",
        flow::routes::Match::Unknown => panic!("no route {path}"),
    };
    let responses = &document["paths"][route.replace(":id", "{id}")]["get"]["responses"];
    let response = &responses[status.to_string()];
    match response["$ref"].as_str() {
        Some(to) => document.pointer(to.trim_start_matches('#')).unwrap(),
        None => response,
    }
}

/// The schema of an answer, with everything that it refers to.
fn validator(document: &Value, target: &str, status: u16) -> Validator {
    let mut schema =
        described(document, target, status)["content"]["application/json"]["schema"].clone();
    assert!(schema.is_object(), "{target}: {status} is not described");
    schema["components"] = document["components"].clone();
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn check(document: &Value, asked: &Live, target: &str) -> u16 {
    let reply = asked.get(target);
    let (status, body) = (reply.status.as_u16(), serde_json::from_slice(&reply.body).unwrap());
    let validator = validator(document, target, status);
    let wrong: Vec<String> =
        validator.iter_errors(&body).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{target} gave {status}, {wrong:#?}");
    let has_validator = !described(document, target, status)["headers"]["ETag"].is_null();
    assert_eq!(reply.etag.is_some(), has_validator, "{target} gave {status}");
    status
}

/// Records that may not be read as meant, and one without an id.
const MISTAKES: &str = r#"{"stories": [{"id": "US-2", "state": "ready", "depends_on": ["US-99", true]}, {"title": "Receipt"},
    {"id": "US-3", "status": "blokced", "onwer": "eve", "created_at": "yesterday"}], "userStories": {"US-9": {}}, "us-10": {}}"#;

#[test]
fn every_answer_is_as_described() {
    let document = document();
    let asked = demo();
    let statuses: Vec<u16> =
        targets().into_iter().map(|target| check(&document, &asked, target)).collect();
    for status in [200, 400, 404, 410] {
        assert!(statuses.contains(&status), "no answer was {status}");
    }
    // Nothing there, nothing good there, and what may not be read as meant.
    for text in [None, Some("{"), Some(MISTAKES)] {
        let empty = tempfile::tempdir().unwrap();
        if let Some(text) = text {
            fs::create_dir_all(empty.path().join("docs/09-agents/bus")).unwrap();
            fs::write(empty.path().join("docs/09-agents/status.json"), text).unwrap();
            let log = "{\"ts\":7,\"from\":[]}\nbad\n{}\n";
            fs::write(empty.path().join("docs/09-agents/bus/log.jsonl"), log).unwrap();
        }
        let asked = Live::at(empty.path());
        for target in targets() {
            check(&document, &asked, target);
        }
    }
}

#[test]
fn a_problem_without_its_level_is_not_as_described() {
    let validator = validator(&document(), "/api/problems", 200);
    let with = |members: Value| {
        let mut problem = json!({"source": "bus", "reason": "a reason", "line": 3});
        problem.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        validator.is_valid(&json!({"problems": [problem], "count": 1, "timestamp": null}))
    };
    for level in ["invalid", "suspicious", "skipped", "repaired"] {
        assert!(with(json!({"level": level})), "{level}");
    }
    assert!(!with(json!({})) && !with(json!({"level": "bad"})));
    assert!(!with(json!({"level": "invalid", "line": "3"})));
}

#[test]
fn the_note_names_each_answer_without_a_validator() {
    let (_, index) = get(&demo(), "/api");
    let note = index["note"].as_str().unwrap().rsplit_once("but ").unwrap().1;
    let document = document();
    for route in ROUTES {
        let answers = &document["paths"][route.path.replace(":id", "{id}")]["get"]["responses"];
        let name = route.path.rsplit('/').next().unwrap();
        let named = if route.path == "/metrics" { route.path } else { name };
        let is_named = note.contains(&format!("{named},")) || note.contains(&format!(" {named} "));
        assert_eq!(is_named, answers["304"].is_null(), "{}: {note}", route.path);
    }
}

#[test]
fn a_wrong_answer_is_noticed() {
    let document = document();
    let validator = validator(&document, "/api/stories", 200);
    let list = |more: &str| -> Value {
        serde_json::from_str(&format!(r#"{{"stories":[],"count":0{more},"timestamp":null}}"#))
            .unwrap()
    };
    assert!(validator.is_valid(&list("")) && validator.is_valid(&list(r#","total":7"#)));
    assert!(
        !validator.is_valid(&list(r#","totals":7"#))
            && !validator.is_valid(&list(r#","total":"7""#))
    );
}

/// One row for each parameter of each route.
fn table() -> String {
    let allowed = |kind: Kind| match kind {
        Kind::Terms => "any text, several".to_owned(),
        Kind::Known(words) => format!("{}, or what a record has; several", words.join(", ")),
        Kind::Words(words) | Kind::Conditions(words) => format!("{}; several", words.join(", ")),
        Kind::Text(_) => "text".to_owned(),
        Kind::Search => "words".to_owned(),
        Kind::Fields | Kind::Sort => "names of fields".to_owned(),
        Kind::Word(words) => words.join(" or "),
        Kind::Number { most } => format!("0 to {most}"),
        Kind::Time => "RFC 3339 or a date".to_owned(),
        Kind::Span => "seconds, or a number with s, m, h or d".to_owned(),
    };
    let rows = ROUTES
        .iter()
        .flat_map(|route| route.parameters.iter().map(|parameter| (route.path, parameter)));
    let row = |(path, parameter): (&str, &flow::routes::Parameter)| {
        let name = parameter.name;
        let negated =
            if parameter.kind.can_be_negated() { format!(", `{name}!`") } else { String::new() };
        let values = allowed(parameter.kind);
        format!("| `{path}` | `{name}`{negated} | {values} | {} |\n", parameter.gives)
    };
    let rows: String = rows.map(row).collect();
    format!("| path | parameter | values | meaning |\n|---|---|---|---|\n{rows}")
}

#[test]
fn the_table_of_parameters_is_the_route_table() {
    hold_parts("docs/api.md", &[("parameters", table())]);
}
