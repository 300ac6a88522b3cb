//! Mermaid renders every diagram in a browser; the rendered nodes, edges and texts are checked.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use flow::skill::output::{Fault, Output};
use flow::skill::runtime::catalog;
use serde::Deserialize;
use serde_json::{Value, json};

use super::golden::{example, example_output, golden};
use super::judge;
use super::making::{Input, context, run};

const SKILL: &str = "diagram-generator";
const CHROMIUM: &str = "/usr/bin/chromium";

const RENDER: &str = include_str!("../../judges/render_mermaid.cjs");

/// Texts that mean something to Mermaid, and the keywords of its languages, which may also be names of nodes.
#[derive(Deserialize)]
struct Texts {
    hostile: Vec<String>,
    words: Vec<String>,
}

static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| serde_json::from_str(include_str!("diagram.json")).unwrap());

/// Runs the skill on fields, of which `graph` is the output of another skill.
fn make(skill: &str, fields: &Value) -> Result<Output, Fault> {
    let mut fields = fields.as_object().unwrap().clone();
    let upstream = fields.remove("graph").map(|graph| ("blocker-analysis".to_owned(), graph));
    run(skill, &Input { fields, upstream }, &context(Path::new(".")))
}

/// Input, nodes, edges, and texts that must be visible.
fn cases() -> Vec<(Value, usize, usize, Vec<&'static str>)> {
    let hostile = &TEXTS.hostile;
    let one = |at: usize| json!({ "from": hostile[at], "to": hostile[(at + 1) % hostile.len()], "label": hostile[at] });
    let edges: Vec<Value> = (0..hostile.len()).map(one).collect();
    let bare: Vec<Value> = hostile.iter().map(|id| json!({ "id": id })).collect();
    let graph = json!({ "nodes": bare, "edges": edges });
    let seen = || -> Vec<&str> {
        hostile.iter().map(String::as_str).filter(|text| !text.contains('\u{2028}')).collect()
    };
    let ddl = "CREATE TABLE a (id int PRIMARY KEY, \"odd name\" text, b_id int NOT NULL REFERENCES b (id)); CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES a (id)); CREATE TABLE \"end\" (\"PK\" int, \"日本\" text UNIQUE);";
    let nodes = json!([{ "id": "web", "group": "front; \"end\"" }, { "id": "db", "kind": "database", "group": "back" }, { "id": "jobs", "group": "back" }, { "id": "Ada" }]);
    let read = json!([{ "from": "web", "to": "db", "label": "reads" }, { "from": "web", "to": "jobs" }, { "from": "Ada", "to": "web", "kind": "reply" }]);
    let grouped: Vec<_> = (0..hostile.len())
        .map(|at| json!({ "id": hostile[at], "group": hostile[(at + 5) % hostile.len()] }))
        .collect();
    let many: Vec<_> =
        (0..200).map(|at| format!("n{at} -> n{}: e{at}", (at * 7 + 1) % 200)).collect();
    let mut cases = called_like_words();
    cases.extend([
        (example(SKILL), 3, 3, vec!["paid?", "check out"]),
        (json!({ "graph": graph }), hostile.len(), hostile.len(), seen()),
        (json!({ "graph": graph, "type": "sequence" }), hostile.len(), hostile.len(), seen()),
        (json!({ "graph": graph, "type": "er" }), hostile.len(), hostile.len(), seen()),
        (json!({ "ddl": ddl }), 3, 2, vec!["odd name", "日本"]),
        (
            json!({ "graph": { "nodes": nodes, "edges": read }, "type": "architecture" }),
            4,
            3,
            vec!["Ada", "front; \"end\""],
        ),
        (
            json!({ "text": "a -> b: one\nb --> a: two\nalone", "type": "sequence" }),
            3,
            2,
            vec!["alone", "two"],
        ),
        (
            json!({
                "text": "web [front end] -> api [back: end]: REST; api --> db [back: end]: SQL\nAda -> web\nlog [back: end]",
                "type": "architecture",
            }),
            5,
            3,
            vec!["front end", "back: end", "REST"],
        ),
        (json!({ "graph": { "nodes": grouped, "edges": edges } }), hostile.len(), hostile.len(), seen()),
        (json!({ "text": "browser -> api -> db: SQL" }), 3, 2, vec!["browser", "api", "db", "SQL"]),
        (json!({ "text": "a -> a: itself" }), 1, 1, vec!["itself"]),
        (json!({ "text": many.join("\n"), "direction": "LR" }), 200, 200, vec!["e199"]),
    ]);
    cases
}

/// Nodes whose names are Mermaid's keywords, or begin with one.
fn called_like_words() -> Vec<(Value, usize, usize, Vec<&'static str>)> {
    let words: Vec<&str> = TEXTS.words.iter().map(String::as_str).collect();
    let ring = [&words[..], &words[..1]].concat().join(" -> ");
    let longer =
        words.iter().map(|word| format!("{word}s {word}er")).collect::<Vec<_>>().join(" -> ");
    let mut cases = Vec::new();
    for kind in ["flowchart", "sequence", "er"] {
        let count = words.len();
        cases.push((json!({ "text": ring, "type": kind }), count, count, words.clone()));
        cases.push((
            json!({ "text": longer, "type": kind }),
            count,
            count - 1,
            vec!["graphs grapher"],
        ));
    }
    cases
}

/// A file of the demo project.
fn raw(path: &str) -> Value {
    let (_, text) = catalog::DEMO.iter().find(|(known, _)| *known == path).unwrap();
    serde_json::from_str(text).unwrap()
}

/// The number of nodes or edges of an output.
fn count(output: &Output, part: &str) -> usize {
    output.data[part].as_array().unwrap().len()
}

/// The demo project's state, with nodes and edges counted by hand.
fn of_the_project() -> Vec<(Value, usize, usize, Vec<&'static str>)> {
    let status = raw("docs/09-agents/status.json");
    let stories = status["stories"].as_object().unwrap();
    let is_open =
        |id: &str| !["done", "archived"].contains(&stories[id]["status"].as_str().unwrap());
    let open: Vec<&String> = stories.keys().filter(|id| is_open(id)).collect();
    let needs = |id: &str| -> Vec<String> {
        serde_json::from_value(stories[id]["depends_on"].clone()).unwrap()
    };
    let arrows = open.iter().flat_map(|id| needs(id)).filter(|need| is_open(need)).count();
    let of_epic = |id: &&String| stories[*id]["epic_id"] == "EP-0002";
    let epic: Vec<&String> = stories.keys().filter(of_epic).collect();
    let inside = epic.iter().flat_map(|id| needs(id)).filter(|need| epic.contains(&need)).count();
    vec![
        (
            json!({"state": "stories"}),
            open.len(),
            arrows,
            vec!["US-0004: Address form", "EP-0002: Payments"],
        ),
        (json!({"state": "stories", "epic": "EP-0002"}), epic.len(), inside, vec!["US-0012"]),
    ]
}

#[test]
fn mermaid_draws_the_diagrams() {
    let needed = [
        "node_modules/mermaid/dist/mermaid.min.js",
        "node_modules/playwright-core/package.json",
        CHROMIUM,
    ];
    if !judge::are_there(&needed) {
        return;
    }
    let folder = judge::bench();
    let mut cases = cases();
    cases.extend(of_the_project());
    let made: Vec<_> = cases.iter().map(|case| make(SKILL, &case.0).unwrap()).collect();
    let texts: Vec<_> = made.iter().map(|made| made.artifacts[0].text.clone()).collect();
    fs::write(folder.path().join("diagrams.json"), json!(texts).to_string()).unwrap();
    fs::write(folder.path().join("render.cjs"), RENDER).unwrap();
    let mut command = Command::new("node");
    command
        .args(["render.cjs", CHROMIUM])
        .arg(judge::folder().join("node_modules/mermaid/dist/mermaid.min.js"));
    let output = command.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let drawn: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(drawn.len(), cases.len());
    let mut wrong = Vec::new();
    let groups = |at: usize| made[at].data["groups"].clone();
    assert_eq!(
        (groups(11), groups(13), groups(14)),
        (json!(2), json!(2), json!(TEXTS.hostile.len()))
    );
    for (at, ((drawn, text), (_, nodes, edges, labels))) in
        drawn.iter().zip(&texts).zip(cases).enumerate()
    {
        let start: String = text.chars().take(300).collect();
        if drawn["groups"] != groups(at) {
            wrong.push(format!("{} groups, but {drawn}\n{start}", groups(at)));
        }
        if (&drawn["nodes"], &drawn["edges"]) != (&json!(nodes), &json!(edges)) {
            wrong.push(format!("{nodes} nodes and {edges} edges, but {drawn}\n{start}"));
        }
        let seen = drawn["text"].as_str().unwrap_or_default();
        wrong.extend(
            labels
                .iter()
                .filter(|label| !seen.contains(**label))
                .map(|label| format!("no {label:?} in {seen}\n{start}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn plain_characters_keep_the_width_and_every_edge() {
    for (mut fields, nodes, edges, _) in cases() {
        for width in [20, 80] {
            fields["format"] = "ascii".into();
            fields["width"] = width.into();
            let output = make(SKILL, &fields).unwrap();
            let text = &output.artifacts[0].text;
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} columns of {width}:\n{text}");
            assert_eq!((count(&output, "nodes"), count(&output, "edges")), (nodes, edges));
            let is_sequence = output.data["type"] == "sequence";
            if !is_sequence {
                let arrows = text
                    .lines()
                    .filter(|line| line.starts_with("  |---->") || line.starts_with("  |- - >"));
                assert_eq!(arrows.count(), edges, "{text}");
                let boxes = text.lines().filter(|line| line.starts_with("+-")).count();
                assert!(boxes >= 2 * nodes, "{boxes} borders of {nodes} boxes:\n{text}");
                let rules = text.lines().filter(|line| line.starts_with("======")).count();
                assert_eq!(json!(rules), output.data["groups"], "{text}");
            }
        }
    }
}

#[test]
fn the_example_is_as_documented() {
    example_output(SKILL);
    let mut fields = example(SKILL);
    fields["format"] = "ascii".into();
    golden(SKILL, "example.out.txt", &make(SKILL, &fields).unwrap().artifacts[0].text);
}
