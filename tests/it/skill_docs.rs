//! docs/skills.md is made here: each skill as a new user would try it, from text and from a file. The page must be what
//! the program prints now; `FLOW_UPDATE_DOCS=1 cargo test --test it skill_docs` writes it anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use flow::skill::catalog;

use crate::support::Project;

/// A sentence that a user might begin with, for each skill.
const SENTENCES: &[(&str, &str)] = &[
    (
        "acceptance-criteria-generator",
        "As a shopper I want to reset my password so that I can get back in",
    ),
    ("adr-template", "Use PostgreSQL for orders"),
    (
        "api-documentation-generator",
        "GET /users/{id} returns User; POST /users takes User: id uuid pk, email string unique",
    ),
    ("changelog-entry", "Added: search by author; Fixed: a crash on an empty list"),
    ("commit-message-formatter", "fixed the crash on an empty list"),
    ("deployment-guide-generator", "deploy the shop to kubernetes"),
    ("diagram-generator", "web [front] -> api [back]: REST; api -> orders [back]: SQL"),
    ("error-handler-template", "user not found 404, payment declined 402"),
    (
        "migration-checklist",
        "move users and orders from MySQL 5.7 to PostgreSQL 16 with dual writes",
    ),
    ("pr-description", "feat: search by author; fix: crash on an empty list"),
    (
        "sql-schema-generator",
        "User: id uuid pk, email string unique; Order: id, user -> User, total decimal",
    ),
    ("story-skeleton", "As a reader I want to search by author so that I find all books of one"),
    ("test-case-generator", "As a shopper I want to pay by card so that I need no cash"),
    ("type-definitions", "User: id uuid pk, email string unique, role enum(admin|user)"),
    ("validation-schema-generator", "email is required and age is at least 18"),
];
/// Longest transcript, in lines; the rest is left out, and that is said.
const SHOWN: usize = 60;

const HEAD: &str = "# Skills\n\n\
    A skill turns an input into an artifact: typed input, the same bytes each time, and open questions where the input \
    does not say enough. No skill asks a model.\n\n\
    The transcripts on this page are made by a test. `flow skill show NAME` prints a skill's own page, `flow skill schema \
    NAME` its input's fields. Input is text, JSON or YAML, from arguments, a file (`--input`) or a pipe; `key=value` wins \
    over the file. `--json` prints an envelope that the next skill reads, `--out` writes files.\n";

fn page() -> String {
    let project = Project::new();
    let mut page = HEAD.to_owned();
    for skill in catalog::names() {
        project
            .write(&format!("{skill}.json"), catalog::file(skill, "assets/example.json").unwrap());
        let _ = write!(page, "\n## {skill}\n\n{}.\n", catalog::summary(skill));
        let sentence = SENTENCES.iter().find(|(name, _)| *name == skill);
        let (_, sentence) = sentence.unwrap_or_else(|| panic!("{skill} has no sentence"));
        transcript(&project, &mut page, &format!("flow skill {skill} \"{sentence}\""));
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
