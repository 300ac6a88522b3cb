//! docs/skills.md is made here: each skill as a new user would try it, from text and from a file. The page must be what
//! the program prints now; `FLOW_UPDATE_DOCS=1 cargo test --test it skill_docs` writes it anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use flow::model::time::{self, Edge};
use flow::skill::catalog;

use crate::support::Project;

/// A sentence that a user might begin with, for skills that take one.
const SENTENCES: &[(&str, &str)] = &[
    (
        "acceptance-criteria-generator",
        "As a shopper I want to reset my password so that I can get back in",
    ),
    ("adr-template", "Use PostgreSQL for orders"),
    ("agent-brief", "Let a reader pay with a voucher"),
    ("changelog-entry", "Added: search by author"),
    ("commit-message-formatter", "add a search by author"),
    ("diagram-generator", "shop -> till: order\\ntill -> bank: charge"),
    ("handoff-note", "story US-0019"),
    ("retro-facilitator", "since 2026-03-10"),
    ("sql-schema-generator", "CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE)"),
    ("status-report", "since 2026-03-10 until 2026-03-10"),
    ("story-skeleton", "As a reader I want to search by author so that I find all books of one"),
    ("test-case-generator", "Given a cart with one book, when I pay, then I get a receipt"),
    ("type-definitions", "User: id uuid pk, email string unique, role enum(admin|user)"),
    (
        "validation-schema-generator",
        "User: id uuid pk, email string unique, age int min 0 optional",
    ),
];
/// Longest transcript, in lines; the rest is left out, and that is said.
const SHOWN: usize = 60;

const HEAD: &str = "# Skills\n\n\
    A skill turns an input into an artifact: typed input, the same bytes each time, and open questions where the input \
    does not say enough. No skill asks a model.\n\n\
    The transcripts on this page are made by a test. `flow skill show NAME` prints a skill's own page, `flow skill schema \
    NAME` its input's fields. Input is text, JSON or YAML, from arguments, a file (`--input`) or a pipe; `key=value` wins \
    over the file. `--json` prints an envelope that the next skill reads, `--out` writes files.\n";

/// The demo project, as old as in the examples.
fn demo() -> Project {
    let project = Project::new();
    let written = time::parse(catalog::DEMO_WRITTEN, Edge::Start).unwrap();
    let written = UNIX_EPOCH + Duration::from_nanos(written.unsigned_abs());
    for (path, text) in catalog::DEMO {
        project.write(path, text);
        let file = fs::File::options().append(true).open(project.root.join(path)).unwrap();
        file.set_modified(written).unwrap();
    }
    project
}

fn page() -> String {
    let project = demo();
    let mut page = HEAD.to_owned();
    for skill in catalog::names() {
        project
            .write(&format!("{skill}.json"), catalog::file(skill, "assets/example.json").unwrap());
        let _ = write!(page, "\n## {skill}\n\n{}.\n", catalog::summary(skill));
        if let Some((_, sentence)) = SENTENCES.iter().find(|(name, _)| *name == skill) {
            transcript(&project, &mut page, &format!("flow skill {skill} \"{sentence}\""));
        }
        transcript(&project, &mut page, &format!("flow skill {skill} --input {skill}.json"));
    }
    page
}

fn transcript(project: &Project, page: &mut String, command: &str) {
    let words = words(command);
    let mut all: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    all.extend(["--now", "2026-03-10"]);
    let ran = project.flow(&all);
    assert_eq!(ran.code, 0, "{command}: {ran:?}");
    let said = ran.err.lines().chain(ran.out.lines());
    let lines: Vec<&str> = said.collect();
    let shown = lines.iter().take(SHOWN).fold(String::new(), |text, line| text + line + "\n");
    let rest = lines.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!("… {rest} more lines\n") } else { String::new() };
    // Four backticks, since artifacts have fences of their own.
    let _ = write!(page, "\n````console\n$ {command}\n{shown}{more}````\n");
}

/// The words of a command; double quotes hold one together, in which `\n` is a line break.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            1 => vec![part.replace("\\n", "\n")],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

#[test]
fn the_page_of_skills_is_what_the_program_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/skills.md");
    let page = page();
    if std::env::var_os("FLOW_UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let first = there.lines().zip(page.lines()).find(|(there, made)| there != made);
    assert!(
        there == page,
        "docs/skills.md is not what the program prints; first difference: {first:?}"
    );
}
