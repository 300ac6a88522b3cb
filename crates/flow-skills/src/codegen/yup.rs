//! Yup 1, for [`super::syntax`]. Every schema is strict: values are not cast.

use serde_json::Value;

use super::kind::{Extra, Kind};
use super::render::list;
use super::script;
use super::syntax::{Library, Renderer, Syntax, Written};
use crate::output::Result;

/// Functions for what Yup lacks: predicates, unions and maps. Errors keep the path of the inner value.
const HELPERS: [(&str, &str); 5] = [
    (
        "holds(",
        r#"const holds = (check: Check, message: string): yup.TestConfig<any> => ({
  name: "holds",
  message,
  test: (value: unknown) => value === undefined || value === null || check(value),
});"#,
    ),
    (
        "custom<",
        r#"const custom = <T>(check: Check, message: string) =>
  yup.mixed<T & {}>().nullable().test("custom", message, (value) => value === undefined || check(value)) as unknown as yup.MixedSchema<T | undefined>;"#,
    ),
    (
        "failure(",
        r"type Inner = { validateSync(value: unknown, options?: object): unknown };
const failure = (schema: Inner, value: unknown): yup.ValidationError | null => {
  try {
    schema.validateSync(value, { strict: true });
    return null;
  } catch (error) {
    return error as yup.ValidationError;
  }
};",
    ),
    (
        "union<",
        r#"const union = <T>(...schemas: Inner[]) =>
  yup.mixed<T & {}>().nullable().test("union", "matches none of the alternatives", (value, context) => {
    const failures = schemas.map((schema) => failure(schema, value));
    if (value === undefined || failures.includes(null)) return true;
    const inner = failures.find((error) => error?.path);
    return context.createError(inner ? { path: `${context.path}.${inner.path}`, message: inner.message } : {});
  }) as unknown as yup.MixedSchema<T | undefined>;"#,
    ),
    (
        "mapOf<",
        r#"const mapOf = <T>(schema: Inner) =>
  yup.object().test("mapOf", "has a member that is not allowed", (value, context) => {
    for (const [key, item] of Object.entries(value ?? {})) {
      const error = failure(schema, item);
      if (error) return context.createError({ path: [context.path, key, error.path].filter(Boolean).join("."), message: error.message });
    }
    return true;
  }) as unknown as yup.MixedSchema<Record<string, T> | undefined>;"#,
    ),
];

const SYNTAX: Syntax = Syntax {
    import: "import * as yup from \"yup\";",
    helpers: &HELPERS,
    any: "yup.mixed().nullable()",
    never: "custom<never>(nothing(), \"is not allowed\")",
    boolean: "yup.boolean()",
    number: ["yup.number()", "yup.number()"],
    integer: ["yup.number().integer()", "yup.number().integer()"],
    bounds: ["min", "max", "moreThan", "lessThan"],
    multiple: None,
    string: "yup.string()",
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
    refine: [".test(holds(", "))"],
    refine_input: [".test(holds(", "))"],
    null: "yup.mixed<never>().nullable().oneOf([null])",
    extend: "shape",
    concat: [".concat(", ")"],
    intersect: None,
};

/// The library.
pub struct Yup;

impl Library for Yup {
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }

    fn define(&self, renderer: &Renderer<'_>, kind: &Kind, schema: &str) -> String {
        let (name, comment) = (renderer.name(), renderer.comment());
        let strict = if name == schema || is_opaque(schema) { "" } else { ".strict()" };
        if renderer.is_recursive() {
            // The type of a recursive schema cannot be inferred.
            let declared = renderer.declaration(kind);
            return format!(
                "{declared}\nexport const {name} = {schema}{strict} as unknown as yup.MixedSchema<{name} | undefined>;"
            );
        }
        let inner = if let Kind::Nullable(inner) = kind { inner } else { kind };
        let known = if renderer.is_object_schema(inner) {
            format!("yup.InferType<typeof {name}>")
        } else {
            // Yup takes every other schema for an optional one.
            format!("Exclude<yup.InferType<typeof {name}>, undefined>")
        };
        format!("{comment}export const {name} = {schema}{strict};\nexport type {name} = {known};")
    }

    fn literal(&self, renderer: &Renderer<'_>, kind: &Kind, values: &[Value]) -> String {
        let list = list(values);
        if values.iter().all(Value::is_string) {
            return format!("yup.string().oneOf([{list}])");
        }
        format!("yup.mixed<{}>().oneOf([{list}])", renderer.type_of(kind, 0))
    }

    fn tuple(&self, items: &str, _rest: Option<&str>, is_fixed: bool) -> Option<String> {
        is_fixed.then(|| format!("yup.tuple([{items}])"))
    }

    fn object(&self, renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String> {
        Ok(match extra {
            Extra::Forbidden => format!("yup.object({members}).noUnknown()"),
            Extra::Unspecified | Extra::Allowed => format!("yup.object({members})"),
            Extra::Typed(_, shape) => {
                let checks = renderer.module.checks.refinements(shape)?;
                let object = format!("yup.object({members})");
                checks.iter().fold(object, |text, check| renderer.refine(&text, check))
            }
        })
    }

    fn map(
        &self,
        renderer: &Renderer<'_>,
        key: Option<&Written<'_>>,
        value: &Written<'_>,
    ) -> Option<String> {
        if key.is_some() {
            return None;
        }
        let known = renderer.type_of(value.kind, 0);
        Some(format!("mapOf<{known}>({})", value.text))
    }

    fn lazy(&self, _renderer: &Renderer<'_>, name: &str) -> String {
        format!("yup.lazy(() => {name})")
    }

    fn nullable(&self, renderer: &Renderer<'_>, inner: &Written<'_>) -> String {
        let is_own = |kind: &Kind| match kind {
            Kind::Reference(_) => renderer.is_object_schema(kind),
            other => !matches!(other, Kind::Union { .. } | Kind::Refined { .. }),
        };
        let text = &inner.text;
        if is_own(inner.kind) && !is_opaque(text) {
            return format!("{text}.nullable()");
        }
        let known = format!("{} | null", renderer.type_of(inner.kind, 0));
        format!("union<{known}>({}, {text})", SYNTAX.null)
    }

    fn union(
        &self,
        renderer: &Renderer<'_>,
        kind: &Kind,
        branches: &str,
        _tag: Option<&str>,
    ) -> String {
        let known =
            renderer.declared_name(kind).map_or_else(|| renderer.type_of(kind, 0), str::to_owned);
        format!("union<{known}>({branches})")
    }

    fn predicate(&self, renderer: &Renderer<'_>, kind: &Kind, checks: &[String]) -> String {
        let known = renderer.type_of(kind, 0);
        match checks {
            [] => SYNTAX.any.to_owned(),
            [one] => custom(&known, one),
            many => custom(&known, &renderer.module.checks.call("all_of", many)),
        }
    }

    fn typed(&self, text: String, known: &str) -> String {
        format!("({text} as unknown as yup.MixedSchema<{known} | undefined>)")
    }

    fn optional(&self, renderer: &Renderer<'_>, kind: &Kind) -> &'static str {
        let inner = if let Kind::Nullable(inner) = kind { inner } else { kind };
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

    fn is_vague(&self, renderer: &Renderer<'_>, kind: &Kind) -> bool {
        // A lazy schema has no `defined()`.
        matches!(kind, Kind::Reference(entity) if !renderer.is_defined(entity))
    }
}

/// Whether a schema is one of the helper functions or lazy: it has no `strict()` and no `nullable()`.
fn is_opaque(schema: &str) -> bool {
    ["yup.lazy", "custom<", "union<", "mapOf<"].iter().any(|head| schema.starts_with(head))
}

fn custom(known: &str, check: &str) -> String {
    format!("custom<{known}>({})", script::with_message(check))
}
