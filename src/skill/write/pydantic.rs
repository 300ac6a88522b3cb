//! Writes a model as a module for Pydantic 2. A class stands for each object with known members; nothing is coerced.

use std::collections::HashSet;

use super::check::Checks;
use super::literal::Tongue;
use super::names::{self, Names};
use super::plain::{self, Member, Plain};
use super::runtime;
use super::script::{predicates, words};
use crate::skill::data::{ArrayRules, Model, NumberRules, Shape, StringRules};
use crate::skill::output::Result;

/// The small functions that only this target needs.
const OWN: &str = include_str!("pydantic.py");
/// Names that a field would hide, or that a model has already.
const TAKEN: [&str; 62] = [
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "construct",
    "continue",
    "copy",
    "def",
    "del",
    "dict",
    "elif",
    "else",
    "except",
    "finally",
    "float",
    "for",
    "from",
    "from_orm",
    "global",
    "if",
    "import",
    "in",
    "int",
    "is",
    "json",
    "lambda",
    "list",
    "nonlocal",
    "not",
    "or",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "pass",
    "raise",
    "return",
    "schema",
    "schema_json",
    "set",
    "str",
    "try",
    "tuple",
    "type",
    "update_forward_refs",
    "validate",
    "while",
    "with",
    "yield",
    "bool",
    "bytes",
    "re",
    "unicodedata",
    "holds",
    "given",
    "integral",
    "object",
];

/// A model as a module; `formats` says whether `format` is asserted.
///
/// # Errors
/// When a pattern is no regular expression, or one that Python cannot express.
pub fn write(model: &Model, formats: bool) -> Result<String> {
    let names = Names::of(model);
    let (order, _) = plain::order(model);
    let checks = Checks { tongue: Tongue::Python, names: &names, formats };
    let used = model.entities.keys().map(|entity| names.upper(entity).to_owned()).collect();
    let mut writer =
        Writer { model, names: &names, checks, classes: Vec::new(), used, ready: HashSet::new() };
    let mut aliases = Vec::new();
    for entity in order {
        let Some(definition) = model.entities.get(entity) else { continue };
        let name = names.upper(entity);
        if let Plain::Object { fields, open } = plain::of(&definition.shape) {
            writer.class(name, (&fields, open), definition.shape.description.as_deref())?;
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
    let runtime = runtime::used(&[own.as_str(), &predicates, &body].join("\n"), Tongue::Python);
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
        found.is_some_and(|entity| matches!(plain::of(&entity.shape), Plain::Object { .. }))
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
                    words.iter().map(|word| Tongue::Python.text(word)).collect();
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
                self.class(&name, (fields, *open), None)?;
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
        (members, open): (&[Member], bool),
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
        let alias =
            (name != member.key).then(|| format!("alias={}", Tongue::Python.text(&member.key)));
        let may_be_null = matches!(
            &member.plain,
            Plain::Any | Plain::Null | Plain::Nullable(_) | Plain::Check(_)
        );
        let vague = match &member.plain {
            Plain::Reference(other) => !self.is_class(other),
            Plain::Union(_) => true,
            _ => false,
        };
        let (kind, default) = match (member.required, may_be_null, vague) {
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

/// A member's name as an attribute that is free in the class.
fn field_name(key: &str, taken: &mut HashSet<String>) -> String {
    let mut name: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name = name.trim_start_matches('_').to_owned();
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || name.starts_with("model_")
    {
        name.insert_str(0, "field_");
    }
    // A capital letter begins the names of types, which a field must not hide.
    let hides = name.starts_with(|c: char| c.is_ascii_uppercase()) || runtime::is_defined(&name);
    if hides || TAKEN.contains(&name.as_str()) {
        name.push('_');
    }
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

fn annotated(base: &str, marks: &[String]) -> String {
    if marks.is_empty() {
        base.to_owned()
    } else {
        format!("Annotated[{base}, {}]", marks.join(", "))
    }
}

fn checked(base: &str, check: &str) -> String {
    annotated(base, &[validator("AfterValidator", check)])
}

fn validator(kind: &str, check: &str) -> String {
    format!("{kind}(holds({check}, {}))", Tongue::Python.text(&words(check)))
}

fn fields(rules: &[(&str, Option<u64>)]) -> Option<String> {
    let given: Vec<String> =
        rules.iter().filter_map(|(name, count)| Some(format!("{name}={}", (*count)?))).collect();
    (!given.is_empty()).then(|| format!("Field({})", given.join(", ")))
}

fn number(whole: bool, rules: &NumberRules) -> String {
    let bounds = [
        ("ge", &rules.minimum),
        ("le", &rules.maximum),
        ("gt", &rules.exclusive_minimum),
        ("lt", &rules.exclusive_maximum),
    ];
    let given: Vec<String> = bounds
        .into_iter()
        .filter_map(|(name, bound)| Some(format!("{name}={}", bound.as_ref()?)))
        .collect();
    let mut marks = Vec::new();
    if whole {
        marks.push("BeforeValidator(integral)".to_owned());
    }
    if !given.is_empty() {
        marks.push(format!("Field({})", given.join(", ")));
    }
    if let Some(step) = &rules.multiple_of {
        marks.push(validator("BeforeValidator", &format!("multiple_of({step})")));
    }
    annotated(if whole { "StrictInt" } else { "StrictFloat" }, &marks)
}

fn array(item: &str, rules: &ArrayRules) -> String {
    let mut marks: Vec<String> =
        fields(&[("min_length", rules.min_items), ("max_length", rules.max_items)])
            .into_iter()
            .collect();
    if rules.unique_items {
        marks.push(validator("BeforeValidator", "unique_items()"));
    }
    annotated(&format!("list[{item}]"), &marks)
}
