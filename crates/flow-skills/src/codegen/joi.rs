//! Joi 18, for [`super::syntax`]. Nothing is converted.

use super::kind::{Extra, Kind};
use super::render;
use super::syntax::{Library, Options, Renderer, Syntax, Written};
use crate::data::{Model, StringRules};
use crate::output::Result;

const HOLDS: &str = r"const holds = (check: Check, message: string): Joi.CustomValidator => (value, helpers) =>
  check(helpers.original) ? value : helpers.message({ custom: message });";
const LAZY: &str = r"const lazy = (target: () => Joi.Schema): Joi.CustomValidator => (value, helpers) => {
  const { error } = target().validate(value);
  return error ? helpers.message({ custom: error.message }) : value;
};";

/// Exact verdicts on a member called `__proto__`, which Joi leaves out when it copies an object.
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
    number: "Joi.number()",
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
};

/// A model as a module.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, options: Options) -> Result<String> {
    render::write(&Joi, model, options)
}

struct Joi;

impl Library for Joi {
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }

    fn define(&self, renderer: &Renderer<'_>, _kind: &Kind, schema: &str) -> String {
        let (name, comment) = (renderer.name(), renderer.comment());
        let id = if schema.contains(&self.lazy(renderer, name)) && !renderer.is_exact() {
            format!(".id(\"{name}\")")
        } else {
            String::new()
        };
        // A type cannot be inferred from a schema that names itself.
        let known = if renderer.has_explicit_type() { ": Joi.Schema" } else { "" };
        format!("{comment}export const {name}{known} = {schema}{id}.strict();")
    }

    fn null(&self) -> String {
        "Joi.valid(null)".to_owned()
    }

    fn literal(&self, _renderer: &Renderer<'_>, kind: &Kind, list: &str) -> String {
        match kind {
            Kind::Literal(values) if values.iter().all(serde_json::Value::is_string) => {
                format!("Joi.string().valid({list})")
            }
            _ => format!("Joi.valid({list})"),
        }
    }

    fn tuple(&self, items: &[Written<'_>], required: usize, rest: Option<&str>) -> Option<String> {
        let item = |(at, item): (usize, &Written<'_>)| {
            let suffix = if at < required { SYNTAX.required } else { "" };
            format!("{}{suffix}", item.text)
        };
        let items: Vec<String> = items.iter().enumerate().map(item).collect();
        let rest = rest.map_or(String::new(), |rest| format!(".items({rest})"));
        Some(format!("Joi.array().ordered({}){rest}", items.join(", ")))
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
        if name == renderer.name() && !renderer.is_exact() {
            format!("Joi.link(\"#{name}\")")
        } else {
            format!("Joi.any().custom(lazy(() => {name}))")
        }
    }

    fn nullable(&self, _renderer: &Renderer<'_>, inner: &Written<'_>) -> String {
        if inner.text.starts_with("Joi.link(") {
            return format!("Joi.alternatives().try({}, {})", inner.text, self.null());
        }
        format!("{}.allow(null)", inner.text)
    }

    fn union(
        &self,
        _renderer: &Renderer<'_>,
        _kind: &Kind,
        branches: &[Written<'_>],
        _tag: Option<&str>,
    ) -> String {
        let all: Vec<&str> = branches.iter().map(|branch| branch.text.as_str()).collect();
        format!("Joi.alternatives().try({})", all.join(", "))
    }

    fn intersection(&self, renderer: &Renderer<'_>, parts: &[Written<'_>]) -> Option<String> {
        if !renderer.are_objects(parts) {
            return None;
        }
        let mut texts = parts.iter().map(|part| part.text.clone());
        let first = texts.next()?;
        Some(texts.fold(first, |all, part| format!("{all}.concat({part})")))
    }

    fn predicate(&self, renderer: &Renderer<'_>, _kind: &Kind, checks: &[String]) -> String {
        checks.iter().fold(SYNTAX.any.to_owned(), |text, check| renderer.refine(&text, check))
    }

    fn narrowed(&self, _renderer: &Renderer<'_>, _kind: &Kind, text: String) -> String {
        text
    }

    fn string(&self, renderer: &Renderer<'_>, rules: &StringRules) -> String {
        // Joi refuses an empty string unless it is told that one may come; with `min(0)` the other rules see it too.
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
