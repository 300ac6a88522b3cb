//! docs/skills.md is made here: each skill on an input that somebody would have, on one screen. The page must be what
//! current output of the program; `FLOW_UPDATE=1 cargo test --test it skill_docs` updates it.

use std::fmt::Write;

use flow::skill::runtime::catalog;

use crate::artifacts::golden::hold;
use crate::transcript::{demo, show};

/// Longest transcript of a skill, in lines: one screen.
const SCREEN: usize = 66;

/// What somebody would really ask of each skill, in the demo project.
const CALLS: &[(&str, &str)] = &[
    (
        "acceptance-criteria-generator",
        "\"As a shopper I want to pay by card so that I need no cash.\\n- At most 3 tries\\n\
         - When the card is refused, then the basket stays as it is\"",
    ),
    (
        "adr-template",
        "\"Keep orders in PostgreSQL\\nContext: Two writers lose each other's changes in the file.\\n\
         Alternatives: PostgreSQL, SQLite\\nChosen: PostgreSQL\\nBecause: two services write at once\\n\
         Consequences: Tests need a database; Backups follow its schedule\"",
    ),
    ("agent-brief", "US-0010 agent=api"),
    ("blocker-analysis", "epic=EP-0002"),
    ("epic-planner", "EP-0002"),
    ("handoff-note", "\"story US-0009\" to=ui"),
    ("retro-facilitator", "\"since 2026-03-10T15:30:00Z\""),
    ("sprint-planner", "\"20 points\""),
    ("status-report", "\"since 2026-03-10T16:30:00Z\" epic=EP-0003"),
    (
        "tech-debt-register",
        "\"process: docs/09-agents/status.json:1 one file for all stories; impact 4 urgency 2 effort 3\\n\
         test: the load test is run by hand; impact 3 urgency 3 effort 2 story US-0008\"",
    ),
    (
        "api-documentation-generator",
        "\"GET /health: Whether the shop answers; GET /books -> Book[]; Book: isbn string, title string\" title=Bookshop",
    ),
    (
        "changelog-entry",
        "\"feat(search): find by author; fix: crash on an empty list; docs: say how\" version=1.4.0",
    ),
    ("commit-message-formatter", "\"fix a crash on an empty list\" scope=search"),
    ("deployment-guide-generator", "\"the staging server\" service=shop health=\"make health\""),
    (
        "diagram-generator",
        "\"browser -> web [front] -> api [back]: REST; api -> orders [back]: SQL\"",
    ),
    ("error-handler-template", "\"python: user not found 404, payment declined 402\""),
    (
        "migration-checklist",
        "\"ALTER TABLE users DROP COLUMN fax\" owner=Ada window=\"Sunday 02:00, 2 h\"",
    ),
    (
        "pr-description",
        "\"feat(search): find by author\\nfix: crash on an empty list\\ntest: search\" \
         summary=\"Readers look for books by their authors.\\nCloses #12\" tests=\"npm test: passed (212 passed)\"",
    ),
    (
        "sql-schema-generator",
        "\"User: id uuid pk, email string unique; Order: id, user -> User, total decimal\"",
    ),
    (
        "story-skeleton",
        "\"As a reader I want to search by author so that I find all books of one (3 points), needs US-0002\\n\
         - Names are found without their accents\"",
    ),
    ("test-case-generator", "\"At most 3 tries; A guest is asked to sign in\""),
    ("type-definitions", "\"User: id uuid pk, email string unique, role enum(admin|user)\""),
    ("validation-schema-generator", "\"Account: email email, age int min 18\""),
];

const HEAD: &str = "# Skills\n\n\
    A skill generates an artifact from typed input, deterministically; missing information becomes an open question. \
    No skill uses a language model.\n\n\
    `flow skill show NAME` prints the page of a skill, `flow skill \
    schema NAME` the fields of its input. Input is text, JSON or YAML, from arguments (a text, or the path of a file), a file (`--input`) or a pipe; \
    `key=value` takes precedence over the file. `--json` prints an envelope that the next skill reads, `--out` writes files.\n\n\
    A skill computes what is exact (numbers, ids, links, orders, types, statements), places what it was given word for word in \
    a complete document, and checks a finished one (`flow skill verify FILE`). People and models write the prose. So no skill \
    does any of this:\n\n";

/// What no skill does. CONTRIBUTING.md refers to it, so that it does not come back.
const NO: &str = "\
    - read free English: no modal verbs, passives, conditions or refusals; what a sentence says is placed word for word\n\
    - suggest content from a pattern: no invented scenario, permission or reason; a blank such as `<what happens when it fails>` says what belongs there\n\
    - guess a type from file names, or a heading of a changelog from a verb\n\
    - convert the documents of other tools (release-please, changesets, MADR's long forms, underlined changelogs): they stay untouched, and the error has the form that is wanted; a Y-statement is a text like any other\n\
    - reproduce the verdict of JSON Schema where a validator library has no word for a keyword: that becomes a comment and one note\n\
    - merge into YAML while preserving its text: the fragment to add is printed; with `--force` the file is written anew, and a note says that comments go\n\
    - replay a history of migrations, or keep what only one database can express (partitions, operator classes, …): one note for each kind, with its count\n\
    - parse shell commands, or Gherkin in languages other than English\n";

fn page() -> String {
    let project = demo();
    let mut page = format!("{HEAD}{NO}");
    for skill in catalog::names() {
        let _ = write!(page, "\n## {skill}\n\n{}.\n", catalog::summary(skill));
        let call = CALLS.iter().find(|(name, _)| *name == skill);
        let (_, call) = call.unwrap_or_else(|| panic!("{skill} has no call"));
        let shown = show(&project, &format!("flow skill {skill} {call}"));
        let lines = shown.lines().count();
        assert!(lines <= SCREEN, "{skill}: {lines} lines:\n{shown}");
        page += &shown;
    }
    page
}

#[test]
fn the_page_of_skills_is_what_the_program_prints() {
    hold("docs/skills.md", &page());
}
