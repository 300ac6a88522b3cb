//! One walk over a model for all libraries of scripts (Zod, Joi, Yup). What a library calls things, and what it needs
//! beside that, is in its own file; the module around it is in [`super::script`].

use super::check::Formats;
use super::literal::TargetLanguage;
use super::names::{Names, is_identifier};
use super::pattern;
use super::plain::{Member, Plain};
use super::script::{self, Script};
use crate::data::{ArrayRules, Model, NumberRules, Shape, StringRules};
use crate::output::Result;

/// What a library calls things.
#[derive(Debug)]
pub struct Words {
    /// The line that imports it.
    pub head: &'static str,
    /// Functions that only this target needs, each with the text that tells its use; one may use those before it.
    pub own: &'static [(&'static str, &'static str)],
    /// Takes any value.
    pub any: &'static str,
    /// Takes true and false.
    pub boolean: &'static str,
    /// Takes numbers.
    pub number: &'static str,
    /// Makes that whole numbers.
    pub whole: &'static str,
    /// The calls for at least, at most, more than and less than.
    pub bounds: [&'static str; 4],
    /// Takes texts.
    pub string: &'static str,
    /// The call for a regular expression.
    pub pattern: &'static str,
    /// Takes arrays of anything; and the call for arrays of something.
    pub array: (&'static str, &'static str),
    /// What follows a member that must be there.
    pub required: &'static str,
    /// What follows a member that may be missing.
    pub optional: &'static str,
    /// What stands around a predicate and its message.
    pub held: (&'static str, &'static str),
}

/// What a library needs beside its words. Texts that are given are schemas that have been written.
pub trait Library {
    /// Its words.
    fn words(&self) -> &'static Words;

    /// The definition of the walk's entity.
    fn define(&self, walk: &Walk<'_>, schema: &str) -> String;

    /// Takes null alone.
    fn null(&self) -> String;

    /// Takes these texts alone; `list` has them as literals.
    fn among(&self, words: &[String], list: &str) -> String;

    /// An object with these members.
    fn object(&self, members: &str, open: bool) -> String;

    /// An object whose members all fit a schema.
    fn map(&self, inner: &str) -> String;

    /// An entity that is defined later.
    fn later(&self, name: &str) -> String;

    /// A schema that takes null too.
    fn nullable(&self, plain: &Plain, inner: &str) -> String;

    /// Takes what one of the schemas takes.
    fn union(&self, all: &str) -> String;

    /// What only a predicate can say, `depth` levels deep.
    ///
    /// # Errors
    /// When a pattern is no regular expression.
    fn check(&self, walk: &Walk<'_>, shape: &Shape, depth: usize) -> Result<String>;

    /// Whether what is written for a member cannot say by itself that it must be there.
    fn is_vague(&self, plain: &Plain) -> bool;

    /// A text.
    ///
    /// # Errors
    /// When a pattern is no regular expression.
    fn string(&self, walk: &Walk<'_>, rules: &StringRules) -> Result<String> {
        walk.string(self.words().string, rules)
    }
}

/// A model as a module for a library; `formats` says what `format` does.
///
/// # Errors
/// When a pattern is no regular expression.
pub fn write(library: &dyn Library, model: &Model, formats: Formats) -> Result<String> {
    let names = Names::of(model);
    let script = Script::new(model, &names, formats);
    let define = |entity: &&str| {
        let walk = Walk { library, script: &script, entity };
        let schema = walk.plain(&script.plain(entity), 0)?;
        Ok(library.define(&walk, &schema))
    };
    let definitions: Vec<String> = script.order.iter().map(define).collect::<Result<_>>()?;
    let words = library.words();
    script.module(words.head, &used(words.own, &definitions).join("\n"), &definitions)
}

/// The functions that the definitions, or later functions that are used, need.
fn used(own: &[(&str, &'static str)], definitions: &[String]) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for (word, code) in own.iter().rev() {
        let is_used = definitions.iter().any(|text| text.contains(word))
            || found.iter().any(|text| text.contains(word));
        if is_used {
            found.insert(0, code);
        }
    }
    found
}

/// A walk over one entity.
pub struct Walk<'s> {
    library: &'s dyn Library,
    /// The model on its way into a module.
    pub script: &'s Script<'s>,
    /// The entity.
    pub entity: &'s str,
}

impl Walk<'_> {
    /// The entity's shape.
    pub fn shape(&self) -> Option<&Shape> {
        self.script.model.entities.get(self.entity).map(|entity| &entity.shape)
    }

    /// What the entity is called.
    pub fn name(&self) -> &str {
        self.script.names.upper(self.entity)
    }

    /// The comment over the entity's definition.
    pub fn comment(&self) -> String {
        script::comment(self.shape(), "")
    }

    /// A shape as a predicate.
    ///
    /// # Errors
    /// When a pattern is no regular expression.
    pub fn predicate(&self, shape: &Shape) -> Result<String> {
        self.script.checks.shape(shape)
    }

    /// Whether the entity names one that is defined later.
    pub fn is_looping(&self) -> bool {
        self.script.looping.contains(&self.entity)
    }

    fn plain(&self, plain: &Plain, depth: usize) -> Result<String> {
        let words = self.library.words();
        Ok(match plain {
            Plain::Any => words.any.to_owned(),
            Plain::Null => self.library.null(),
            Plain::Boolean => words.boolean.to_owned(),
            Plain::Number { whole, rules } => self.number(*whole, rules),
            Plain::String(rules) => self.library.string(self, rules)?,
            Plain::Words(all) => self.library.among(all, &list(all)),
            Plain::Array { item, rules } => self.array(&self.plain(item, depth)?, rules),
            Plain::Object { fields, open } => self.object(fields, *open, depth)?,
            Plain::Map(inner) => self.library.map(&self.plain(inner, depth)?),
            Plain::Reference(other) => self.reference(other),
            Plain::Nullable(inner) => self.library.nullable(inner, &self.plain(inner, depth)?),
            Plain::Union(all) => {
                let all = all.iter().map(|plain| self.plain(plain, depth));
                self.library.union(&all.collect::<Result<Vec<_>>>()?.join(", "))
            }
            Plain::Refined(base, rest) => {
                self.held(&self.plain(base, depth)?, &self.predicate(rest)?)
            }
            Plain::Check(shape) => self.library.check(self, shape, depth)?,
        })
    }

    /// A schema that a predicate must hold for too.
    pub fn held(&self, text: &str, check: &str) -> String {
        let (before, after) = self.library.words().held;
        format!("{text}{before}{}{after}", script::told(check))
    }

    /// A text, written on from `base`.
    ///
    /// # Errors
    /// When a pattern is no regular expression.
    pub fn string(&self, base: &str, rules: &StringRules) -> Result<String> {
        let mut text = base.to_owned();
        if rules.min_length == Some(1) {
            text += ".min(1)";
        }
        if let Some(pattern) = &rules.pattern {
            let form = pattern::write(pattern, TargetLanguage::Script)?;
            text = format!("{text}.{}({form})", self.library.words().pattern);
        }
        let checks = self.script.string_checks(rules)?;
        Ok(checks.iter().fold(text, |text, check| self.held(&text, check)))
    }

    fn number(&self, whole: bool, rules: &NumberRules) -> String {
        let words = self.library.words();
        let mut text = words.number.to_owned();
        if whole {
            text += words.whole;
        }
        let bounds =
            [&rules.minimum, &rules.maximum, &rules.exclusive_minimum, &rules.exclusive_maximum];
        for (call, bound) in words.bounds.iter().zip(bounds) {
            text += &bound.as_ref().map_or(String::new(), |bound| format!(".{call}({bound})"));
        }
        match &rules.multiple_of {
            Some(step) => self.held(&text, &format!("multipleOf({step})")),
            None => text,
        }
    }

    fn array(&self, item: &str, rules: &ArrayRules) -> String {
        let words = self.library.words();
        let (all, some) = words.array;
        let mut text = if item == words.any { all.to_owned() } else { format!("{some}({item})") };
        text += &rules.min_items.map_or(String::new(), |least| format!(".min({least})"));
        text += &rules.max_items.map_or(String::new(), |most| format!(".max({most})"));
        if rules.unique_items { self.held(&text, "uniqueItems()") } else { text }
    }

    fn reference(&self, other: &str) -> String {
        let name = self.script.names.upper(other);
        if self.script.is_before(other, self.entity) {
            name.to_owned()
        } else {
            self.library.later(name)
        }
    }

    fn object(&self, fields: &[Member], open: bool, depth: usize) -> Result<String> {
        let lines = fields.iter().map(|field| self.member(field, depth + 1));
        let lines: Vec<String> = lines.collect::<Result<_>>()?;
        let text = self.library.object(&script::block(&lines, depth), open);
        let vague = fields.iter().filter(|field| field.required && self.is_vague(field));
        let vague: Vec<String> =
            vague.map(|field| TargetLanguage::Script.text(&field.key)).collect();
        Ok(if vague.is_empty() {
            text
        } else {
            self.held(&text, &self.script.checks.call("required", &vague))
        })
    }

    fn is_vague(&self, field: &Member) -> bool {
        self.library.is_vague(&field.plain)
    }

    fn member(&self, field: &Member, depth: usize) -> Result<String> {
        let words = self.library.words();
        let key = if is_identifier(&field.key) {
            field.key.clone()
        } else {
            TargetLanguage::Script.text(&field.key)
        };
        let required = match field.required {
            true if self.is_vague(field) => "",
            true => words.required,
            false => words.optional,
        };
        let pad = "  ".repeat(depth);
        let mut comment = script::describe(field.description.as_deref(), &pad);
        if !comment.is_empty() {
            comment = comment.trim_start().to_owned() + &pad;
        }
        Ok(format!("{comment}{key}: {}{required}", self.plain(&field.plain, depth)?))
    }
}

/// Texts as literals.
fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| TargetLanguage::Script.text(word)).collect();
    words.join(", ")
}
