//! Joi 18, for [`super::syntax`]. Values are not converted.

use serde_json::Value;

use super::kind::{Extra, Kind};
use super::render::list;
use super::syntax::{Library, Renderer, Syntax, Written};
use crate::data::StringRules;
use crate::output::Result;

const HOLDS: &str = r"const holds = (check: Check, message: string): Joi.CustomValidator => (value, helpers) =>
  check(helpers.original) ? value : helpers.message({ custom: message });";
const LAZY: &str = r"const lazy = (target: () => Joi.Schema): Joi.CustomValidator => (value, helpers) => {
  const { error } = target().validate(value);
  return error ? helpers.message({ custom: error.message }) : value;
};";

/// Exact verdicts on a member called `__proto__`, which Joi omits when it copies an object.
const PROTO: &str = r#"const proto = (schema: Joi.Schema): Joi.CustomValidator => (value, helpers) =>
  Object.hasOwn(helpers.original, "__proto__") && schema.validate(helpers.original["__proto__"]).error
    ? helpers.error("object.unknown", { child: "__proto__" })
    : value;"#;

const SYNTAX: Syntax = Syntax {
    import: "import Joi from \"joi\";",
    helpers: &[("holds(", HOLDS), ("lazy(", LAZY), ("proto(", PROTO)],
    any: "Joi.any()",
    never: "Joi.forbidden()",
    boolean: "Joi.boolean()",
    number: ["Joi.number()", "Joi.number().unsafe()"],
    integer: ["Joi.number().integer()", "Joi.number().unsafe().integer()"],
    bounds: ["min", "max", "greater", "less"],
    multiple: Some("multiple"),
    string: "Joi.string()",
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
    refine: [".custom(holds(", "))"],
    refine_input: [".custom(holds(", "))"],
    null: "Joi.valid(null)",
    extend: "keys",
    concat: [".concat(", ")"],
    intersect: None,
};

/// The library.
pub struct Joi;

impl Library for Joi {
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }

    fn define(&self, renderer: &Renderer<'_>, _kind: &Kind, schema: &str) -> String {
        let (name, comment) = (renderer.name(), renderer.comment());
        let is_linked = schema.contains(&format!("Joi.link(\"#{name}\")"));
        let id = if is_linked { format!(".id(\"{name}\")") } else { String::new() };
        // The type of a recursive schema cannot be inferred.
        let known = if renderer.is_recursive() { ": Joi.Schema" } else { "" };
        format!("{comment}export const {name}{known} = {schema}{id}.strict();")
    }

    fn literal(&self, _renderer: &Renderer<'_>, _kind: &Kind, values: &[Value]) -> String {
        let string = if values.iter().all(Value::is_string) { ".string()" } else { "" };
        format!("Joi{string}.valid({})", list(values))
    }

    fn tuple(&self, items: &str, rest: Option<&str>, _is_fixed: bool) -> Option<String> {
        let rest = rest.map_or(String::new(), |rest| format!(".items({rest})"));
        Some(format!("Joi.array().ordered({items}){rest}"))
    }

    fn object(&self, renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String> {
        Ok(match extra {
            Extra::Forbidden if renderer.is_exact() => {
                format!("Joi.object({members}).custom(proto(Joi.forbidden()))")
            }
            Extra::Forbidden => format!("Joi.object({members})"),
            Extra::Unspecified | Extra::Allowed => format!("Joi.object({members}).unknown()"),
            Extra::Typed(kind, _) => {
                format!("Joi.object({members}).pattern(/^/, {})", renderer.extra(kind)?)
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
            None if renderer.is_exact() => {
                format!("Joi.object().pattern(/^/, {value}).custom(proto({value}))")
            }
            None if value == SYNTAX.any => "Joi.object()".to_owned(),
            None => format!("Joi.object().pattern(/^/, {value})"),
            Some(key) => format!("Joi.object().pattern({}, {value})", key.text),
        })
    }

    fn lazy(&self, renderer: &Renderer<'_>, name: &str) -> String {
        // A schema with an id may occur only once in another one, and beside no member that has the same name.
        let is_alone = !renderer.module.ordered.is_referred_to(renderer.entity);
        if name == renderer.name() && !renderer.is_exact() && is_alone {
            format!("Joi.link(\"#{name}\")")
        } else {
            format!("Joi.any().custom(lazy(() => {name}))")
        }
    }

    fn nullable(&self, _renderer: &Renderer<'_>, inner: &Written<'_>) -> String {
        if inner.text.starts_with("Joi.link(") {
            return format!("Joi.alternatives().try({}, {})", inner.text, SYNTAX.null);
        }
        format!("{}.allow(null)", inner.text)
    }

    fn union(
        &self,
        _renderer: &Renderer<'_>,
        _kind: &Kind,
        branches: &str,
        _tag: Option<&str>,
    ) -> String {
        format!("Joi.alternatives().try({branches})")
    }

    fn string(&self, renderer: &Renderer<'_>, rules: &StringRules) -> String {
        // Joi refuses an empty string unless it is allowed explicitly; with `min(0)` the other rules apply to it too.
        let may_be_empty = match rules {
            StringRules { min_length: Some(1..), .. } => "",
            StringRules { pattern: None, format: None, .. } if !renderer.is_exact() => {
                ".allow(\"\")"
            }
            _ => ".min(0)",
        };
        format!("{}{may_be_empty}", SYNTAX.string)
    }
}
