//! What Zod 4 calls things, for [`super::walk`].

use super::check::Formats;
use super::plain::Plain;
use super::script;
use super::typescript::{self, Types};
use super::walk::{self, Library, Walk, Words};
use crate::data::{Model, Shape};
use crate::output::Result;

/// A map. Zod passes over a member of this one name, so that it is looked at apart.
const MAP: &str = r#"const mapOf = <T extends z.ZodType>(schema: T) =>
  z.any()
    .refine((value) => !isObject(value) || !Object.hasOwn(value, "__proto__") || schema.safeParse(value["__proto__"]).success)
    .pipe(z.record(z.string(), schema));"#;

const WORDS: Words = Words {
    head: "import { z } from \"zod\";",
    own: &[("mapOf(", MAP)],
    any: "z.unknown()",
    boolean: "z.boolean()",
    number: "z.number()",
    // Not `z.int()`, which refuses whole numbers above 2^53.
    whole: ".refine(Number.isInteger, \"must be a whole number\")",
    bounds: ["gte", "lte", "gt", "lt"],
    string: "z.string()",
    pattern: "regex",
    array: ("z.array(z.unknown())", "z.array"),
    required: "",
    optional: ".optional()",
    held: (".refine(", ")"),
};

/// A model as a module; `formats` says what `format` does.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: Formats) -> Result<String> {
    walk::write(&Zod, model, formats)
}

struct Zod;

impl Library for Zod {
    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn define(&self, walk: &Walk<'_>, schema: &str) -> String {
        let (name, comment) = (walk.name(), walk.comment());
        match walk.shape().filter(|_| walk.is_looping()) {
            // A type cannot be inferred from a schema that names itself, so that it is written.
            Some(shape) => format!(
                "{}\nexport const {name}: z.ZodType<{name}> = {schema} as unknown as z.ZodType<{name}>;",
                types(walk).entity(walk.entity, shape)
            ),
            None => format!(
                "{comment}export const {name} = {schema};\nexport type {name} = z.infer<typeof {name}>;"
            ),
        }
    }

    fn null(&self) -> String {
        "z.null()".to_owned()
    }

    fn among(&self, words: &[String], list: &str) -> String {
        // An object of words, which `z.enum` makes, cannot hold this one.
        let call = if words.iter().any(|word| word == "__proto__") { "literal" } else { "enum" };
        format!("z.{call}([{list}])")
    }

    fn object(&self, members: &str, open: bool) -> String {
        let call = if open { "looseObject" } else { "strictObject" };
        format!("z.{call}({members})")
    }

    fn map(&self, inner: &str) -> String {
        format!("mapOf({inner})")
    }

    fn later(&self, name: &str) -> String {
        format!("z.lazy(() => {name})")
    }

    fn nullable(&self, _plain: &Plain, inner: &str) -> String {
        format!("{inner}.nullable()")
    }

    fn union(&self, all: &str) -> String {
        format!("z.union([{all}])")
    }

    fn check(&self, walk: &Walk<'_>, shape: &Shape, depth: usize) -> Result<String> {
        let check = walk.predicate(shape)?;
        let kind = types(walk).shape(shape, depth);
        // A type that names an entity may come round to itself.
        Ok(if kind == "unknown" || check.contains("refer(") {
            walk.held(WORDS.any, &check)
        } else {
            format!("z.custom<{kind}>({})", script::told(&check))
        })
    }

    fn is_vague(&self, plain: &Plain) -> bool {
        !plain.is_solid()
    }
}

fn types<'w>(walk: &'w Walk<'_>) -> Types<'w> {
    let is_looping = walk.shape().is_some_and(typescript::is_looping);
    Types { names: walk.script.names, is_looping, is_lenient: false }
}
