//! `flow diff` against edits by chance that an independent script compares. `tests/cases/diff` shows the workflow, and what it
//! tells of each edit.

use std::path::Path;

use serde_json::{Value, json};

use crate::random::Random;
use crate::shell::git;
use crate::support::{FLOW, Project, Ran, STATUS};
use crate::tools::{has, scaled, skip};

const TASKS: &str = "specs/001-search/tasks.md";
/// Without it the folder is none of spec-kit.
const SPEC: &str = "specs/001-search/spec.md";

/// A project whose first state is committed.
fn committed(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    git(&project.root, &["init", "-q", "-b", "main"]);
    for (path, text) in files {
        project.write(path, text);
    }
    git(&project.root, &["add", "-f", "."]);
    git(&project.root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    project
}

/// Words of criteria and titles; some of them matter.
const WORDS: [&str; 16] = [
    "parser", "index", "answers", "within", "200ms", "never", "not", "store", "retries", "5",
    "times", "without", "loss", "reader", "writer", "checks",
];

fn sentence(dice: &mut Random) -> String {
    let count = 2 + dice.below(6);
    (0..count).map(|_| dice.one(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// The text with a word more, less or replaced.
fn edited(text: &str, dice: &mut Random) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let at = dice.below(words.len());
    match dice.below(3) {
        0 => words.insert(at, dice.one(&WORDS)),
        1 if words.len() > 1 => _ = words.remove(at),
        _ => words[at] = dice.one(&WORDS),
    }
    words.join(" ")
}

/// A box, or a story with two criteria.
#[derive(Clone)]
struct Item {
    number: usize,
    done: bool,
    texts: [String; 3],
}

/// Edits of a checklist and of stories by chance, told as a script finds them that shares no code with the program.
#[test]
fn edits_by_chance_are_told_as_an_independent_script_finds_them() {
    if !has("python3") {
        return skip("python3 is not installed");
    }
    let mut dice = Random(20);
    let project =
        committed(&[(SPEC, "# Search\n"), (".flow/config.json", r#"{"formats": ["spec-kit"]}"#)]);
    let mut items: Vec<Item> = Vec::new();
    let steps = scaled(12, 20);
    for step in 0..steps {
        for _ in 0..2 + dice.below(8) {
            let at = dice.below(items.len().max(1));
            match (dice.below(8), items.get_mut(at)) {
                (0 | 1, _) | (_, None) => {
                    let texts = [(); 3].map(|()| sentence(&mut dice));
                    let number = items.iter().map(|item| item.number).max().unwrap_or_default() + 1;
                    items.push(Item { number, done: false, texts });
                }
                (2, _) => _ = items.remove(at),
                (3, Some(item)) => item.done = !item.done,
                (4, _) => items.iter_mut().enumerate().for_each(|(at, item)| item.number = at + 1),
                (5, _) => items.swap(at, 0),
                (_, Some(item)) => {
                    let part = dice.below(3);
                    item.texts[part] = edited(&item.texts[part], &mut dice);
                }
            }
        }
        let boxes = items.iter().map(|Item { number, done, texts }| {
            format!("- [{}] T{number:03} {}\n", if *done { 'x' } else { ' ' }, texts[0])
        });
        project.write(TASKS, &format!("# Tasks\n\n{}", boxes.collect::<String>()));
        let stories: serde_json::Map<String, Value> = items
            .iter()
            .map(|Item { number, done, texts }| {
                let [title, one, two] = texts;
                let status = if *done { "done" } else { "ready" };
                let depends_on = items.first().map(|item| format!("US-{}", item.number));
                let story = json!({
                    "title": title, "status": status, "ac": [one, two], "points": number % 5, "deps": [depends_on],
                });
                (format!("US-{number}"), story)
            })
            .collect();
        project.write(STATUS, &json!({"stories": stories}).to_string());
        git(&project.root, &["add", "-f", "."]);
        git(&project.root, &["commit", "-q", "--allow-empty", "-m", &step.to_string()]);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories/compare");
    let mut command = std::process::Command::new("python3");
    command.arg(script).arg(*FLOW).arg(&project.root);
    let ran = Ran::from(command.output().unwrap()).expect(0);
    let last = ran.out.lines().last().unwrap();
    let numbers: Vec<usize> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(numbers[0] >= steps - 1 && numbers[1] > 8 * steps && numbers[2] == 0, "{ran:?}");
}
