//! What Joi calls things, for [`super::walk`]. Nothing is converted.

use super::check::Formats;
use super::plain::Plain;
use super::walk::{self, Library, Walk, Words};
use crate::data::{Model, Shape, StringRules};
use crate::output::Result;

const HOLDS: &str = r"const holds = (check: Check, message: string): Joi.CustomValidator => (value, helpers) =>
  check(helpers.original) ? value : helpers.message({ custom: message });";
const LATER: &str = r"const later = (target: () => Joi.Schema): Joi.CustomValidator => (value, helpers) => {
  const { error } = target().validate(value);
  return error ? helpers.message({ custom: error.message }) : value;
};";

/// Joi copies an object without a member of this one name, so that it is looked at apart.
const INBORN: &str = r#"const inborn = (schema: Joi.Schema): Joi.CustomValidator => (value, helpers) =>
  Object.hasOwn(helpers.original, "__proto__") && schema.validate(helpers.original["__proto__"]).error
    ? helpers.error("object.unknown", { child: "__proto__" })
    : value;"#;

const WORDS: Words = Words {
    head: "import Joi from \"joi\";",
    own: &[("holds(", HOLDS), ("later(", LATER), ("inborn(", INBORN)],
    any: "Joi.any()",
    boolean: "Joi.boolean()",
    number: "Joi.number().unsafe()",
    whole: ".integer()",
    bounds: ["min", "max", "greater", "less"],
    string: "Joi.string()",
    pattern: "pattern",
    array: ("Joi.array()", "Joi.array().items"),
    required: ".required()",
    optional: "",
    held: (".custom(holds(", "))"),
};

/// A model as a module; `formats` says what `format` does.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: Formats) -> Result<String> {
    walk::write(&Joi, model, formats)
}

struct Joi;

impl Library for Joi {
    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn define(&self, walk: &Walk<'_>, schema: &str) -> String {
        let (name, comment) = (walk.name(), walk.comment());
        format!("{comment}export const {name}: Joi.Schema = {schema}.prefs({{ convert: false }});")
    }

    fn null(&self) -> String {
        "Joi.valid(null)".to_owned()
    }

    fn among(&self, _words: &[String], list: &str) -> String {
        format!("Joi.string().valid({list})")
    }

    fn object(&self, members: &str, open: bool) -> String {
        let unknown = if open { ".unknown()" } else { ".custom(inborn(Joi.forbidden()))" };
        format!("Joi.object({members}){unknown}")
    }

    fn map(&self, inner: &str) -> String {
        format!("Joi.object().pattern(Joi.string().allow(\"\"), {inner}).custom(inborn({inner}))")
    }

    fn later(&self, name: &str) -> String {
        format!("Joi.any().custom(later(() => {name}))")
    }

    fn nullable(&self, _plain: &Plain, inner: &str) -> String {
        format!("{inner}.allow(null)")
    }

    fn union(&self, all: &str) -> String {
        format!("Joi.alternatives().try({all})")
    }

    fn check(&self, walk: &Walk<'_>, shape: &Shape, _depth: usize) -> Result<String> {
        Ok(walk.held(WORDS.any, &walk.predicate(shape)?))
    }

    fn is_vague(&self, _plain: &Plain) -> bool {
        false
    }

    fn string(&self, walk: &Walk<'_>, rules: &StringRules) -> Result<String> {
        let checks = walk.script.checks;
        if rules.min_length.unwrap_or(0) > 0 {
            return walk.string(WORDS.string, rules);
        }
        if rules.pattern.is_some() {
            // Joi lets an empty text through without a look at it, or refuses it: the pattern must decide.
            let mut parts = vec![checks.call("types", &["\"string\"".to_owned()])];
            checks.string(rules, &mut parts)?;
            return Ok(walk.held(WORDS.any, &checks.call("all_of", &parts)));
        }
        let empty = if checks.format(rules).is_none() { ".allow(\"\")" } else { "" };
        walk.string(&format!("{}{empty}", WORDS.string), rules)
    }
}
