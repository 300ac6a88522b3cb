//! Yup 1, for [`super::syntax`]. Every schema is strict: values are not cast.

use serde_json::Value;

use super::kind::{Extra, Kind};
use super::render::list;
use super::script;
use super::syntax::{Renderer, Syntax, Written};
use crate::output::Result;

const ANY: &str = "yup.mixed().nullable()";
const NULL: &str = "yup.mixed<never>().nullable().oneOf([null])";

/// The library. The helpers are what it lacks: predicates, unions and maps. Errors keep the path of the inner value.
pub(crate) static YUP: Syntax = Syntax {
    import: "import * as yup from \"yup\";",
    helpers: include_str!("yup.ts"),
    any: ANY,
    never: "custom<never>(nothing(), \"is not allowed\")",
    null: NULL,
    boolean: "yup.boolean()",
    number: ["yup.number()", "yup.number()"],
    integer: ["yup.number().integer()", "yup.number().integer()"],
    bounds: ["min", "max", "moreThan", "lessThan"],
    multiple: None,
    string: |_, _| "yup.string()".to_owned(),
    formats: &[
        ("date-time", "yup.string().datetime({ allowOffset: true })"),
        ("email", "yup.string().email()"),
        ("uuid", "yup.string().uuid()"),
        ("uri", "yup.string().url()"),
    ],
    pattern: "matches",
    // Without a schema of its items, they are inferred as `any`.
    array: ["yup.array().of(yup.mixed().nullable())", "yup.array().of"],
    item: ".defined()",
    unique: ".test(\"unique\", \"must not have equal items\", (list) => !list || new Set(list).size === list.length)",
    required: ".defined()",
    optional: "",
    optional_member,
    // A lazy schema has no `defined()`.
    is_vague: |renderer, kind| matches!(kind, Kind::Reference(entity) if !renderer.is_defined(entity)),
    refine: [".test(holds(", "))"],
    refine_input: [".test(holds(", "))"],
    extend: "shape",
    concat: [".concat(", ")"],
    intersect: None,
    define,
    literal: |renderer, kind, values| {
        let list = list(values);
        if values.iter().all(Value::is_string) {
            return format!("yup.string().oneOf([{list}])");
        }
        format!("yup.mixed<{}>().oneOf([{list}])", renderer.type_of(kind))
    },
    tuple: |items, _, is_fixed| is_fixed.then(|| format!("yup.tuple([{items}])")),
    object,
    map: |renderer, key, value| {
        let known = renderer.type_of(value.kind);
        key.is_none().then(|| format!("mapOf<{known}>({})", value.text))
    },
    lazy: |_, name| format!("yup.lazy(() => {name})"),
    nullable,
    union: |renderer, kind, branches, _| {
        let known =
            renderer.declared_name(kind).map_or_else(|| renderer.type_of(kind), str::to_owned);
        format!("union<{known}>({branches})")
    },
    predicate: |renderer, kind, checks| {
        let check = match checks {
            [] => return ANY.to_owned(),
            [one] => one.clone(),
            many => renderer.module.checks.call("all_of", many),
        };
        format!("custom<{}>({})", renderer.type_of(kind), script::with_message(&check))
    },
    typed: |text, known| format!("({text} as unknown as yup.MixedSchema<{known} | undefined>)"),
};

fn define(renderer: &Renderer<'_>, kind: &Kind, schema: &str) -> String {
    let (name, comment) = (renderer.name(), renderer.comment());
    let strict = if name == schema || is_opaque(schema) { "" } else { ".strict()" };
    if renderer.is_recursive() {
        // The type of a recursive schema cannot be inferred.
        let declared = renderer.declaration(kind);
        return format!(
            "{declared}\nexport const {name} = {schema}{strict} as unknown as yup.MixedSchema<{name} | undefined>;"
        );
    }
    let known = if renderer.is_object_schema(kind.not_null()) {
        format!("yup.InferType<typeof {name}>")
    } else {
        // Yup takes every other schema for an optional one.
        format!("Exclude<yup.InferType<typeof {name}>, undefined>")
    };
    format!("{comment}export const {name} = {schema}{strict};\nexport type {name} = {known};")
}

fn object(renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String> {
    let object = format!("yup.object({members})");
    Ok(match extra {
        Extra::Forbidden => format!("{object}.noUnknown()"),
        Extra::Unspecified | Extra::Allowed => object,
        Extra::Typed(_, shape) => {
            renderer.refine_all(&object, &renderer.module.checks.refinements(shape)?)
        }
    })
}

fn nullable(renderer: &Renderer<'_>, inner: &Written<'_>) -> String {
    let Written { kind, text } = inner;
    let is_own = match kind {
        Kind::Reference(_) => renderer.is_object_schema(kind),
        other => !matches!(other, Kind::Union { .. } | Kind::Refined { .. }),
    };
    if is_own && !is_opaque(text) {
        return format!("{text}.nullable()");
    }
    format!("union<{} | null>({NULL}, {text})", renderer.type_of(kind))
}

fn optional_member(renderer: &Renderer<'_>, kind: &Kind) -> &'static str {
    let inner = kind.not_null();
    // Without it strings are inferred in place of their literal types.
    let is_words = matches!(kind, Kind::Literal(values) if values.iter().all(Value::is_string));
    // The inferred type of an object is never undefined unless this is added; an explicit type always may be.
    let target = match renderer.resolved(inner) {
        Kind::Nullable(inner) => renderer.resolved(inner),
        other => other,
    };
    let is_object = matches!(target, Kind::Object { .. }) || renderer.is_object_schema(target);
    if is_words || is_object && !renderer.has_explicit_type(inner) { ".optional()" } else { "" }
}

/// Whether a schema is one of the helper functions or lazy: it has no `strict()` and no `nullable()`.
fn is_opaque(schema: &str) -> bool {
    ["yup.lazy", "custom<", "union<", "mapOf<"].iter().any(|head| schema.starts_with(head))
}
