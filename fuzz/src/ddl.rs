//! DDL, read alone and on the ways of the skills that write tables, types and diagrams from it: it is read or refused,
//! quickly and on a small stack.

use crate::{Call, choice, run, within_limits};
use flow_skills::data::ddl;

const CALLS: &[Call] = &[
    Call {
        skill: "sql-schema-generator",
        field: Some("ddl"),
        options: &[("dialect", "postgresql")],
    },
    Call { skill: "sql-schema-generator", field: Some("ddl"), options: &[("dialect", "mysql")] },
    Call { skill: "sql-schema-generator", field: Some("ddl"), options: &[("dialect", "sqlite")] },
    Call {
        skill: "sql-schema-generator",
        field: Some("older"),
        options: &[("ddl", "CREATE TABLE a (id int PRIMARY KEY, b text);")],
    },
    Call { skill: "type-definitions", field: Some("ddl"), options: &[] },
    Call {
        skill: "validation-schema-generator",
        field: Some("ddl"),
        options: &[("library", "pydantic")],
    },
    Call { skill: "diagram-generator", field: Some("ddl"), options: &[("format", "ascii")] },
    Call { skill: "type-definitions", field: None, options: &[] },
];

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, text)) = choice(data) else { return };
    within_limits(|| match CALLS.get(first % (CALLS.len() + 1)) {
        Some(call) => run(call, &text),
        None => drop(std::str::from_utf8(&text).map(|text| ddl::read(text, None))),
    });
}
