//! Writes a model as a module for Zod 4.

use super::literal::Tongue;
use super::names::{Names, is_identifier};
use super::plain::{Member, Plain};
use super::script::{self, Script};
use crate::skill::data::{ArrayRules, Model, NumberRules, StringRules};
use crate::skill::output::Result;

/// A model as a module; `formats` says whether `format` is asserted.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: bool) -> Result<String> {
    let names = Names::of(model);
    let script = Script::new(model, &names, formats);
    let define = |entity: &&str| {
        let name = names.upper(entity);
        let kind = if script.looping.contains(entity) { ": z.ZodType" } else { "" };
        let schema = Zod { script: &script, entity }.plain(&script.plain(entity), 0)?;
        let comment = script::comment(model.entities.get(*entity).map(|entity| &entity.shape), "");
        Ok(format!(
            "{comment}export const {name}{kind} = {schema};\nexport type {name} = z.infer<typeof {name}>;"
        ))
    };
    let definitions: Vec<String> = script.order.iter().map(define).collect::<Result<_>>()?;
    script.module("import { z } from \"zod\";", "", &definitions)
}

struct Zod<'s> {
    script: &'s Script<'s>,
    entity: &'s str,
}

impl Zod<'_> {
    fn plain(&self, plain: &Plain, depth: usize) -> Result<String> {
        Ok(match plain {
            Plain::Any => "z.unknown()".to_owned(),
            Plain::Null => "z.null()".to_owned(),
            Plain::Boolean => "z.boolean()".to_owned(),
            Plain::Number { whole, rules } => number(*whole, rules),
            Plain::String(rules) => self.string(rules)?,
            Plain::Words(words) => {
                let list: Vec<String> =
                    words.iter().map(|word| Tongue::Script.text(word)).collect();
                // An object of words, which `z.enum` makes, cannot hold this one.
                let call =
                    if words.iter().any(|word| word == "__proto__") { "literal" } else { "enum" };
                format!("z.{call}([{}])", list.join(", "))
            }
            Plain::Array { item, rules } => array(&self.plain(item, depth)?, rules),
            Plain::Object { fields, open } => self.object(fields, *open, depth)?,
            Plain::Map(inner) => format!("z.record(z.string(), {})", self.plain(inner, depth)?),
            Plain::Reference(other) if self.script.is_before(other, self.entity) => {
                self.script.names.upper(other).to_owned()
            }
            Plain::Reference(other) => format!("z.lazy(() => {})", self.script.names.upper(other)),
            Plain::Nullable(inner) => format!("{}.nullable()", self.plain(inner, depth)?),
            Plain::Union(all) => {
                let all: Vec<String> =
                    all.iter().map(|plain| self.plain(plain, depth)).collect::<Result<_>>()?;
                format!("z.union([{}])", all.join(", "))
            }
            Plain::Check(shape) => {
                refined("z.unknown()".to_owned(), &self.script.checks.shape(shape)?)
            }
        })
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let mut text = "z.string()".to_owned();
        if rules.min_length == Some(1) {
            text += ".min(1)";
        }
        if let Some(pattern) = &rules.pattern {
            text += &format!(".regex({})", super::pattern::write(pattern, Tongue::Script)?);
        }
        let checks = self.script.string_checks(rules)?;
        Ok(checks.iter().fold(text, |text, (check, _)| refined(text, check)))
    }

    fn object(&self, fields: &[Member], open: bool, depth: usize) -> Result<String> {
        let line = |field: &Member| {
            let key = if is_identifier(&field.key) {
                field.key.clone()
            } else {
                Tongue::Script.text(&field.key)
            };
            let optional = if field.required { "" } else { ".optional()" };
            let comment = script::describe(field.description.as_deref(), &"  ".repeat(depth + 1));
            Ok(format!(
                "{}{key}: {}{optional}",
                comment.trim_start(),
                self.plain(&field.plain, depth + 1)?
            )
            .replace("*/\n", &format!("*/\n{}", "  ".repeat(depth + 1))))
        };
        let lines: Vec<String> = fields.iter().map(line).collect::<Result<_>>()?;
        let call = if open { "looseObject" } else { "strictObject" };
        let text = format!("z.{call}({})", script::block(&lines, depth));
        let vague = fields.iter().filter(|field| field.required && !field.plain.is_solid());
        let vague: Vec<String> = vague.map(|field| Tongue::Script.text(&field.key)).collect();
        Ok(if vague.is_empty() {
            text
        } else {
            refined(text, &self.script.checks.call("required", &vague))
        })
    }
}

fn refined(text: String, check: &str) -> String {
    format!("{text}.refine({check}, {})", Tongue::Script.text(&script::words(check)))
}

fn number(whole: bool, rules: &NumberRules) -> String {
    let mut text = "z.number()".to_owned();
    if whole {
        // Not `z.int()`, which refuses whole numbers above 2^53.
        text += ".refine(Number.isInteger, \"must be a whole number\")";
    }
    let bounds = [
        ("gte", &rules.minimum),
        ("lte", &rules.maximum),
        ("gt", &rules.exclusive_minimum),
        ("lt", &rules.exclusive_maximum),
    ];
    for (call, bound) in bounds {
        text += &bound.as_ref().map_or(String::new(), |bound| format!(".{call}({bound})"));
    }
    match &rules.multiple_of {
        Some(step) => refined(text, &format!("multipleOf({step})")),
        None => text,
    }
}

fn array(item: &str, rules: &ArrayRules) -> String {
    let mut text = format!("z.array({item})");
    text += &rules.min_items.map_or(String::new(), |least| format!(".min({least})"));
    text += &rules.max_items.map_or(String::new(), |most| format!(".max({most})"));
    if rules.unique_items { refined(text, "uniqueItems()") } else { text }
}
