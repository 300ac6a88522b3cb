//! Mermaid renders every diagram in a browser; the rendered nodes, edges and texts are checked.

use std::fs;
use std::process::Command;
use std::sync::LazyLock;

use flow::skill::output::Output;
use serde::Deserialize;
use serde_json::{Value, json};

use super::golden::example;
use super::judge;
use super::making::make;

const SKILL: &str = "diagram-generator";
const RENDER: &str = include_str!("../../judges/render_mermaid.cjs");

/// Texts that mean something to Mermaid, and the keywords of its languages, which may also be names of nodes.
#[derive(Deserialize)]
struct Texts {
    hostile: Vec<String>,
    words: Vec<String>,
    cases: Vec<Case>,
}

static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| serde_json::from_str(include_str!("diagram.json")).unwrap());

/// The hostile texts that a place of the notation takes as they are; `written` has one there, and `read` is its member.
fn hostile(written: impl Fn(&str) -> String, read: &str) -> Vec<String> {
    let is_kept = |text: &&String| {
        make(SKILL, json!({ "text": written(text) })).is_ok_and(|output| {
            (count(&output, "nodes"), count(&output, "edges")) == (2, 1)
                && output.data.pointer(read) == Some(&json!(text))
        })
    };
    TEXTS.hostile.iter().filter(is_kept).cloned().collect()
}

/// Lines for each of some texts, which are given with the next one.
fn ring(texts: &[String], line: impl Fn(usize, &str, &str) -> String) -> String {
    let next = texts.iter().skip(1).chain(texts.first());
    let lines = texts.iter().zip(next).enumerate();
    lines.map(|(at, (text, next))| line(at, text, next) + "\n").collect()
}

/// Input, nodes, edges, and texts that must be visible.
type Case = (Value, usize, usize, Vec<String>);

/// The cases of `diagram.json`, and the hostile texts and the words in each kind of diagram.
fn cases() -> Vec<Case> {
    let labels = hostile(|text| format!("a -> b: {text}"), "/edges/0/label");
    let mut quoted = hostile(|text| format!("\"{text}\" -> b"), "/nodes/0/id");
    let last = hostile(|text| format!("a -> \"{text}\""), "/nodes/1/id");
    quoted.retain(|name| last.contains(name));
    let groups = hostile(|text| format!("a [{text}] -> b"), "/nodes/0/group");
    assert!(
        labels.len() > 5 && quoted.len() > 5 && groups.len() > 5,
        "{labels:?} {quoted:?} {groups:?}"
    );
    let seen = |texts: &[String]| -> Vec<String> {
        texts.iter().filter(|text| !text.contains('\u{2028}')).cloned().collect()
    };
    let labelled = ring(&labels, |at, text, _| format!("n{at} -> n{}: {text}", at + 1));
    let named = ring(&quoted, |_, name, next| format!("\"{name}\" -> \"{next}\""));
    let grouped = ring(&groups, |at, group, _| format!("n{at} [{group}]"));
    let grouped = grouped + &ring(&groups, |at, _, _| format!("n{at} -> n{}", at + 1));
    let of = |text: &str, kind: &str, (nodes, edges): (usize, usize), texts: &[String]| {
        (json!({ "text": text, "type": kind }), nodes, edges, seen(texts))
    };
    let hostile = ["flowchart", "sequence", "er"].into_iter().flat_map(|kind| {
        [
            of(&labelled, kind, (labels.len() + 1, labels.len()), &labels),
            of(&named, kind, (quoted.len(), quoted.len()), &quoted),
        ]
    });
    let grouped = of(&grouped, "flowchart", (groups.len() + 1, groups.len()), &groups);
    let many = |at| format!("n{at} -> n{}: e{at}", (at * 7 + 1) % 200);
    let many = (0..200).map(many).collect::<Vec<_>>().join("\n");
    let many = json!({ "text": many, "direction": "LR" });
    let mut cases = [called_like_words(), TEXTS.cases.clone()].concat();
    cases.extend(hostile.chain([grouped]));
    cases.push((many, 200, 200, vec!["e199".into()]));
    cases.push((example(SKILL), 3, 3, vec!["paid?".into(), "check out".into()]));
    cases
}

/// Nodes whose names are Mermaid's keywords, or begin with one.
fn called_like_words() -> Vec<Case> {
    let words = &TEXTS.words;
    let ring = [&words[..], &words[..1]].concat().join(" -> ");
    let longer: Vec<String> = words.iter().map(|word| format!("{word}s {word}er")).collect();
    let (count, longer) = (words.len(), longer.join(" -> "));
    let of = |kind| {
        let first = "graphs grapher".to_owned();
        [
            (json!({ "text": ring, "type": kind }), count, count, words.clone()),
            (json!({ "text": longer, "type": kind }), count, count - 1, vec![first]),
        ]
    };
    ["flowchart", "sequence", "er"].into_iter().flat_map(of).collect()
}

/// The number of nodes or edges of an output.
fn count(output: &Output, part: &str) -> usize {
    output.data[part].as_array().unwrap().len()
}

#[test]
fn mermaid_draws_the_diagrams() {
    let needed =
        ["node_modules/mermaid/dist/mermaid.min.js", "node_modules/playwright-core/package.json"];
    let (Some(chromium), true) = (judge::chromium(), judge::are_there(&needed)) else { return };
    let folder = judge::bench();
    let mut cases = cases();
    for fields in [json!({"state": "stories"}), json!({"state": "stories", "epic": "EP-0002"})] {
        let made = make(SKILL, &fields).unwrap();
        cases.push((fields, count(&made, "nodes"), count(&made, "edges"), vec!["US-0009".into()]));
    }
    let made: Vec<_> = cases.iter().map(|case| make(SKILL, &case.0).unwrap()).collect();
    let texts: Vec<_> = made.iter().map(|made| made.artifacts[0].text.clone()).collect();
    fs::write(folder.path().join("diagrams.json"), json!(texts).to_string()).unwrap();
    fs::write(folder.path().join("render.cjs"), RENDER).unwrap();
    let mut command = Command::new("node");
    command
        .arg("render.cjs")
        .arg(chromium)
        .arg(judge::folder().join("node_modules/mermaid/dist/mermaid.min.js"));
    let output = command.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let drawn: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(drawn.len(), cases.len());
    let mut wrong = Vec::new();
    let groups = |at: usize| made[at].data["groups"].clone();
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
                .filter(|label| !seen.contains(label.as_str()))
                .map(|label| format!("no {label:?} in {seen}\n{start}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn plain_characters_keep_the_width_and_every_edge() {
    for (mut fields, nodes, edges, _) in cases() {
        if fields["type"] == "sequence" {
            continue;
        }
        fields["format"] = "ascii".into();
        let output = make(SKILL, &fields).unwrap();
        let text = &output.artifacts[0].text;
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{widest} columns:\n{text}");
        assert_eq!((count(&output, "nodes"), count(&output, "edges")), (nodes, edges));
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
