//! JSON Schemas and OpenAPI documents, in JSON and YAML, on the ways of the skills that write types, validators, tables
//! and API documents from them: they are read or refused, quickly and on a small stack.

use crate::{Call, choice, run, within_limits};

const CALLS: &[Call] = &[
    Call { skill: "type-definitions", field: Some("schema"), options: &[] },
    Call { skill: "type-definitions", field: Some("openapi"), options: &[] },
    Call { skill: "type-definitions", field: None, options: &[] },
    Call {
        skill: "validation-schema-generator",
        field: Some("schema"),
        options: &[("library", "zod")],
    },
    Call {
        skill: "validation-schema-generator",
        field: Some("schema"),
        options: &[("library", "pydantic")],
    },
    Call {
        skill: "validation-schema-generator",
        field: Some("schema"),
        options: &[("library", "joi")],
    },
    Call {
        skill: "validation-schema-generator",
        field: Some("openapi"),
        options: &[("library", "yup")],
    },
    Call {
        skill: "validation-schema-generator",
        field: Some("openapi"),
        options: &[("library", "pydantic")],
    },
    Call { skill: "diagram-generator", field: Some("schema"), options: &[] },
    Call { skill: "diagram-generator", field: Some("openapi"), options: &[("format", "ascii")] },
    Call {
        skill: "api-documentation-generator",
        field: Some("merge"),
        options: &[("endpoints", "GET /health; POST /users <- User; User: id int")],
    },
    Call {
        skill: "api-documentation-generator",
        field: Some("merge"),
        options: &[("endpoints", "GET /users/{id} -> User")],
    },
];

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, text)) = choice(data) else { return };
    within_limits(|| run(&CALLS[first % CALLS.len()], &text));
}
