//! docs/skills.md is made here: each skill as a new user would try it, from text and from a file. The page must be what
//! the program prints now; `FLOW_UPDATE=1 cargo test --test it skill_docs` writes it anew.

use std::fmt::Write;

use flow::skill::runtime::catalog;

use crate::artifacts::golden::hold;
use crate::transcript::{demo, show};

/// A sentence that a user might begin with, for each skill.
const SENTENCES: &[(&str, &str)] = &[
    (
        "acceptance-criteria-generator",
        "As a shopper I want to reset my password so that I can get back in",
    ),
    ("adr-template", "Use PostgreSQL for orders"),
    ("agent-brief", "Let a reader pay with a voucher"),
    ("blocker-analysis", "US-0020"),
    ("epic-planner", "EP-0002"),
    ("handoff-note", "story US-0019"),
    ("retro-facilitator", "since 2026-03-10"),
    ("sprint-planner", "20 points"),
    ("status-report", "since 2026-03-10 until 2026-03-10"),
    (
        "tech-debt-register",
        "process: docs/09-agents/status.json:1 one file for all stories; impact 4 urgency 2 effort 3\\n\
        test: the load test is run by hand; impact 3 urgency 3 effort 2 story US-0008",
    ),
    (
        "api-documentation-generator",
        "GET /users/{id} -> User, POST /users <- User -> User 409; User: id uuid pk, email email unique",
    ),
    ("changelog-entry", "feat(search): find by author; fix: crash on an empty list; docs: say how"),
    ("commit-message-formatter", "fixed the crash on an empty list"),
    (
        "deployment-guide-generator",
        "Deploy to: kubernetes\\nService: shop\\nImage: ghcr.io/example/shop:1.4.0",
    ),
    ("diagram-generator", "browser -> web [front] -> api [back]: REST; api -> orders [back]: SQL"),
    (
        "error-handler-template",
        "python: user not found 404, payment declined 402, out of stock 409",
    ),
    ("migration-checklist", "node 18 -> node 22"),
    ("pr-description", "feat: search by author; fix: crash on an empty list"),
    (
        "sql-schema-generator",
        "User: id uuid pk, email string unique; Order: id, user -> User, total decimal",
    ),
    ("story-skeleton", "As a reader I want to search by author so that I find all books of one"),
    ("test-case-generator", "As a shopper I want to pay by card so that I need no cash"),
    ("type-definitions", "User: id uuid pk, email string unique, role enum(admin|user)"),
    ("validation-schema-generator", "Account: email email, age int min 18"),
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
        let sentence = SENTENCES.iter().find(|(name, _)| *name == skill);
        let (_, sentence) = sentence.unwrap_or_else(|| panic!("{skill} has no sentence"));
        page += &show(&project, &format!("flow skill {skill} \"{sentence}\""));
        page += &show(&project, &format!("flow skill {skill} --input {skill}.json"));
    }
    page
}

#[test]
fn the_page_of_skills_is_what_the_program_prints() {
    hold("docs/skills.md", &page());
}
