//! What Yup calls things, for [`super::walk`]. Every schema is strict: nothing is cast.

use super::check::Formats;
use super::plain::Plain;
use super::script;
use super::walk::{self, Library, Walk, Words};
use crate::data::{Model, Shape};
use crate::output::Result;

/// What only this target needs. Yup has no unions and no maps.
const OWN: [(&str, &str); 5] = [
    ("passes(", PASSES),
    (
        "holds(",
        r#"const holds = (check: Check, message: string): yup.TestConfig<any> => ({
  name: "holds",
  message,
  test: (value: unknown) => value === undefined || value === null || check(value),
});"#,
    ),
    (
        "fits(",
        r#"const fits = (check: Check, message: string) =>
  yup.mixed().nullable().test("fits", message, (value) => value === undefined || check(value));"#,
    ),
    (
        "either(",
        r#"const either = (...schemas: Passing[]) =>
  yup.mixed().nullable().test("either", "is none of what is allowed", (value) =>
    value === undefined || schemas.some((schema) => passes(schema, value)));"#,
    ),
    (
        "mapOf(",
        r#"const mapOf = (schema: Passing) =>
  yup.object().test("mapOf", "has a member that is not allowed", (value) =>
    value === undefined || value === null || Object.values(value).every((item) => passes(schema, item)));"#,
    ),
];
const PASSES: &str = r"type Passing = { isValidSync(value: unknown, options?: object): boolean };
const passes = (schema: Passing, value: unknown) => schema.isValidSync(value, { strict: true });";

const WORDS: Words = Words {
    head: "import * as yup from \"yup\";",
    own: &OWN,
    any: "yup.mixed().nullable()",
    boolean: "yup.boolean()",
    number: "yup.number()",
    whole: ".integer()",
    bounds: ["min", "max", "moreThan", "lessThan"],
    string: "yup.string()",
    pattern: "matches",
    array: ("yup.array()", "yup.array().of"),
    required: ".defined()",
    optional: "",
    held: (".test(holds(", "))"),
};

/// A model as a module; `formats` says what `format` does.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: Formats) -> Result<String> {
    walk::write(&Yup, model, formats)
}

struct Yup;

impl Library for Yup {
    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn define(&self, walk: &Walk<'_>, schema: &str) -> String {
        let (name, comment) = (walk.name(), walk.comment());
        let kind = if walk.is_looping() { ": yup.Schema" } else { "" };
        let strict =
            if name == schema || schema.starts_with("yup.lazy") { "" } else { ".strict()" };
        format!(
            "{comment}export const {name}{kind} = {schema}{strict};\nexport type {name} = yup.InferType<typeof {name}>;"
        )
    }

    fn null(&self) -> String {
        fits("types(\"null\")")
    }

    fn among(&self, _words: &[String], list: &str) -> String {
        format!("yup.string().oneOf([{list}])")
    }

    fn object(&self, members: &str, open: bool) -> String {
        let closed = if open { "" } else { ".noUnknown()" };
        format!("yup.object({members}){closed}")
    }

    fn map(&self, inner: &str) -> String {
        format!("mapOf({inner})")
    }

    fn later(&self, name: &str) -> String {
        format!("yup.lazy(() => {name})")
    }

    fn nullable(&self, plain: &Plain, inner: &str) -> String {
        if can_be_null(plain) {
            format!("{inner}.nullable()")
        } else {
            self.union(&format!("{}, {inner}", self.null()))
        }
    }

    fn union(&self, all: &str) -> String {
        format!("either({all})")
    }

    fn check(&self, walk: &Walk<'_>, shape: &Shape, _depth: usize) -> Result<String> {
        Ok(fits(&walk.predicate(shape)?))
    }

    fn is_vague(&self, plain: &Plain) -> bool {
        matches!(plain, Plain::Reference(_))
    }
}

fn fits(check: &str) -> String {
    format!("fits({})", script::told(check))
}

/// Whether the schema of a plain takes `nullable`, and means by it what is meant.
fn can_be_null(plain: &Plain) -> bool {
    !matches!(plain, Plain::Reference(_) | Plain::Union(_) | Plain::Check(_) | Plain::Null)
}
