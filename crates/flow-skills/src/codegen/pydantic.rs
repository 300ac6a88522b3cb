//! Renders a model for Pydantic 2. Each object with known members becomes a class; only strings for `UUID`,
//! `AwareDatetime` and similar types are coerced.

mod classes;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::Value;

use super::check::Checks;
use super::kind::{Extra, Kind, Member};
use super::language::{TargetLanguage, quote};
use super::lower::{Known, Lowering, Purpose};
use super::names::{self, Names};
use super::order::Ordered;
use super::pydantic_words::{annotated, array, field, field_name, number, validator};
use super::script::predicates;
use super::syntax::Options;
use super::{pattern, runtime};
use crate::data::{Model, Shape, StringRules};
use crate::output::{Fault, Result};
use crate::reach;
use crate::text::unused;

const LANGUAGE: TargetLanguage = TargetLanguage::Python;
/// The functions that only this target needs.
const HELPERS: &str = include_str!("pydantic.py");

/// Largest number of classes and aliases of a module.
const MOST_DEFINITIONS: usize = 20_000;

/// Pydantic's own types for formats.
const FORMATS: [(&str, &str); 8] = [
    ("date-time", "AwareDatetime"),
    ("date", "dt.date"),
    ("time", "dt.time"),
    ("email", "EmailStr"),
    ("uuid", "UUID"),
    ("uri", "AnyUrl"),
    ("ipv4", "IPv4Address"),
    ("ipv6", "IPv6Address"),
];

/// The modules and the names that are imported from them, in the order of the import lines.
const IMPORTS: [(&str, &str); 7] = [
    ("collections.abc", "Callable"),
    ("fractions", "Fraction"),
    ("ipaddress", "IPv4Address IPv6Address"),
    ("typing", "Annotated Any Literal"),
    ("uuid", "UUID"),
    (
        "pydantic",
        "AfterValidator AnyUrl AwareDatetime BaseModel BeforeValidator ConfigDict EmailStr Field StrictBool StrictFloat \
         StrictInt StrictStr model_validator",
    ),
    ("typing_extensions", "TypeAliasType"),
];
/// Modules that are imported as a whole, by the names that programs use.
const MODULES: [(&str, &str); 3] =
    [("dt", "import datetime as dt"), ("re", "import re"), ("unicodedata", "import unicodedata")];

pub(crate) fn write(model: &Model, options: Options) -> Result<String> {
    let Options { purpose, formats } = options;
    let names = &Names::of(model);
    let known = Known::default();
    let ordered = &Ordered::new(Lowering::new(model, purpose, formats, &known).entities());
    let checks = Checks { language: LANGUAGE, names, formats };
    let used = model.entities.keys().map(|entity| names.upper(entity).to_owned()).collect();
    let (exact, definitions, rebuilt) = (purpose == Purpose::Exact, Vec::new(), Vec::new());
    let open = Vec::new();
    let classes = RefCell::default();
    let mut writer =
        Writer { model, names, checks, exact, ordered, definitions, rebuilt, used, classes, open };
    for (entity, kind) in &ordered.kinds {
        writer.entity(entity, kind)?;
    }
    let mut body = sorted(&writer.definitions).join("\n\n\n");
    if !writer.rebuilt.is_empty() {
        let calls: Vec<String> =
            writer.rebuilt.iter().map(|name| format!("{name}.model_rebuild()")).collect();
        body = format!("{body}\n\n\n{}", calls.join("\n"));
    }
    module(model, checks, &body)
}

fn module(model: &Model, checks: Checks<'_>, body: &str) -> Result<String> {
    let predicates = predicates(model, checks, body)?.join("\n");
    let helpers = runtime::used_of(HELPERS, &[body, &predicates].join("\n"), LANGUAGE);
    let functions = runtime::used(&[&helpers, &predicates, body].join("\n"), LANGUAGE);
    let program = joined(&[&functions, &helpers, &predicates, body], "\n\n\n");
    Ok(format!("{}\n\n\n{program}\n", imports(&program)))
}

fn imports(program: &str) -> String {
    let is_used = |name: &&str| runtime::mentions(program, name);
    let whole = MODULES.iter().filter(|(name, _)| is_used(name));
    let mut standard: Vec<String> = whole.map(|(_, line)| (*line).to_owned()).collect();
    let mut others: Vec<String> = Vec::new();
    for (module, names) in IMPORTS {
        let used: Vec<&str> = names.split_ascii_whitespace().filter(is_used).collect();
        let is_standard = !matches!(module, "pydantic" | "typing_extensions");
        let lines = if is_standard { &mut standard } else { &mut others };
        if !used.is_empty() {
            lines.push(format!("from {module} import {}", used.join(", ")));
        }
    }
    let parts = [standard.join("\n"), others.join("\n")];
    joined(&["from __future__ import annotations", &parts[0], &parts[1]], "\n\n")
}

fn joined(parts: &[&str], gap: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(gap)
}

struct Class {
    bases: Vec<String>,
    members: Vec<Member>,
    extra: Extra,
    rest: Vec<Rc<Shape>>,
}

struct Definition {
    name: String,
    /// The classes and aliases that Python evaluates at this definition.
    needs: Vec<String>,
    text: String,
}

/// Definitions, each after those that it needs.
fn sorted(definitions: &[Definition]) -> Vec<&str> {
    let places: HashMap<&str, usize> =
        definitions.iter().enumerate().map(|(at, own)| (own.name.as_str(), at)).collect();
    let needs = |own: &Definition| {
        own.needs.iter().filter_map(|name| places.get(name.as_str()).copied()).collect()
    };
    let next: Vec<Vec<usize>> = definitions.iter().map(needs).collect();
    let order = reach::finishing_order(&next);
    order.into_iter().map(|at| definitions[at].text.as_str()).collect()
}

struct Writer<'a> {
    model: &'a Model,
    names: &'a Names,
    checks: Checks<'a>,
    exact: bool,
    ordered: &'a Ordered<'a>,
    definitions: Vec<Definition>,
    /// Classes that refer to something that is defined later.
    rebuilt: Vec<String>,
    used: HashSet<String>,
    /// The class of each entity that was asked for.
    classes: RefCell<HashMap<String, Option<Rc<Class>>>>,
    /// The intersections whose classes are being written: one may have itself as a member.
    open: Vec<Kind>,
}

impl Writer<'_> {
    fn entity(&mut self, entity: &str, kind: &Kind) -> Result<()> {
        let name = self.names.upper(entity).to_owned();
        let shape = self.model.entities.get(entity).map(|entity| &entity.shape);
        let about = shape.and_then(|shape| shape.description.as_deref());
        if let Some(class) = self.as_class(kind) {
            self.class_of_kind(&name, kind, &class, about)?;
            if self.ordered.recursive.contains(entity) {
                self.rebuilt.push(name);
            }
            return Ok(());
        }
        let nested = self.definitions.len();
        let text = self.kind(kind, &name)?;
        let mut named = Vec::new();
        kind.references(&mut named);
        // An alias is evaluated at its definition, so its references must be defined before, or quoted.
        // `None` alone is a value, not a type, for a type checker.
        let is_early =
            text == "None" || named.iter().any(|other| !self.ordered.is_before(other, entity));
        let (needs, text) = if is_early {
            let text = quote(&text);
            (Vec::new(), format!("{name} = TypeAliasType(\"{name}\", {text})"))
        } else {
            let named = named.into_iter().map(|other| self.names.upper(other).to_owned());
            let nested = self.definitions[nested..].iter().map(|own| own.name.clone());
            (named.chain(nested).collect(), format!("{name} = {text}"))
        };
        self.definitions.push(Definition { name, needs, text });
        Ok(())
    }

    /// A kind as a type; the names of the classes that it needs are derived from `path`.
    fn kind(&mut self, kind: &Kind, path: &str) -> Result<String> {
        if let Kind::Intersection { shape, .. } = kind
            && self.open.contains(kind)
        {
            return self.refined("dict[StrictStr, Any]", shape);
        }
        if let Some(class) = self.as_class(kind).filter(|_| !self.open.contains(kind.base())) {
            let name = self.free(path);
            self.class_of_kind(&name, kind, &class, None)?;
            return Ok(name);
        }
        Ok(match kind {
            Kind::Any => "Any".to_owned(),
            Kind::Never => annotated("Any", &[validator("AfterValidator", "nothing()")]),
            Kind::Null => "None".to_owned(),
            Kind::Boolean => "StrictBool".to_owned(),
            Kind::Number { whole, rules } => number(*whole, rules, self.exact),
            Kind::String(rules) => self.string(rules)?,
            Kind::Literal(values) => literal(values),
            Kind::Array { item, rules } => {
                let is_scalar = item.is_scalar() && !self.exact;
                let item = self.kind(item, &format!("{path}Item"))?;
                array(&item, rules, is_scalar)
            }
            Kind::Tuple { items, required, rest, shape } => {
                let fixed = rest.is_none() && *required == items.len();
                self.tuple(items, rest.as_deref(), shape, path, fixed)?
            }
            Kind::Map { key, value, .. } => {
                let key = match key {
                    Some(key) => self.kind(key, path)?,
                    None => "StrictStr".to_owned(),
                };
                format!("dict[{key}, {}]", self.kind(value, &format!("{path}Value"))?)
            }
            Kind::Reference(other) => self.names.upper(other).to_owned(),
            Kind::Nullable(inner) => format!("{} | None", self.kind(inner, path)?),
            Kind::Union { branches, tag } => self.union(branches, tag.as_deref(), path)?,
            Kind::Intersection { parts, shape } => match self.distributed(parts, shape) {
                Some(union) => self.kind(&union, path)?,
                None => self.refined("dict[StrictStr, Any]", shape)?,
            },
            Kind::Refined { base, rest, .. } => {
                let base = self.kind(base, path)?;
                self.refined(&base, rest)?
            }
            Kind::Object { .. } => "dict[StrictStr, Any]".to_owned(),
        })
    }

    fn class_of_kind(
        &mut self,
        name: &str,
        kind: &Kind,
        class: &Class,
        about: Option<&str>,
    ) -> Result<()> {
        if self.definitions.len() >= MOST_DEFINITIONS {
            let text = format!("the model needs over {MOST_DEFINITIONS} classes, the limit");
            return Err(Fault::Refused(text));
        }
        let is_intersection = matches!(kind.base(), Kind::Intersection { .. });
        self.open.extend(is_intersection.then(|| kind.base().clone()));
        self.class(name, class, about)?;
        if is_intersection {
            self.open.pop();
        }
        Ok(())
    }

    /// A type with predicates that check the value before its conversion.
    fn refined(&self, base: &str, rest: &Shape) -> Result<String> {
        let kind = if base == "Any" { "AfterValidator" } else { "BeforeValidator" };
        let checks = self.checks.refinements(rest)?;
        let marks: Vec<String> = checks.iter().map(|check| validator(kind, check)).collect();
        Ok(annotated(base, &marks))
    }

    fn tuple(
        &mut self,
        items: &[Kind],
        rest: Option<&Kind>,
        shape: &Shape,
        path: &str,
        fixed: bool,
    ) -> Result<String> {
        let mut texts = Vec::new();
        for (at, kind) in items.iter().chain(rest).enumerate() {
            let text = self.kind(kind, &format!("{path}Item{}", at + 1))?;
            if fixed || !texts.contains(&text) {
                texts.push(text);
            }
        }
        if fixed && !texts.is_empty() {
            return Ok(format!("tuple[{}]", texts.join(", ")));
        }
        let is_any = texts.is_empty() || texts.iter().any(|text| text == "Any");
        let item = if is_any { "Any".to_owned() } else { texts.join(" | ") };
        let rules = Shape { types: Vec::new(), ..shape.clone() };
        self.refined(&format!("list[{item}]"), &rules)
    }

    fn union(&mut self, branches: &[Kind], tag: Option<&str>, path: &str) -> Result<String> {
        let mut texts = Vec::new();
        for (at, kind) in branches.iter().enumerate() {
            let word = tag.and_then(|tag| word_of(kind, tag));
            let suffix = word.map_or_else(|| (at + 1).to_string(), names::upper_end);
            texts.push(self.kind(kind, &format!("{path}{suffix}"))?);
        }
        let all = texts.join(" | ");
        let is_attribute = |tag: &&str| field_name(tag, "", &mut HashSet::new()) == **tag;
        let is_told = |tag: &&str| branches.iter().all(|kind| self.has_literal(kind, tag));
        Ok(match tag.filter(is_attribute).filter(is_told) {
            Some(tag) => format!("Annotated[{all}, Field(discriminator=\"{tag}\")]"),
            None => all,
        })
    }

    /// Whether a kind is a class whose member of this name has a literal type alone, as a discriminator must.
    fn has_literal(&self, kind: &Kind, member: &str) -> bool {
        let class = match kind {
            Kind::Reference(entity) => self.class_of(entity),
            Kind::Object { .. } => self.as_class(kind).map(Rc::new),
            _ => None,
        };
        let is_literal = |own: &Member| own.key == member && matches!(own.kind, Kind::Literal(_));
        class.is_some_and(|class| class.members.iter().any(is_literal))
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let format = rules.format.as_deref();
        let own = FORMATS.iter().find(|(name, _)| Some(*name) == format && !self.exact);
        let mut left = StringRules { min_length: None, max_length: None, ..rules.clone() };
        let base = match own {
            // After parsing these are not strings, and have other lengths.
            Some((_, word)) if *word != "EmailStr" => return Ok((*word).to_owned()),
            Some((_, word)) => {
                left.format = None;
                word
            }
            None => "StrictStr",
        };
        let native = left.pattern.take_if(|text| !self.exact && pattern::is_linear(text));
        let given = [
            ("min_length", rules.min_length.map(|least| least.to_string())),
            ("max_length", rules.max_length.map(|most| most.to_string())),
            ("pattern", native.map(|text| pattern::raw(&text))),
        ];
        let mut marks: Vec<String> = field(given).into_iter().collect();
        let mut parts = Vec::new();
        self.checks.string(&left, &mut parts)?;
        marks.extend(parts.iter().map(|part| validator("AfterValidator", part)));
        Ok(annotated(base, &marks))
    }

    fn free(&mut self, path: &str) -> String {
        unused(path, |name| self.used.insert(name.to_owned()))
    }
}

/// The only value of the member of an object that distinguishes it from the others of a union.
fn word_of<'k>(kind: &'k Kind, tag: &str) -> Option<&'k str> {
    let Kind::Object { fields, .. } = kind else { return None };
    match &fields.iter().find(|field| field.key == tag)?.kind {
        Kind::Literal(words) if words.len() == 1 => words[0].as_str(),
        _ => None,
    }
}

fn literal(values: &[Value]) -> String {
    let (floats, others): (Vec<&Value>, Vec<&Value>) =
        values.iter().partition(|value| value.is_f64());
    let list = |values: Vec<&Value>| {
        let list: Vec<_> = values.into_iter().map(|value| LANGUAGE.value(value)).collect();
        (!list.is_empty()).then(|| list.join(", "))
    };
    let literal = list(others).map(|list| format!("Literal[{list}]"));
    // A float cannot be in a literal type of Python.
    let check =
        list(floats).map(|list| validator("BeforeValidator", &format!("equals_any({list})")));
    let checked = check.map(|check| annotated("StrictFloat", &[check]));
    literal.into_iter().chain(checked).collect::<Vec<_>>().join(" | ")
}
