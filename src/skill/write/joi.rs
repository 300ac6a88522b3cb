//! Writes a model as a module for Joi. Nothing is converted.

use super::literal::Tongue;
use super::names::{Names, is_identifier};
use super::plain::{Member, Plain};
use super::script::{self, Script};
use crate::skill::data::{ArrayRules, Model, NumberRules, StringRules};
use crate::skill::output::Result;

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

/// A model as a module; `formats` says whether `format` is asserted.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: bool) -> Result<String> {
    let names = Names::of(model);
    let script = Script::new(model, &names, formats);
    let define = |entity: &&str| {
        let name = names.upper(entity);
        let schema = Writer { script: &script, entity }.plain(&script.plain(entity), 0)?;
        let comment = script::comment(model.entities.get(*entity).map(|entity| &entity.shape), "");
        Ok(format!(
            "{comment}export const {name}: Joi.Schema = {schema}.prefs({{ convert: false }});"
        ))
    };
    let definitions: Vec<String> = script.order.iter().map(define).collect::<Result<_>>()?;
    let uses = |word: &str| definitions.iter().any(|text| text.contains(word));
    let extra = [("holds(", HOLDS), ("later(", LATER), ("inborn(", INBORN)];
    let extra: Vec<&str> =
        extra.into_iter().filter(|(word, _)| uses(word)).map(|(_, code)| code).collect();
    script.module("import Joi from \"joi\";", &extra.join("\n"), &definitions)
}

struct Writer<'s> {
    script: &'s Script<'s>,
    entity: &'s str,
}

impl Writer<'_> {
    fn plain(&self, plain: &Plain, depth: usize) -> Result<String> {
        Ok(match plain {
            Plain::Any => "Joi.any()".to_owned(),
            Plain::Null => "Joi.valid(null)".to_owned(),
            Plain::Boolean => "Joi.boolean()".to_owned(),
            Plain::Number { whole, rules } => number(*whole, rules),
            Plain::String(rules) => self.string(rules)?,
            Plain::Words(words) => {
                let list: Vec<String> =
                    words.iter().map(|word| Tongue::Script.text(word)).collect();
                format!("Joi.string().valid({})", list.join(", "))
            }
            Plain::Array { item, rules } => array(&self.plain(item, depth)?, rules),
            Plain::Object { fields, open } => self.object(fields, *open, depth)?,
            Plain::Map(inner) => {
                let inner = self.plain(inner, depth)?;
                format!(
                    "Joi.object().pattern(Joi.string().allow(\"\"), {inner}).custom(inborn({inner}))"
                )
            }
            Plain::Reference(other) if self.script.is_before(other, self.entity) => {
                self.script.names.upper(other).to_owned()
            }
            Plain::Reference(other) => {
                format!("Joi.any().custom(later(() => {}))", self.script.names.upper(other))
            }
            Plain::Nullable(inner) => format!("{}.allow(null)", self.plain(inner, depth)?),
            Plain::Union(all) => {
                let all: Vec<String> =
                    all.iter().map(|plain| self.plain(plain, depth)).collect::<Result<_>>()?;
                format!("Joi.alternatives().try({})", all.join(", "))
            }
            Plain::Refined(base, rest) => {
                held(&self.plain(base, depth)?, &self.script.checks.shape(rest)?)
            }
            Plain::Check(shape) => held("Joi.any()", &self.script.checks.shape(shape)?),
        })
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let least = rules.min_length.unwrap_or(0);
        if least == 0 && rules.pattern.is_some() {
            // Joi lets an empty text through without a look at it, or refuses it: the pattern must decide.
            let mut parts = vec![self.script.checks.call("types", &["\"string\"".to_owned()])];
            self.script.checks.string(rules, &mut parts)?;
            return Ok(held("Joi.any()", &self.script.checks.call("all_of", &parts)));
        }
        let mut text = "Joi.string()".to_owned();
        if least == 0 && self.script.checks.format(rules).is_none() {
            text += ".allow(\"\")";
        }
        if least == 1 {
            text += ".min(1)";
        }
        if let Some(pattern) = &rules.pattern {
            let form = super::pattern::write(pattern, Tongue::Script)?;
            text = format!("{text}.pattern({form})");
        }
        let checks = self.script.string_checks(rules)?;
        Ok(checks.iter().fold(text, |text, (check, _)| held(&text, check)))
    }

    fn object(&self, fields: &[Member], open: bool, depth: usize) -> Result<String> {
        let line = |field: &Member| {
            let key = if is_identifier(&field.key) {
                field.key.clone()
            } else {
                Tongue::Script.text(&field.key)
            };
            let required = if field.required { ".required()" } else { "" };
            let pad = "  ".repeat(depth + 1);
            let comment = script::describe(field.description.as_deref(), &pad);
            let comment =
                if comment.is_empty() { comment } else { comment.trim_start().to_owned() + &pad };
            Ok(format!("{comment}{key}: {}{required}", self.plain(&field.plain, depth + 1)?))
        };
        let lines: Vec<String> = fields.iter().map(line).collect::<Result<_>>()?;
        let unknown = if open { ".unknown()" } else { ".custom(inborn(Joi.forbidden()))" };
        Ok(format!("Joi.object({}){unknown}", script::block(&lines, depth)))
    }
}

fn held(text: &str, check: &str) -> String {
    format!("{text}.custom(holds({check}, {}))", Tongue::Script.text(&script::words(check)))
}

fn number(whole: bool, rules: &NumberRules) -> String {
    let mut text = "Joi.number().unsafe()".to_owned();
    if whole {
        text += ".integer()";
    }
    let bounds = [
        ("min", &rules.minimum),
        ("max", &rules.maximum),
        ("greater", &rules.exclusive_minimum),
        ("less", &rules.exclusive_maximum),
    ];
    for (call, bound) in bounds {
        text += &bound.as_ref().map_or(String::new(), |bound| format!(".{call}({bound})"));
    }
    match &rules.multiple_of {
        Some(step) => held(&text, &format!("multipleOf({step})")),
        None => text,
    }
}

fn array(item: &str, rules: &ArrayRules) -> String {
    let mut text = if item == "Joi.any()" {
        "Joi.array()".to_owned()
    } else {
        format!("Joi.array().items({item})")
    };
    text += &rules.min_items.map_or(String::new(), |least| format!(".min({least})"));
    text += &rules.max_items.map_or(String::new(), |most| format!(".max({most})"));
    if rules.unique_items { held(&text, "uniqueItems()") } else { text }
}
