//! Writes a model as a module for Yup. Every schema is strict: nothing is cast.

use super::literal::Tongue;
use super::names::{Names, is_identifier};
use super::plain::{Member, Plain};
use super::script::{self, Script};
use crate::skill::data::{ArrayRules, Model, NumberRules, StringRules};
use crate::skill::output::Result;

/// What only this target needs. Yup has no unions and no maps.
const OWN: [(&str, &str); 4] = [
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

/// A model as a module; `formats` says whether `format` is asserted.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(model: &Model, formats: bool) -> Result<String> {
    let names = Names::of(model);
    let script = Script::new(model, &names, formats);
    let define = |entity: &&str| {
        let name = names.upper(entity);
        let kind = if script.looping.contains(entity) { ": yup.Schema" } else { "" };
        let schema = Writer { script: &script, entity }.plain(&script.plain(entity), 0)?;
        let strict = if script.names.upper(entity) == schema || schema.starts_with("yup.lazy") {
            ""
        } else {
            ".strict()"
        };
        let comment = script::comment(model.entities.get(*entity).map(|entity| &entity.shape), "");
        Ok(format!(
            "{comment}export const {name}{kind} = {schema}{strict};\nexport type {name} = yup.InferType<typeof {name}>;"
        ))
    };
    let definitions: Vec<String> = script.order.iter().map(define).collect::<Result<_>>()?;
    let uses = |word: &str| definitions.iter().any(|text| text.contains(word));
    let mut extra: Vec<&str> =
        OWN.into_iter().filter(|(word, _)| uses(word)).map(|(_, code)| code).collect();
    if extra.iter().any(|code| code.contains("passes(")) {
        extra.insert(0, PASSES);
    }
    script.module("import * as yup from \"yup\";", &extra.join("\n"), &definitions)
}

struct Writer<'s> {
    script: &'s Script<'s>,
    entity: &'s str,
}

impl Writer<'_> {
    fn plain(&self, plain: &Plain, depth: usize) -> Result<String> {
        Ok(match plain {
            Plain::Any => "yup.mixed().nullable()".to_owned(),
            Plain::Null => fits("types(\"null\")"),
            Plain::Boolean => "yup.boolean()".to_owned(),
            Plain::Number { whole, rules } => number(*whole, rules),
            Plain::String(rules) => self.string(rules)?,
            Plain::Words(words) => {
                let list: Vec<String> =
                    words.iter().map(|word| Tongue::Script.text(word)).collect();
                format!("yup.string().oneOf([{}])", list.join(", "))
            }
            Plain::Array { item, rules } => array(&self.plain(item, depth)?, rules),
            Plain::Object { fields, open } => self.object(fields, *open, depth)?,
            Plain::Map(inner) => format!("mapOf({})", self.plain(inner, depth)?),
            Plain::Reference(other) if self.script.is_before(other, self.entity) => {
                self.script.names.upper(other).to_owned()
            }
            Plain::Reference(other) => {
                format!("yup.lazy(() => {})", self.script.names.upper(other))
            }
            Plain::Nullable(inner) if can_be_null(inner) => {
                format!("{}.nullable()", self.plain(inner, depth)?)
            }
            Plain::Nullable(inner) => {
                format!("either({}, {})", fits("types(\"null\")"), self.plain(inner, depth)?)
            }
            Plain::Union(all) => {
                let all: Vec<String> =
                    all.iter().map(|plain| self.plain(plain, depth)).collect::<Result<_>>()?;
                format!("either({})", all.join(", "))
            }
            Plain::Refined(base, rest) => {
                held(&self.plain(base, depth)?, &self.script.checks.shape(rest)?)
            }
            Plain::Check(shape) => fits(&self.script.checks.shape(shape)?),
        })
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let mut text = "yup.string()".to_owned();
        if rules.min_length == Some(1) {
            text += ".min(1)";
        }
        if let Some(pattern) = &rules.pattern {
            let form = super::pattern::write(pattern, Tongue::Script)?;
            text = format!("{text}.matches({form})");
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
            let required =
                if field.required && !is_vague(&field.plain) { ".defined()" } else { "" };
            let pad = "  ".repeat(depth + 1);
            let comment = script::describe(field.description.as_deref(), &pad);
            let comment =
                if comment.is_empty() { comment } else { comment.trim_start().to_owned() + &pad };
            Ok(format!("{comment}{key}: {}{required}", self.plain(&field.plain, depth + 1)?))
        };
        let lines: Vec<String> = fields.iter().map(line).collect::<Result<_>>()?;
        let closed = if open { "" } else { ".noUnknown()" };
        let text = format!("yup.object({}){closed}", script::block(&lines, depth));
        let vague = fields.iter().filter(|field| field.required && is_vague(&field.plain));
        let vague: Vec<String> = vague.map(|field| Tongue::Script.text(&field.key)).collect();
        Ok(if vague.is_empty() {
            text
        } else {
            held(&text, &self.script.checks.call("required", &vague))
        })
    }
}

/// Whether what is written for it cannot say by itself that it must be there.
fn is_vague(plain: &Plain) -> bool {
    matches!(plain, Plain::Reference(_))
}

fn fits(check: &str) -> String {
    format!("fits({check}, {})", Tongue::Script.text(&script::words(check)))
}

/// Whether the schema of a plain takes `nullable`, and means by it what is meant.
fn can_be_null(plain: &Plain) -> bool {
    !matches!(plain, Plain::Reference(_) | Plain::Union(_) | Plain::Check(_) | Plain::Null)
}

fn held(text: &str, check: &str) -> String {
    format!("{text}.test(holds({check}, {}))", Tongue::Script.text(&script::words(check)))
}

fn number(whole: bool, rules: &NumberRules) -> String {
    let mut text = "yup.number()".to_owned();
    if whole {
        text += ".integer()";
    }
    let bounds = [
        ("min", &rules.minimum),
        ("max", &rules.maximum),
        ("moreThan", &rules.exclusive_minimum),
        ("lessThan", &rules.exclusive_maximum),
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
    let mut text = if item == "yup.mixed().nullable()" {
        "yup.array()".to_owned()
    } else {
        format!("yup.array().of({item})")
    };
    text += &rules.min_items.map_or(String::new(), |least| format!(".min({least})"));
    text += &rules.max_items.map_or(String::new(), |most| format!(".max({most})"));
    if rules.unique_items { held(&text, "uniqueItems()") } else { text }
}
