//! The parts that each skill's artifact must have, whatever else is written or left out. The table is the list of what was
//! asked for; a part that an artifact loses fails here by its name.

use crate::support::Ran;
use crate::transcript::demo;

/// A skill, its call, and the parts that its artifact must have. Each part is one of the texts between bars, in any case.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const STORY: &str = "As a shopper I want to pay by card so that I need no cash\n- At most 3 tries";
const DECISION: &str = "Keep orders in PostgreSQL\nContext: Two writers lose each other's changes.\n\
    Options: PostgreSQL, SQLite\nChosen: PostgreSQL\nConsequences: Tests need a database";
const CRITERIA: &str = "As a shopper I want to pay by card so that I need no cash\n\
    - At most 3 tries\n- Given a basket, when the card is refused, then the basket stays as it is";
const USER: &str = "User: id uuid pk, email string unique";
const ERRORS: &str = "user not found 404, payment declined 402";

const ROWS: [Row; 24] = [
    ("status-report", &[], &["counts", "epics", "in progress", "blocked", "failed", "sessions"]),
    ("blocker-analysis", &[], &["blocked", "critical path", "ready", "holds up|blocks"]),
    (
        "agent-brief",
        &["US-0010"],
        &[
            "goal",
            "scope",
            "acceptance criteria",
            "dependencies|what comes before",
            "others",
            "messages",
        ],
    ),
    ("handoff-note", &["api"], &["done", "in progress", "blocked", "next"]),
    ("sprint-planner", &["20 points"], &["plan, in order", "by owner", "not planned"]),
    ("retro-facilitator", &[], &["figures", "messages", "tasks"]),
    ("epic-planner", &["EP-0002"], &["wave 1", "wave 2", "points"]),
    (
        "tech-debt-register",
        &["Retries are copied; impact 4 urgency 3 effort 2"],
        &["register", "score", "6"],
    ),
    (
        "story-skeleton",
        &[STORY],
        &["as a", "i want", "so that", "at most 3 tries", "acceptance criteria|criteria"],
    ),
    ("acceptance-criteria-generator", &[STORY], &["given", "when", "then", "at most 3 tries"]),
    ("test-case-generator", &[CRITERIA], &["## unit", "## integration", "end-to-end", "trace"]),
    ("type-definitions", &[USER], &["export interface user", "id: string", "email: string"]),
    ("validation-schema-generator", &[USER], &["z.object", "z.uuid", "email"]),
    (
        "sql-schema-generator",
        &[USER, "--json"],
        &["create table", "primary key", "unique", "drop table"],
    ),
    (
        "api-documentation-generator",
        &["GET /users/{id} -> User; User: id uuid", "security=bearer"],
        &["openapi: 3", "paths:", "/users/{id}", "securityschemes", "responses", "schemas", "404"],
    ),
    ("diagram-generator", &["web -> api -> db: SQL"], &["flowchart", "web", "api", "sql"]),
    (
        "error-handler-template",
        &[ERRORS],
        &["class", "404", "handle", "catch", "log", "message", "notfound"],
    ),
    (
        "changelog-entry",
        &["Added: search; Fixed: the basket is kept"],
        &["### added", "### fixed", "search"],
    ),
    ("commit-message-formatter", &["type=fix", "keep the basket"], &["fix: keep the basket"]),
    (
        "pr-description",
        &[
            "title=Search by author",
            "summary=Readers find books.",
            "issues=#12",
            "tests=npm test: passed",
        ],
        &[
            "search by author",
            "readers find books",
            "## testing",
            "## checklist",
            "## related issues",
            "#12",
        ],
    ),
    (
        "adr-template",
        &[DECISION],
        &[
            "# 1. keep orders",
            "## status",
            "## context",
            "## decision",
            "## consequences",
            "alternatives|considered options",
        ],
    ),
    (
        "migration-checklist",
        &["postgres 14 -> 16"],
        &["pre-migration", "execution", "validation", "rollback", "post-migration"],
    ),
    (
        "deployment-guide-generator",
        &["target=systemd", "service=shop", "env=PORT"],
        &[
            "## steps",
            "environment variables",
            "## rollback",
            "## verification",
            "## troubleshooting",
        ],
    ),
    (
        "error-handler-template",
        &[ERRORS, "language=python"],
        &["class", "404", "except|handler", "log", "message"],
    ),
];

fn missing(ran: &Ran, parts: &[&str]) -> Vec<String> {
    let text = format!("{}{}", ran.out, ran.err).to_lowercase();
    let is_there = |part: &&&str| part.split('|').any(|name| text.contains(name));
    parts.iter().filter(|part| !is_there(part)).map(ToString::to_string).collect()
}

#[test]
fn each_artifact_has_the_parts_that_were_asked_for() {
    let project = demo();
    let mut faults = Vec::new();
    for (skill, words, parts) in ROWS {
        let call: Vec<&str> =
            ["skill", skill].iter().chain(words).copied().chain(["--now", "2026-03-11"]).collect();
        let ran = project.flow(&call);
        let missing = missing(&ran, parts);
        if ran.code != 0 || !missing.is_empty() {
            faults.push(format!(
                "{skill}: exit {}, without {missing:?}\n{}{}",
                ran.code, ran.out, ran.err
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_table_names_every_skill() {
    let listed = demo().flow(&["skill", "list", "--json"]).expect(0).json();
    let listed = listed["skills"].as_array().or_else(|| listed.as_array()).unwrap().clone();
    assert_eq!(listed.len(), 23);
    for skill in listed {
        let name = skill["name"].as_str().unwrap();
        assert!(ROWS.iter().any(|(row, ..)| *row == name), "{name}");
    }
}
