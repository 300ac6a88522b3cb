//! Idiomatic validators: complete outputs as an engineer would write them, and the same verdict of all libraries on
//! ordinary values.

#![allow(
    clippy::too_many_lines,
    reason = "a table of values, or a whole output, is read best in one piece"
)]

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::execute::{Module, execute};
use super::making::make;
use super::suite::libraries;

/// An object of ten ordinary fields.
fn account() -> Value {
    json!({
        "title": "Account", "type": "object", "additionalProperties": false,
        "required": ["id", "email", "name", "role", "created_at"],
        "properties": {
            "id": { "type": "string", "format": "uuid" },
            "email": { "type": "string", "format": "email" },
            "name": { "type": "string", "minLength": 1, "maxLength": 80 },
            "age": { "type": "integer", "minimum": 0, "maximum": 150 },
            "role": { "enum": ["admin", "editor", "reader"] },
            "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 10 },
            "website": { "type": ["string", "null"], "format": "uri" },
            "zip": { "type": "string", "pattern": "^\\d{5}$" },
            "balance": { "type": "number" },
            "created_at": { "type": "string", "format": "date-time" },
        },
    })
}

fn written(schema: &Value, library: &str) -> String {
    let fields = json!({ "schema": schema, "library": library });
    make("validation-schema-generator", fields).unwrap().artifacts[0].text.clone()
}

#[test]
fn ten_ordinary_fields_are_written_as_by_hand() {
    let zod = r#"import { z } from "zod";

export const Account = z.strictObject({
  id: z.uuid(),
  email: z.email(),
  name: z.string().min(1).max(80),
  age: z.int().min(0).max(150).optional(),
  role: z.enum(["admin", "editor", "reader"]),
  tags: z.array(z.string()).max(10).optional(),
  website: z.url().nullable().optional(),
  zip: z.string().regex(/^\d{5}$/u).optional(),
  balance: z.number().optional(),
  created_at: z.iso.datetime({ offset: true }),
});
export type Account = z.infer<typeof Account>;
"#;
    let joi = r#"import Joi from "joi";

export const Account = Joi.object({
  id: Joi.string().guid().required(),
  email: Joi.string().email({ tlds: false }).required(),
  name: Joi.string().min(1).max(80).required(),
  age: Joi.number().integer().min(0).max(150),
  role: Joi.string().valid("admin", "editor", "reader").required(),
  tags: Joi.array().items(Joi.string().allow("")).max(10),
  website: Joi.string().uri().allow(null),
  zip: Joi.string().min(0).pattern(/^\d{5}$/u),
  balance: Joi.number(),
  created_at: Joi.string().isoDate().required(),
});
"#;
    let yup = r#"import * as yup from "yup";

export const Account = yup.object({
  id: yup.string().uuid().required(),
  email: yup.string().email().required(),
  name: yup.string().min(1).max(80).required(),
  age: yup.number().integer().min(0).max(150),
  role: yup.string().oneOf(["admin", "editor", "reader"]).required(),
  tags: yup.array().of(yup.string().defined()).max(10),
  website: yup.string().url().nullable(),
  zip: yup.string().matches(/^\d{5}$/u),
  balance: yup.number(),
  created_at: yup.string().datetime({ allowOffset: true }).required(),
}).exact();
export type Account = yup.InferType<typeof Account>;
"#;
    let pydantic = r#"from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AnyUrl, AwareDatetime, BaseModel, ConfigDict, EmailStr, Field, StrictFloat, StrictInt, StrictStr


class Account(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: UUID
    email: EmailStr
    name: Annotated[StrictStr, Field(min_length=1, max_length=80)]
    age: Annotated[StrictInt, Field(ge=0, le=150)] | None = None
    role: Literal["admin", "editor", "reader"]
    tags: Annotated[list[StrictStr], Field(max_length=10)] | None = None
    website: AnyUrl | None = None
    zip: Annotated[StrictStr, Field(pattern=r"^\d{5}$")] | None = None
    balance: StrictFloat | None = None
    created_at: AwareDatetime
"#;
    for (library, expected, most) in
        [("zod", zod, 20), ("joi", joi, 20), ("yup", yup, 20), ("pydantic", pydantic, 25)]
    {
        assert_eq!(written(&account(), library), expected);
        assert!(expected.lines().count() <= most, "{library}");
    }
}

/// Shapes with values that match and values that do not, on which all libraries must agree.
fn ordinary() -> Vec<(Value, Vec<Value>, Vec<Value>)> {
    let id = "6f2c1a52-8a1e-4d52-9b3b-0d2f6b1c7e11";
    let good = json!({ "id": id, "email": "ada@mail.example", "name": "Ada", "role": "admin",
        "created_at": "2026-01-31T09:30:00Z", "website": null, "zip": "12345", "tags": ["a"] });
    let with = |key: &str, value: Value| {
        let mut copy = good.clone();
        copy[key] = value;
        copy
    };
    let bad = [
        ("id", json!("x")),
        ("email", json!("ada")),
        ("name", json!("")),
        ("age", json!(-1)),
        ("age", json!("5")),
        ("age", json!(1.5)),
        ("role", json!("root")),
        ("tags", json!([1])),
        ("website", json!("no address")),
        ("zip", json!("1234")),
        ("created_at", json!("yesterday")),
        ("other", json!(1)),
    ];
    let shape = |kind: &str, more: Value| json!({ "type": "object", "required": ["kind", "n"], "properties": { "kind": { "const": kind }, "n": more } });
    vec![
        (
            account(),
            vec![
                good.clone(),
                with("age", json!(7)),
                with("website", json!("https://a.example/x")),
            ],
            bad.into_iter().map(|(key, value)| with(key, value)).collect(),
        ),
        (
            json!({ "oneOf": [shape("a", json!({ "type": "integer" })), shape("b", json!({ "type": "string" }))] }),
            vec![json!({ "kind": "a", "n": 1 }), json!({ "kind": "b", "n": "x" })],
            vec![
                json!({ "kind": "a", "n": "x" }),
                json!({ "kind": "c", "n": 1 }),
                json!({ "n": 1 }),
                json!(1),
            ],
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/P" }, { "type": "object", "required": ["b"], "properties": { "b": { "type": "integer" } } }],
                "$defs": { "P": { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } } } }),
            vec![json!({ "a": "x", "b": 1 })],
            vec![
                json!({ "a": "x" }),
                json!({ "b": 1 }),
                json!({ "a": 1, "b": 1 }),
                json!({ "a": "x", "b": "y" }),
            ],
        ),
        (
            json!({ "title": "Node", "type": "object", "required": ["v"], "properties": { "v": { "type": "string" },
                "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] }, "all": { "type": "array", "items": { "$ref": "#" } },
                "by": { "type": "object", "additionalProperties": { "$ref": "#" } } } }),
            vec![
                json!({ "v": "a", "next": { "v": "b", "next": null }, "all": [{ "v": "c" }], "by": { "k": { "v": "d" } } }),
            ],
            vec![
                json!({}),
                json!({ "v": "a", "next": {} }),
                json!({ "v": "a", "all": [1] }),
                json!({ "v": "a", "by": { "k": {} } }),
            ],
        ),
        (
            json!({ "type": "object", "properties": { "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "boolean" }],
                "minItems": 2, "items": false }, "level": { "enum": ["lo", "hi", null] }, "map": { "type": "object",
                "propertyNames": { "enum": ["x", "y"] }, "additionalProperties": { "type": "integer" } } } }),
            vec![json!({ "pair": ["a", true], "level": null, "map": { "x": 1 } }), json!({})],
            vec![
                json!({ "pair": ["a"] }),
                json!({ "pair": ["a", true, 1] }),
                json!({ "level": "mid" }),
                json!({ "map": { "z": 1 } }),
                json!({ "map": { "x": "1" } }),
            ],
        ),
        (
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "boolean" } }),
            vec![json!({ "a": "x" }), json!({ "a": "x", "b": true })],
            vec![json!({ "a": "x", "b": "y" }), json!({ "b": true })],
        ),
        (
            json!({ "type": "object", "properties": { "a": { "enum": ["x", 1.5, 2] }, "b": { "type": ["object", "null"], "required": ["id"],
                "properties": { "id": { "type": "string" } }, "anyOf": [{ "type": "object", "required": ["c"], "properties": { "c": { "type": "integer" } } }, { "type": "null" }] } } }),
            vec![
                json!({ "a": "x", "b": { "id": "i", "c": 1 } }),
                json!({ "a": 1.5, "b": null }),
                json!({ "a": 2 }),
            ],
            vec![
                json!({ "a": 3 }),
                json!({ "a": "y" }),
                json!({ "b": { "id": "i" } }),
                json!({ "b": { "c": 1 } }),
            ],
        ),
    ]
}

#[test]
fn all_libraries_agree_on_ordinary_values() {
    let cases = ordinary();
    let asked: Vec<_> =
        libraries().flat_map(|library| cases.iter().map(move |case| (library, case))).collect();
    let module =
        |(library, (schema, good, bad)): &(&'static str, &(Value, Vec<Value>, Vec<Value>))| {
            Module {
                library,
                text: written(schema, library),
                name: schema["title"].as_str().unwrap_or("Root").into(),
                values: good.iter().chain(bad).map(Value::to_string).collect(),
            }
        };
    let modules: Vec<Module> = asked.iter().map(module).collect();
    let mut wrong = String::new();
    for (((library, case), module), found) in asked.iter().zip(&modules).zip(execute(&modules)) {
        for (at, found) in found.iter().enumerate() {
            if found.as_bool() != Some(at < case.1.len()) {
                let _ = writeln!(wrong, "{library}: {} -> {found}", module.values[at]);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn references_are_resolved_and_unknown_keywords_are_annotations() {
    let schema = json!({ "$id": "https://a.example/root.json", "type": "object", "defaultSnippets": [], "properties": {
        "a": { "$ref": "part.json" }, "b": { "$ref": "#named" }, "c": { "$ref": "https://b.example/other.json" } },
        "$defs": { "Part": { "$id": "part.json", "type": "string" }, "Named": { "$anchor": "named", "type": "integer" } } });
    let output = make("type-definitions", json!({ "schema": schema })).unwrap();
    let expected = "export interface Root {\n  a?: Part;\n  b?: Named;\n  c?: unknown;\n}\n\n\
                    export type Part = string;\n\nexport type Named = number;\n";
    assert_eq!(output.artifacts[0].text, expected);
    assert_eq!(
        output.notes,
        [
            "keywords without a meaning in JSON Schema: defaultSnippets",
            "any value is accepted for references to other documents: https://b.example/other.json"
        ]
    );
}

#[test]
fn defaults_and_the_digits_of_decimals_are_kept() {
    let source = "Config: port int default 3000, mode enum(a|b) default a, price decimal(4,2)";
    let module = |library: &'static str| {
        let fields = json!({ "source": source, "library": library });
        let text = make("validation-schema-generator", fields).unwrap().artifacts[0].text.clone();
        let values =
            [r#"{"price": 9.25}"#, r#"{"price": 9.25, "port": "x"}"#, r#"{"price": 9.255}"#];
        Module { library, text, name: "Config".into(), values: values.map(str::to_owned).into() }
    };
    let parts = [
        ("zod", "port: z.int().default(3000),\n  mode: z.enum([\"a\", \"b\"]).default(\"a\"),"),
        ("joi", "port: Joi.number().integer().default(3000),"),
        ("yup", "port: yup.number().integer().default(3000),"),
        (
            "pydantic",
            "    port: StrictInt = 3000\n    mode: Literal[\"a\", \"b\"] = \"a\"\n    \
             price: Annotated[Decimal, Field(max_digits=4, decimal_places=2)]\n",
        ),
    ];
    for (library, part) in parts {
        let text = module(library).text;
        assert!(text.contains(part), "{text}");
    }
    let modules: Vec<Module> = libraries().map(module).collect();
    for (module, found) in modules.iter().zip(execute(&modules)) {
        // Only Python has decimal numbers.
        let is_exact = module.library == "pydantic";
        assert_eq!(found, [json!(true), json!(false), json!(!is_exact)], "{}", module.library);
    }
}
