//! docs/skills.md is made here: each skill as a new user would try it, from text and from a file. The page must be what
//! the program prints now; `FLOW_UPDATE=1 cargo test --test it skill_docs` writes it anew.

use std::fmt::Write;

use flow::skill::catalog;

use crate::artifacts::golden::hold;
use crate::transcript::{demo, show};

/// A sentence that a user might begin with, for skills that take one.
const SENTENCES: &[(&str, &str)] = &[
    (
        "acceptance-criteria-generator",
        "As a shopper I want to reset my password so that I can get back in",
    ),
    ("adr-template", "Use PostgreSQL for orders"),
    ("changelog-entry", "Added: search by author"),
    ("commit-message-formatter", "add a search by author"),
    ("diagram-generator", "shop -> till: order\\ntill -> bank: charge"),
    ("sql-schema-generator", "CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE)"),
    ("story-skeleton", "As a reader I want to search by author so that I find all books of one"),
    ("test-case-generator", "Given a cart with one book, when I pay, then I get a receipt"),
    ("type-definitions", "User: id uuid pk, email string unique, role enum(admin|user)"),
    (
        "validation-schema-generator",
        "User: id uuid pk, email string unique, age int min 0 optional",
    ),
];

const HEAD: &str = "# Skills\n\n\
    A skill turns an input into an artifact: typed input, the same bytes each time, and open questions where the input \
    does not say enough. No skill asks a model.\n\n\
    The transcripts on this page are made by a test. `flow skill show NAME` prints a skill's own page, `flow skill schema \
    NAME` its input's fields. Input is text, JSON or YAML, from arguments, a file (`--input`) or a pipe; `key=value` wins \
    over the file. `--json` prints an envelope that the next skill reads, `--out` writes files.\n";

fn page() -> String {
    let project = demo();
    let mut page = HEAD.to_owned();
    for skill in catalog::names() {
        project
            .write(&format!("{skill}.json"), catalog::file(skill, "assets/example.json").unwrap());
        let _ = write!(page, "\n## {skill}\n\n{}.\n", catalog::summary(skill));
        if let Some((_, sentence)) = SENTENCES.iter().find(|(name, _)| *name == skill) {
            page += &show(&project, &format!("flow skill {skill} \"{sentence}\""));
        }
        page += &show(&project, &format!("flow skill {skill} --input {skill}.json"));
    }
    page
}

#[test]
fn the_page_of_skills_is_what_the_program_prints() {
    hold("docs/skills.md", &page());
}
