//! Joi 18, for [`super::syntax`]. Values are not converted.

use serde_json::Value;

use super::kind::{Extra, Kind};
use super::render::list;
use super::syntax::{Renderer, Syntax};
use crate::data::StringRules;
use crate::output::Result;

const ANY: &str = "Joi.any()";
const NULL: &str = "Joi.valid(null)";

/// The library. A member called `__proto__`, which Joi omits when it copies an object, needs the helper `proto`.
pub(crate) static JOI: Syntax = Syntax {
    import: "import Joi from \"joi\";",
    helpers: include_str!("joi.ts"),
    any: ANY,
    never: "Joi.forbidden()",
    null: NULL,
    boolean: "Joi.boolean()",
    number: ["Joi.number()", "Joi.number().unsafe()"],
    integer: ["Joi.number().integer()", "Joi.number().unsafe().integer()"],
    bounds: ["min", "max", "greater", "less"],
    multiple: Some("multiple"),
    string,
    formats: &[
        ("date-time", "Joi.string().isoDate()"),
        ("email", "Joi.string().email({ tlds: false })"),
        ("uuid", "Joi.string().guid()"),
        ("uri", "Joi.string().uri()"),
        ("ipv4", "Joi.string().ip({ version: \"ipv4\", cidr: \"forbidden\" })"),
        ("ipv6", "Joi.string().ip({ version: \"ipv6\", cidr: \"forbidden\" })"),
    ],
    pattern: "pattern",
    array: ["Joi.array()", "Joi.array().items"],
    item: "",
    unique: ".unique()",
    required: ".required()",
    optional: "",
    optional_member: |_, _| "",
    is_vague: |_, _| false,
    refine: [".custom(holds(", "))"],
    refine_input: [".custom(holds(", "))"],
    extend: "keys",
    concat: [".concat(", ")"],
    intersect: None,
    define,
    literal: |_, _, values| {
        let string = if values.iter().all(Value::is_string) { ".string()" } else { "" };
        format!("Joi{string}.valid({})", list(values))
    },
    tuple: |items, rest, _| {
        let rest = rest.map_or(String::new(), |rest| format!(".items({rest})"));
        Some(format!("Joi.array().ordered({items}){rest}"))
    },
    object,
    map: |renderer, key, value| {
        let value = &value.text;
        Some(match key {
            None if renderer.is_exact() => {
                format!("Joi.object().pattern(/^/, {value}).custom(proto({value}))")
            }
            None if value == ANY => "Joi.object()".to_owned(),
            None => format!("Joi.object().pattern(/^/, {value})"),
            Some(key) => format!("Joi.object().pattern({}, {value})", key.text),
        })
    },
    lazy: |renderer, name| {
        // A schema with an id may occur only once in another one, and beside no member that has the same name.
        let is_alone = !renderer.module.ordered.is_referred_to(renderer.entity);
        if name == renderer.name() && !renderer.is_exact() && is_alone {
            format!("Joi.link(\"#{name}\")")
        } else {
            format!("Joi.any().custom(lazy(() => {name}))")
        }
    },
    nullable: |_, inner| {
        if inner.text.starts_with("Joi.link(") {
            return format!("Joi.alternatives().try({}, {NULL})", inner.text);
        }
        format!("{}.allow(null)", inner.text)
    },
    union: |_, _, branches, _| format!("Joi.alternatives().try({branches})"),
    predicate: |renderer, _, checks| renderer.refine_all(ANY, checks),
    typed: |text, _| text,
};

fn define(renderer: &Renderer<'_>, _: &Kind, schema: &str) -> String {
    let (name, comment) = (renderer.name(), renderer.comment());
    let is_linked = schema.contains(&format!("Joi.link(\"#{name}\")"));
    let id = if is_linked { format!(".id(\"{name}\")") } else { String::new() };
    // The type of a recursive schema cannot be inferred.
    let known = if renderer.is_recursive() { ": Joi.Schema" } else { "" };
    format!("{comment}export const {name}{known} = {schema}{id}.strict();")
}

fn object(renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String> {
    Ok(match extra {
        Extra::Forbidden if renderer.is_exact() => {
            format!("Joi.object({members}).custom(proto(Joi.forbidden()))")
        }
        Extra::Forbidden => format!("Joi.object({members})"),
        Extra::Unspecified | Extra::Allowed => format!("Joi.object({members}).unknown()"),
        Extra::Typed(kind, _) => {
            format!("Joi.object({members}).pattern(/^/, {})", renderer.kind(kind, 0)?)
        }
    })
}

fn string(renderer: &Renderer<'_>, rules: &StringRules) -> String {
    // Joi refuses an empty string unless it is allowed explicitly; with `min(0)` the other rules apply to it too.
    let may_be_empty = match rules {
        StringRules { min_length: Some(1..), .. } => "",
        StringRules { pattern: None, format: None, .. } if !renderer.is_exact() => ".allow(\"\")",
        _ => ".min(0)",
    };
    format!("Joi.string(){may_be_empty}")
}
