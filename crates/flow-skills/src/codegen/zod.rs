//! Zod 4, for [`super::syntax`].

use serde_json::Value;

use super::kind::{Extra, Kind};
use super::render::list;
use super::script;
use super::syntax::{Library, Renderer, Syntax, Written};
use crate::output::Result;

/// A map with exact verdicts: `z.record` ignores a member called `__proto__`.
const MAP: &str = r#"const mapOf = <T extends z.ZodType>(schema: T) =>
  z.any()
    .refine((value) => !isObject(value) || !Object.hasOwn(value, "__proto__") || schema.safeParse(value["__proto__"]).success)
    .pipe(z.record(z.string(), schema));"#;

const SYNTAX: Syntax = Syntax {
    import: "import { z } from \"zod\";",
    helpers: &[("mapOf(", MAP)],
    any: "z.unknown()",
    never: "z.never()",
    boolean: "z.boolean()",
    number: ["z.number()", "z.number()"],
    integer: ["z.int()", "z.number().refine(Number.isInteger, \"must be an integer\")"],
    bounds: ["min", "max", "gt", "lt"],
    multiple: Some("multipleOf"),
    string: "z.string()",
    formats: &[
        ("date-time", "z.iso.datetime({ offset: true })"),
        ("date", "z.iso.date()"),
        ("email", "z.email()"),
        ("uuid", "z.uuid()"),
        ("uri", "z.url()"),
        ("ipv4", "z.ipv4()"),
        ("ipv6", "z.ipv6()"),
    ],
    pattern: "regex",
    array: ["z.array(z.unknown())", "z.array"],
    item: "",
    unique: ".refine((list) => new Set(list).size === list.length, \"must not have equal items\")",
    required: "",
    optional: ".optional()",
    refine: [".refine(", ")"],
    refine_input: [".and(z.custom(", "))"],
    null: "z.null()",
    extend: "extend",
    concat: [".extend(", ".shape)"],
    intersect: Some("and"),
};

/// The library.
pub struct Zod;

impl Library for Zod {
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }

    fn define(&self, renderer: &Renderer<'_>, kind: &Kind, schema: &str) -> String {
        let (name, comment) = (renderer.name(), renderer.comment());
        if renderer.is_recursive() {
            // The type of a recursive schema cannot be inferred.
            let declared = renderer.declaration(kind);
            return format!("{declared}\nexport const {name}: z.ZodType<{name}> = {schema};");
        }
        format!(
            "{comment}export const {name} = {schema};\nexport type {name} = z.infer<typeof {name}>;"
        )
    }

    fn literal(&self, _renderer: &Renderer<'_>, _kind: &Kind, values: &[Value]) -> String {
        // `z.enum` makes an object of its strings, which cannot have this one.
        let is_enum = values.iter().all(|value| value.is_string() && value != "__proto__");
        let list = list(values);
        match values.len() {
            1 => format!("z.literal({list})"),
            _ if is_enum => format!("z.enum([{list}])"),
            _ => format!("z.literal([{list}])"),
        }
    }

    fn tuple(&self, items: &str, rest: Option<&str>, _is_fixed: bool) -> Option<String> {
        let rest = rest.map_or(String::new(), |rest| format!(", {rest}"));
        Some(format!("z.tuple([{items}]{rest})"))
    }

    fn object(&self, renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String> {
        Ok(match extra {
            Extra::Forbidden => format!("z.strictObject({members})"),
            Extra::Unspecified if !renderer.is_exact() => format!("z.object({members})"),
            Extra::Unspecified | Extra::Allowed => format!("z.looseObject({members})"),
            Extra::Typed(kind, _) => {
                format!("z.object({members}).catchall({})", renderer.extra(kind)?)
            }
        })
    }

    fn map(
        &self,
        renderer: &Renderer<'_>,
        key: Option<&Written<'_>>,
        value: &Written<'_>,
    ) -> Option<String> {
        let value = &value.text;
        Some(match key {
            None if renderer.is_exact() => format!("mapOf({value})"),
            None => format!("z.record(z.string(), {value})"),
            Some(key) if matches!(key.kind, Kind::Literal(_)) => {
                format!("z.partialRecord({}, {value})", key.text)
            }
            Some(key) => format!("z.record({}, {value})", key.text),
        })
    }

    fn lazy(&self, _renderer: &Renderer<'_>, name: &str) -> String {
        format!("z.lazy(() => {name})")
    }

    fn nullable(&self, _renderer: &Renderer<'_>, inner: &Written<'_>) -> String {
        format!("{}.nullable()", inner.text)
    }

    fn union(
        &self,
        _renderer: &Renderer<'_>,
        _kind: &Kind,
        branches: &str,
        tag: Option<&str>,
    ) -> String {
        match tag {
            Some(tag) => format!("z.discriminatedUnion(\"{tag}\", [{branches}])"),
            None => format!("z.union([{branches}])"),
        }
    }

    fn predicate(&self, renderer: &Renderer<'_>, kind: &Kind, checks: &[String]) -> String {
        let known = renderer.type_of(kind, 0);
        let any = if known == "unknown" {
            SYNTAX.any.to_owned()
        } else if let [one] = checks {
            return format!("z.custom<{known}>({})", script::with_message(one));
        } else {
            format!("z.custom<{known}>()")
        };
        checks.iter().fold(any, |text, check| renderer.refine(&text, check))
    }

    fn typed(&self, text: String, known: &str) -> String {
        format!("({text} as unknown as z.ZodType<{known}>)")
    }
}
