//! Writes a model as a module for Pydantic 2. A class stands for each object with known members; nothing is coerced.

use std::collections::HashSet;

use super::check::{Checks, Formats};
use super::literal::TargetLanguage;
use super::names::{self, Names};
use super::plain::{self, Member, Plain};
use super::pydantic_words::{annotated, array, checked, field_name, fields, number, validator};
use super::runtime;
use super::script::predicates;
use crate::data::{Model, Shape, StringRules};
use crate::output::Result;

/// The small functions that only this target needs.
const OWN: &str = include_str!("pydantic.py");

/// A model as a module; `formats` says what `format` does.
///
/// # Errors
/// When a pattern is no regular expression, or one that Python cannot express.
pub fn write(model: &Model, formats: Formats) -> Result<String> {
    let names = Names::of(model);
    let (order, _) = plain::order(model);
    let checks = Checks { tongue: TargetLanguage::Python, names: &names, formats };
    let used = model.entities.keys().map(|entity| names.upper(entity).to_owned()).collect();
    let mut writer =
        Writer { model, names: &names, checks, classes: Vec::new(), used, ready: HashSet::new() };
    let mut aliases = Vec::new();
    for entity in order {
        let Some(definition) = model.entities.get(entity) else { continue };
        let name = names.upper(entity);
        let about = definition.shape.description.as_deref();
        let plain = plain::of(&definition.shape);
        if let (Plain::Object { fields, open }, rest) = plain.parts() {
            writer.class(name, (fields, *open, rest), about)?;
        } else {
            let text = writer.alias(&definition.shape, name)?;
            aliases.push(format!("{name} = {text}"));
        }
        writer.ready.insert(entity);
    }
    module(model, checks, &writer.classes, &aliases)
}

fn module(
    model: &Model,
    checks: Checks<'_>,
    classes: &[Class],
    aliases: &[String],
) -> Result<String> {
    let bodies: Vec<&str> = classes.iter().map(|class| class.text.as_str()).collect();
    let rebuilt: Vec<String> =
        classes.iter().map(|class| format!("{}.model_rebuild()", class.name)).collect();
    let body = [bodies.join("\n\n\n"), aliases.join("\n"), rebuilt.join("\n")];
    let body: Vec<&str> = body.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let body = body.join("\n\n\n");
    let predicates = predicates(model, checks, &body)?.join("\n");
    let own = runtime::used_of(OWN, &[&body, &predicates].map(String::as_str).join("\n"));
    let runtime =
        runtime::used(&[own.as_str(), &predicates, &body].join("\n"), TargetLanguage::Python);
    let program = [runtime.as_str(), &own, &predicates, &body];
    let program: Vec<&str> = program.into_iter().filter(|part| !part.is_empty()).collect();
    let program = program.join("\n\n\n");
    Ok(format!("{}\n\n\n{program}\n", imports(&program)))
}

/// The imports that a program uses.
fn imports(program: &str) -> String {
    let used = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| runtime::names(program, name)).collect()
    };
    let mut standard = Vec::new();
    for name in ["re", "unicodedata"] {
        if program.contains(&format!("{name}.")) {
            standard.push(format!("import {name}"));
        }
    }
    for (module, names) in [
        ("collections.abc", vec!["Callable"]),
        ("fractions", vec!["Fraction"]),
        ("typing", vec!["Annotated", "Any", "Literal"]),
    ] {
        let names = used(&names);
        if !names.is_empty() {
            standard.push(format!("from {module} import {}", names.join(", ")));
        }
    }
    let pydantic = used(&[
        "AfterValidator",
        "BaseModel",
        "BeforeValidator",
        "ConfigDict",
        "Field",
        "StrictBool",
        "StrictFloat",
        "StrictInt",
        "StrictStr",
        "model_validator",
    ]);
    let mut parts = vec!["from __future__ import annotations".to_owned()];
    parts.extend((!standard.is_empty()).then(|| standard.join("\n")));
    parts.extend(
        (!pydantic.is_empty()).then(|| format!("from pydantic import {}", pydantic.join(", "))),
    );
    parts.join("\n\n")
}

struct Class {
    name: String,
    text: String,
}

struct Writer<'a> {
    model: &'a Model,
    names: &'a Names,
    checks: Checks<'a>,
    classes: Vec<Class>,
    used: HashSet<String>,
    ready: HashSet<&'a str>,
}

impl Writer<'_> {
    /// A type for an entity that is no class: it can name only what is defined before it.
    fn alias(&mut self, shape: &Shape, name: &str) -> Result<String> {
        let plain = plain::of(shape);
        let mut needed = Vec::new();
        plain.references(&mut needed);
        if needed.iter().all(|other| self.ready.contains(other) || self.is_class(other)) {
            self.plain(&plain, name)
        } else {
            Ok(checked("Any", &self.checks.shape(shape)?))
        }
    }

    fn is_class(&self, entity: &str) -> bool {
        let found = self.model.entities.get(entity);
        found.is_some_and(|entity| {
            matches!(plain::of(&entity.shape).parts().0, Plain::Object { .. })
        })
    }

    /// A plain as a type; `path` names the classes that it needs.
    fn plain(&mut self, plain: &Plain, path: &str) -> Result<String> {
        Ok(match plain {
            Plain::Any => "Any".to_owned(),
            Plain::Null => "None".to_owned(),
            Plain::Boolean => "StrictBool".to_owned(),
            Plain::Number { whole, rules } => number(*whole, rules),
            Plain::String(rules) => self.string(rules)?,
            Plain::Words(words) => {
                let list: Vec<String> =
                    words.iter().map(|word| TargetLanguage::Python.text(word)).collect();
                format!("Literal[{}]", list.join(", "))
            }
            Plain::Array { item, rules } => {
                let item = self.plain(item, &format!("{path}Item"))?;
                array(&item, rules)
            }
            Plain::Object { fields, open } => {
                let mut name = path.to_owned();
                let mut number = 2;
                while !self.used.insert(name.clone()) {
                    name = format!("{path}{number}");
                    number += 1;
                }
                self.class(&name, (fields, *open, None), None)?;
                name
            }
            Plain::Map(inner) => {
                format!("dict[StrictStr, {}]", self.plain(inner, &format!("{path}Value"))?)
            }
            Plain::Reference(other) => self.names.upper(other).to_owned(),
            Plain::Nullable(inner) => format!("{} | None", self.plain(inner, path)?),
            Plain::Union(all) => {
                let write = |(at, plain)| self.plain(plain, &format!("{path}{}", at + 1));
                all.iter().enumerate().map(write).collect::<Result<Vec<_>>>()?.join(" | ")
            }
            Plain::Refined(base, rest) => {
                let base = self.plain(base, path)?;
                annotated(&base, &[validator("BeforeValidator", &self.checks.shape(rest)?)])
            }
            Plain::Check(shape) => checked("Any", &self.checks.shape(shape)?),
        })
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let lengths = fields(&[("min_length", rules.min_length), ("max_length", rules.max_length)]);
        let mut parts = Vec::new();
        self.checks.string(
            &StringRules { min_length: None, max_length: None, ..rules.clone() },
            &mut parts,
        )?;
        let mut marks: Vec<String> = lengths.into_iter().collect();
        marks.extend(parts.iter().map(|part| validator("AfterValidator", part)));
        Ok(annotated("StrictStr", &marks))
    }

    fn class(
        &mut self,
        name: &str,
        (members, open, rest): (&[Member], bool, Option<&Shape>),
        about: Option<&str>,
    ) -> Result<()> {
        let mut lines = Vec::new();
        if let Some(about) = about.map(str::trim).filter(|about| !about.is_empty()) {
            let safe = about.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
            let end = if safe.ends_with('"') { " " } else { "" };
            lines.push(format!("\"\"\"{}{end}\"\"\"\n", safe.replace('\n', "\n    ")));
        }
        lines.push(format!(
            "model_config = ConfigDict(extra=\"{}\")\n",
            if open { "allow" } else { "forbid" }
        ));
        let mut taken = HashSet::new();
        for member in members {
            lines.push(self.field(name, member, &mut taken)?);
        }
        if let Some(rest) = rest {
            let check = validator("", &self.checks.shape(rest)?);
            lines.push(format!(
                "\n    @model_validator(mode=\"before\")\n    @classmethod\n    \
                 def fits_schema_(cls, value: Any) -> Any:\n        return {check}(value)"
            ));
        }
        let body: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        let text = format!("class {name}(BaseModel):\n{}", body.join("\n"));
        self.classes.push(Class { name: name.to_owned(), text: text.trim_end().to_owned() });
        Ok(())
    }

    fn field(
        &mut self,
        class: &str,
        member: &Member,
        taken: &mut HashSet<String>,
    ) -> Result<String> {
        let name = field_name(&member.key, taken);
        let inner = self.plain(&member.plain, &format!("{class}{}", names::upper(&member.key)))?;
        let alias = (name != member.key)
            .then(|| format!("alias={}", TargetLanguage::Python.text(&member.key)));
        let may_be_null = matches!(
            &member.plain,
            Plain::Any | Plain::Null | Plain::Nullable(_) | Plain::Check(_)
        );
        let is_open = match &member.plain {
            Plain::Reference(other) => !self.is_class(other),
            Plain::Union(_) => true,
            _ => false,
        };
        let (kind, default) = match (member.required, may_be_null, is_open) {
            (true, ..) => (inner, None),
            (false, true, _) => (inner, Some("None")),
            // What it says of null is its own matter; a default is not looked at.
            (false, false, true) => (inner, Some("Field(default=None)")),
            (false, false, false) => {
                (format!("Annotated[{inner} | None, BeforeValidator(given)]"), Some("None"))
            }
        };
        let value = match (default, alias) {
            (None, None) => String::new(),
            (Some(default), None) => format!(" = {default}"),
            (None, Some(alias)) => format!(" = Field({alias})"),
            (Some(_), Some(alias)) => format!(" = Field(default=None, {alias})"),
        };
        Ok(format!("{name}: {kind}{value}"))
    }
}
