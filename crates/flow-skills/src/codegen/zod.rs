//! Zod 4, for [`super::syntax`].

use super::kind::{Extra, Kind};
use super::language::quote;
use super::render::list;
use super::script;
use super::syntax::{Renderer, Syntax};
use crate::output::Result;

const ANY: &str = "z.unknown()";

/// The library. A map with exact verdicts needs the helper `mapOf`: `z.record` ignores a member called `__proto__`.
pub(crate) static ZOD: Syntax = Syntax {
    import: "import { z } from \"zod\";",
    helpers: include_str!("zod.ts"),
    any: ANY,
    never: "z.never()",
    null: "z.null()",
    boolean: "z.boolean()",
    number: ["z.number()", "z.number()"],
    integer: ["z.int()", "z.number().refine(Number.isInteger, \"must be an integer\")"],
    bounds: ["min", "max", "gt", "lt"],
    multiple: Some("multipleOf"),
    string: |_, _| "z.string()".to_owned(),
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
    optional_member: |_, _| ".optional()",
    is_vague: |_, _| false,
    refine: [".refine(", ")"],
    refine_input: [".and(z.custom(", "))"],
    extend: "extend",
    concat: [".extend(", ".shape)"],
    intersect: Some("and"),
    define,
    literal: |_, _, values| {
        // `z.enum` makes an object of its strings, which cannot have this one.
        let is_enum = values.iter().all(|value| value.is_string() && value != "__proto__");
        let list = list(values);
        match values.len() {
            1 => format!("z.literal({list})"),
            _ if is_enum => format!("z.enum([{list}])"),
            _ => format!("z.literal([{list}])"),
        }
    },
    tuple: |items, rest, _| {
        let rest = rest.map_or(String::new(), |rest| format!(", {rest}"));
        Some(format!("z.tuple([{items}]{rest})"))
    },
    object,
    map: |renderer, key, value| {
        let value = &value.text;
        Some(match key {
            None if renderer.is_exact() => format!("mapOf({value})"),
            None => format!("z.record(z.string(), {value})"),
            Some(key) if matches!(key.kind, Kind::Literal(_)) => {
                format!("z.partialRecord({}, {value})", key.text)
            }
            Some(key) => format!("z.record({}, {value})", key.text),
        })
    },
    lazy: |_, name| format!("z.lazy(() => {name})"),
    nullable: |_, inner| format!("{}.nullable()", inner.text),
    union: |_, _, branches, tag| match tag {
        Some(tag) => format!("z.discriminatedUnion({}, [{branches}])", quote(tag)),
        None => format!("z.union([{branches}])"),
    },
    predicate: |renderer, kind, checks| match (renderer.type_of(kind).as_str(), checks) {
        ("unknown", _) => renderer.refine_all(ANY, checks),
        (known, [one]) => format!("z.custom<{known}>({})", script::with_message(one)),
        (known, _) => renderer.refine_all(&format!("z.custom<{known}>()"), checks),
    },
    typed: |text, known| format!("({text} as unknown as z.ZodType<{known}>)"),
};

fn define(renderer: &Renderer<'_>, kind: &Kind, schema: &str) -> String {
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

fn object(renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String> {
    Ok(match extra {
        Extra::Forbidden => format!("z.strictObject({members})"),
        Extra::Unspecified if !renderer.is_exact() => format!("z.object({members})"),
        Extra::Unspecified | Extra::Allowed => format!("z.looseObject({members})"),
        Extra::Typed(kind, _) => {
            format!("z.object({members}).catchall({})", renderer.kind(kind, 0)?)
        }
    })
}
