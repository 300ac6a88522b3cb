//! Writes a model as a module for Zod 4.

use super::literal::Tongue;
use super::names::{Names, is_identifier};
use super::plain::{Member, Plain};
use super::script::{self, Script};
use super::typescript::{self, Types};
use crate::skill::data::{ArrayRules, Model, NumberRules, Shape, StringRules};
use crate::skill::output::Result;

/// A map. Zod passes over a member of this one name, so that it is looked at apart.
const MAP: &str = r#"const mapOf = <T extends z.ZodType>(schema: T) =>
  z.any()
    .refine((value) => !isObject(value) || !Object.hasOwn(value, "__proto__") || schema.safeParse(value["__proto__"]).success)
    .pipe(z.record(z.string(), schema));"#;

/// A model as a module; `formats` says whether `format` is asserted.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: bool) -> Result<String> {
    let names = Names::of(model);
    let script = Script::new(model, &names, formats);
    let define = |entity: &&str| {
        let writer = Zod { script: &script, entity };
        let name = names.upper(entity);
        let schema = writer.plain(&script.plain(entity), 0)?;
        let shape = model.entities.get(*entity).map(|entity| &entity.shape);
        let comment = script::comment(shape, "");
        Ok(match shape.filter(|_| script.looping.contains(entity)) {
            // A type cannot be inferred from a schema that names itself, so that it is written.
            Some(shape) => format!(
                "{}\nexport const {name}: z.ZodType<{name}> = {schema} as unknown as z.ZodType<{name}>;",
                writer.types().entity(entity, shape)
            ),
            None => format!(
                "{comment}export const {name} = {schema};\nexport type {name} = z.infer<typeof {name}>;"
            ),
        })
    };
    let definitions: Vec<String> = script.order.iter().map(define).collect::<Result<_>>()?;
    let uses_maps = definitions.iter().any(|text| text.contains("mapOf("));
    script.module("import { z } from \"zod\";", if uses_maps { MAP } else { "" }, &definitions)
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
            Plain::Map(inner) => format!("mapOf({})", self.plain(inner, depth)?),
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
            Plain::Refined(base, rest) => {
                refined(&self.plain(base, depth)?, &self.script.checks.shape(rest)?)
            }
            Plain::Check(shape) => self.check(shape, depth)?,
        })
    }

    fn types(&self) -> Types<'_> {
        let shape = self.script.model.entities.get(self.entity).map(|entity| &entity.shape);
        let is_looping = shape.is_some_and(typescript::is_looping);
        Types { names: self.script.names, is_looping, is_lenient: false }
    }

    fn check(&self, shape: &Shape, depth: usize) -> Result<String> {
        let check = self.script.checks.shape(shape)?;
        let kind = self.types().shape(shape, depth);
        // A type that names an entity may come round to itself.
        Ok(if kind == "unknown" || check.contains("refer(") {
            refined("z.unknown()", &check)
        } else {
            let words = Tongue::Script.text(&script::words(&check));
            format!("z.custom<{kind}>({check}, {words})")
        })
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let mut text = "z.string()".to_owned();
        if rules.min_length == Some(1) {
            text += ".min(1)";
        }
        if let Some(pattern) = &rules.pattern {
            let form = super::pattern::write(pattern, Tongue::Script)?;
            text = format!("{text}.regex({form})");
        }
        let checks = self.script.string_checks(rules)?;
        Ok(checks.iter().fold(text, |text, (check, _)| refined(&text, check)))
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
            refined(&text, &self.script.checks.call("required", &vague))
        })
    }
}

fn refined(text: &str, check: &str) -> String {
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
        Some(step) => refined(&text, &format!("multipleOf({step})")),
        None => text,
    }
}

fn array(item: &str, rules: &ArrayRules) -> String {
    let mut text = format!("z.array({item})");
    text += &rules.min_items.map_or(String::new(), |least| format!(".min({least})"));
    text += &rules.max_items.map_or(String::new(), |most| format!(".max({most})"));
    if rules.unique_items { refined(&text, "uniqueItems()") } else { text }
}
