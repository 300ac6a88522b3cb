//! docs/files.md: its tables, from the table of names, and what is reported of the files with mistakes on it, as the program
//! reports it. `FLOW_UPDATE=1 cargo test --test it files_page` updates these parts.

use std::fmt::Write as _;
use std::path::Path;

use flow::files::Files;
use flow::model::dependency::{BEGUN, ON_HOLD, done, given_up};
use flow::model::name::Name;
use flow::model::record::{self, Kind};
use flow::project::{Project as Opened, Source};
use flow::skill::project_state::state::Answers;
use serde_json::Value;

use crate::artifacts::golden::hold_parts;
use crate::support::Project;
use crate::tools::text;

const PAGE: &str = "docs/files.md";

/// The words that end a session.
const ENDED: [&str; 6] = ["ended", "closed", "inactive", "completed", "stopped", "terminated"];

/// The blocks of the page in a language, each with the text before it.
fn blocks(language: &str) -> Vec<(String, String)> {
    let page = text(PAGE);
    let parts: Vec<&str> = page.split("```").collect();
    let blocks = parts.windows(2).filter_map(|pair| {
        let text = pair[1].strip_prefix(language)?.strip_prefix('\n')?;
        Some((pair[0].to_owned(), text.to_owned()))
    });
    blocks.collect()
}

/// Where the files are.
fn paths() -> String {
    let project = Opened::plain("/".into());
    let mut table = "| file | content | path |\n|---|---|---|\n".to_owned();
    for source in Source::ALL {
        let paths = project.files(source).iter();
        let paths: Vec<String> = paths.map(|path| format!("`{}`", path.display())).collect();
        let paths = paths.join(", else ");
        let _ = writeln!(table, "| {} | {} | {paths} |", source.name(), source.content());
    }
    table
}

fn code(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The members that are read, and which of them are filled in.
fn members(kind: Kind) -> String {
    let mut table =
        "| member | other spellings | value | use | example |\n|---|---|---|---|---|\n".to_owned();
    for row in kind.names() {
        let (name, others) = (row.documented(), code(row.others()));
        let (value, purpose, example) = (row.value.noun(), row.purpose, row.example);
        let _ = writeln!(table, "| `{name}` | {others} | {value} | {purpose} | `{example}` |");
    }
    let filled: Vec<&str> = kind.filled().iter().map(Name::documented).collect();
    if !filled.is_empty() {
        let _ = writeln!(
            table,
            "\nWhere a record has only another spelling of {}, it is served under the documented name too, and what it \
             has stays. The other spellings are read where they are used, and served as they are.",
            code(&filled)
        );
    }
    table
}

/// The words with a meaning, from the definitions that the program uses.
fn statuses() -> String {
    let mut table = "| record | words | meaning |\n|---|---|---|\n".to_owned();
    let (story, task) = (Kind::Story, Kind::Task);
    for (record, words, meaning) in [
        ("story", done(story), "completed: what depends on it is ready to start"),
        ("story", given_up(story), "abandoned: not open any more"),
        ("story", &["blocked"], "needs attention"),
        ("story", &BEGUN, "its owner is working on it"),
        ("story", &ON_HOLD, "open, and not planned"),
        ("task", done(task), "what depends on it is ready to start"),
        ("task", given_up(task), "ended without completion; `failed` needs attention"),
        ("task", &["blocked"], "needs attention"),
        ("task", &["queued", "running"], "its agent waits, or works on it"),
        ("session", &ENDED, "ended; with any other word it is active"),
    ] {
        let _ = writeln!(table, "| {record} | {} | {meaning} |", code(words));
    }
    table
}

/// What is reported of the files with mistakes.
fn mistakes() -> String {
    let project = Project::new();
    for (before, content) in blocks("text") {
        let path = before.trim_end().trim_end_matches("`:").rsplit('`').next().unwrap().to_owned();
        project.write(&path, &content);
    }
    let mut text = "| source | place | level | reason |\n|---|---|---|---|\n".to_owned();
    for problem in problems(&project.root) {
        let word = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let line = problem["line"].as_u64().map(|line| format!("line {line}"));
        let place = line.unwrap_or_else(|| format!("`{}`", word("id")));
        let reason = word("reason").replace('|', "\\|");
        let _ = writeln!(text, "| {} | {place} | {} | {reason} |", word("source"), word("level"));
    }
    text
}

fn problems(root: &Path) -> Vec<Value> {
    let opened = Opened::at(root).unwrap();
    let (_, body) = Files::read_at_rest(&opened).get("/api/problems").unwrap();
    let answer: Value = serde_json::from_str(&body).unwrap();
    answer["problems"].as_array().unwrap().clone()
}

/// The names that writers use in place of documented ones.
fn synonyms() -> String {
    let mut table = "| record | names | write |\n|---|---|---|\n".to_owned();
    for kind in [Kind::Story, Kind::Epic, Kind::Task, Kind::Session, Kind::Message] {
        for row in kind.names().iter().filter(|row| !row.synonyms.is_empty()) {
            let (noun, names, meant) = (kind.noun(), code(row.synonyms), row.documented());
            let _ = writeln!(table, "| {noun} | {names} | `{meant}` |");
        }
    }
    table
}

#[test]
fn the_tables_of_the_page_are_those_of_the_program() {
    let kinds = [Kind::Story, Kind::Epic, Kind::Task, Kind::Session, Kind::Message];
    let mut parts: Vec<(&str, String)> =
        kinds.into_iter().map(|kind| (kind.noun(), members(kind))).collect();
    parts.extend([
        ("paths", paths()),
        ("words", statuses()),
        ("mistakes", mistakes()),
        ("synonyms", synonyms()),
    ]);
    hold_parts(PAGE, &parts);
}

#[test]
fn the_examples_of_the_page_are_read_without_a_problem() {
    let sources = [Source::Status, Source::Status, Source::Tasks, Source::Sessions, Source::Bus];
    let examples = blocks("json");
    assert_eq!(examples.len(), sources.len());
    for (source, (_, example)) in sources.into_iter().zip(examples) {
        let project = Project::new();
        let path = Opened::at(&project.root).unwrap().files(source)[0].clone();
        project.write(path.to_str().unwrap(), &example);
        let found = problems(&project.root);
        assert!(found.is_empty(), "{found:#?}\n{example}");
    }
}

#[test]
fn the_words_on_the_page_end_a_session() {
    assert!(ENDED.iter().all(|word| record::is_ended(&record::status(word))));
}

#[test]
fn the_mistakes_on_the_page_show_each_kind_of_report() {
    let mistakes = mistakes();
    for part in ["| invalid |", "| skipped |", "| suspicious |", "`stauts`", "`requires`"] {
        let part = part.replace('`', "\"");
        assert!(mistakes.contains(&part), "{part}\n{mistakes}");
    }
}
