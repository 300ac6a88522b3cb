//! Documents of any texts: clean Markdown with every part, shell that bash parses, and what can be read again is read as it
//! was written.

use std::collections::BTreeSet;
use std::process::Command;

use flow::skill::generator::find;
use flow::skill::runtime::catalog;
use serde::Deserialize;
use serde_json::{Value, json};

use super::judge::{self, markdown};
use super::making::{HOSTILE, make, nowhere, place};
use crate::support::fed;

/// An input of `hostile.json`. In a text `@` is one of the hostile texts, `@joined` all of them, `@long` a long one; `@all`
/// is the list of them.
#[derive(Deserialize)]
struct Row {
    skill: String,
    fields: Value,
    /// Whether the document is an input of its skill that gives the same document.
    #[serde(default)]
    reads_back: bool,
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("hostile.json")).unwrap()
}

fn filled(value: &Value, hostile: &str) -> Value {
    match value {
        Value::String(text) if text == "@all" => json!(HOSTILE),
        Value::String(text) => {
            let text = text.replace("@joined", &HOSTILE.join(" "));
            text.replace("@long", &"word ".repeat(4_000)).replace('@', hostile).into()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, hostile)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, own)| (name.clone(), filled(own, hostile))).collect()
        }
        other => other.clone(),
    }
}

/// The inputs of a row: one for each hostile text that it names.
fn filled_with_each(fields: &Value) -> Vec<Value> {
    let mut inputs: Vec<Value> = HOSTILE.iter().map(|text| filled(fields, text)).collect();
    inputs.dedup();
    inputs
}

/// The inputs of a skill.
pub(super) fn inputs(skill: &str) -> Vec<Value> {
    let rows = rows().into_iter().filter(|row| row.skill == skill);
    rows.flat_map(|row| filled_with_each(&row.fields)).collect()
}

/// The shell blocks of a document; a blank is no command yet.
fn shell_blocks(text: &str) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), None::<String>);
    for line in text.lines() {
        match &open {
            None if line.ends_with("bash") && line.starts_with("```") => {
                open = Some(line.trim_end_matches("bash").to_owned());
                found.push(String::new());
            }
            Some(fence) if line == fence => open = None,
            Some(_) => *found.last_mut().unwrap() += &[line, "\n"].concat(),
            None => {}
        }
    }
    found.retain(|script| !script.starts_with('<'));
    found
}

/// What a document may say that is not answered yet.
const OPEN: [&str; 4] = ["is a blank", "is a placeholder", "open questions are left", "not ticked"];

#[test]
fn documents_of_any_texts_are_clean_and_whole_and_read_back() {
    let mut texts: Vec<String> = catalog::names()
        .filter_map(|skill| catalog::file(skill, "assets/example.out.md").map(str::to_owned))
        .collect();
    let mut wrong = Vec::new();
    for row in rows() {
        let verify = find(&row.skill).unwrap().verify.unwrap();
        for input in filled_with_each(&row.fields) {
            let output = make(&row.skill, &input).unwrap_or_else(|e| panic!("{e}: {input}"));
            let document = &output.artifacts[0];
            if document.kind != "markdown" {
                continue;
            }
            assert!(
                !document.path.contains(['\\', ' ']) && document.path.len() < 100,
                "{document:?}"
            );
            let mut found = verify(&document.text, &nowhere());
            let is_open = |what: &str| OPEN.iter().any(|part| what.contains(part));
            found.retain(|one| !one.is_note && !is_open(&one.what));
            wrong.extend(found.iter().map(|one| format!("{input}: {one:?}")));
            if row.reads_back {
                let again = place(&row.skill, &document.text, &[]);
                assert_eq!(again.unwrap().artifacts, output.artifacts, "{input}");
            }
            texts.push(document.text.clone());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    markdown(&texts);
    let Some(bash) = judge::find("bash") else { return };
    let scripts: BTreeSet<String> = texts.iter().flat_map(|text| shell_blocks(text)).collect();
    assert!(scripts.len() > 50, "{}", scripts.len());
    for script in scripts {
        let output = fed(Command::new(&bash).arg("-n"), script.as_bytes());
        assert!(output.status.success(), "{}{script}", String::from_utf8_lossy(&output.stderr));
    }
}
