//! Writes a model for Pydantic 2. Each object with known members becomes a class; only strings for `UUID`,
//! `AwareDatetime` and similar types are coerced.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::kind::{Extra, Form, Kind, Member, Size};
use super::language::{self, Names, TargetLanguage, quote};
use super::order::Ordered;
use super::unchecked::{DEFAULT, Unchecked};
use super::{lower, pattern};
use crate::data::{Model, NumberRules, StringRules};
use crate::output::Result;
use crate::text::unused;

const LANGUAGE: TargetLanguage = TargetLanguage::Python;

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
const IMPORTS: [(&str, &str); 6] = [
    ("decimal", "Decimal"),
    ("ipaddress", "IPv4Address IPv6Address"),
    ("typing", "Annotated Any Literal"),
    ("uuid", "UUID"),
    (
        "pydantic",
        "AnyUrl AwareDatetime BaseModel ConfigDict EmailStr Field StrictBool StrictFloat \
         StrictInt StrictStr",
    ),
    ("typing_extensions", "TypeAliasType"),
];

pub(crate) fn write(model: &Model, unchecked: &Unchecked) -> Result<String> {
    let ordered = &Ordered::new(lower::entities(model, unchecked));
    let names = &Names::of(model);
    let mut writer = Writer {
        model,
        names,
        ordered,
        unchecked,
        definitions: Vec::new(),
        used: model.entities.keys().map(|entity| names.upper(entity).to_owned()).collect(),
        words: RefCell::default(),
    };
    for (entity, kind) in &ordered.kinds {
        unchecked.enter(entity);
        writer.entity(entity, kind)?;
    }
    let body = writer.definitions.join("\n\n\n");
    let words = writer.words.borrow();
    Ok(format!("{}\n\n\n{body}\n", imports(&words)))
}

fn imports(words: &BTreeSet<&'static str>) -> String {
    let (mut standard, mut others) = (Vec::new(), Vec::new());
    if words.contains("dt") {
        standard.push("import datetime as dt".to_owned());
    }
    for (module, names) in IMPORTS {
        let used: Vec<&str> =
            names.split_ascii_whitespace().filter(|name| words.contains(name)).collect();
        let is_standard = !matches!(module, "pydantic" | "typing_extensions");
        let lines = if is_standard { &mut standard } else { &mut others };
        if !used.is_empty() {
            lines.push(format!("from {module} import {}", used.join(", ")));
        }
    }
    let parts =
        ["from __future__ import annotations".to_owned(), standard.join("\n"), others.join("\n")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

struct Writer<'a> {
    model: &'a Model,
    names: &'a Names,
    ordered: &'a Ordered<'a>,
    unchecked: &'a Unchecked,
    /// Classes and aliases, each after those that Python evaluates at it.
    definitions: Vec<String>,
    used: HashSet<String>,
    /// The names of modules that the program uses.
    words: RefCell<BTreeSet<&'static str>>,
}

impl Writer<'_> {
    /// A name that is imported.
    fn word(&self, word: &'static str) -> &'static str {
        self.words.borrow_mut().insert(word.split('.').next().unwrap_or(word));
        word
    }

    fn entity(&mut self, entity: &str, kind: &Kind) -> Result<()> {
        let name = self.names.upper(entity).to_owned();
        let shape = self.model.entities.get(entity).map(|entity| &entity.shape);
        let about = shape.and_then(|shape| shape.description.as_deref());
        if let Kind::Object { fields, extra } = kind {
            self.class(&name, fields, *extra, about)?;
        } else {
            let text = self.kind(kind, &name)?;
            let mut named = Vec::new();
            kind.references(&mut named);
            // An alias is evaluated at its definition, so its references must be defined before, or quoted.
            // `None` alone is a value, not a type, for a type checker.
            let is_early =
                text == "None" || named.iter().any(|other| !self.ordered.is_before(other, entity));
            self.definitions.push(if is_early {
                let word = self.word("TypeAliasType");
                format!("{name} = {word}(\"{name}\", {})", quote(&text))
            } else {
                format!("{name} = {text}")
            });
        }
        if let (Some(note), Some(own)) =
            (self.unchecked.comment(entity), self.definitions.last_mut())
        {
            own.insert_str(0, &format!("# {note}\n"));
        }
        Ok(())
    }

    /// A kind as a type; the names of the classes that it needs are derived from `path`.
    fn kind(&mut self, kind: &Kind, path: &str) -> Result<String> {
        Ok(match kind {
            Kind::Any => self.word("Any").to_owned(),
            Kind::Null => "None".to_owned(),
            Kind::Boolean => self.word("StrictBool").to_owned(),
            Kind::Number { form, rules } => self.number(*form, rules),
            Kind::String(rules) => self.string(rules)?,
            Kind::Literal(values) => self.literal(values),
            Kind::Array { item, size } => {
                let item = self.kind(item, &format!("{path}Item"))?;
                self.array(&item, size)
            }
            Kind::Tuple(items) => {
                let each = items.iter().enumerate();
                let texts =
                    each.map(|(at, kind)| self.kind(kind, &format!("{path}Item{}", at + 1)));
                format!("tuple[{}]", texts.collect::<Result<Vec<_>>>()?.join(", "))
            }
            Kind::Map(value) => {
                let key = self.word("StrictStr");
                format!("dict[{key}, {}]", self.kind(value, &format!("{path}Value"))?)
            }
            Kind::Reference(other) => self.names.upper(other).to_owned(),
            Kind::Nullable(inner) => format!("{} | None", self.kind(inner, path)?),
            Kind::Union(branches) => {
                let each = branches.iter().enumerate();
                let texts = each.map(|(at, kind)| self.kind(kind, &format!("{path}{}", at + 1)));
                texts.collect::<Result<Vec<_>>>()?.join(" | ")
            }
            Kind::Object { fields, extra } => {
                let name = unused(path, |name| self.used.insert(name.to_owned()));
                self.class(&name, fields, *extra, None)?;
                name
            }
        })
    }

    fn annotated(&self, base: &str, marks: &[String]) -> String {
        if marks.is_empty() {
            return base.to_owned();
        }
        format!("{}[{base}, {}]", self.word("Annotated"), marks.join(", "))
    }

    /// `Field(…)` with the keyword arguments that have a value; nothing without any.
    fn field<'n>(&self, rules: impl IntoIterator<Item = (&'n str, Option<String>)>) -> Vec<String> {
        let given =
            rules.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let given: Vec<String> = given.collect();
        let field = || format!("{}({})", self.word("Field"), given.join(", "));
        (!given.is_empty()).then(field).into_iter().collect()
    }

    fn number(&self, form: Form, rules: &NumberRules) -> String {
        let bounds = [
            ("ge", "minimum", &rules.minimum),
            ("le", "maximum", &rules.maximum),
            ("gt", "exclusiveMinimum", &rules.exclusive_minimum),
            ("lt", "exclusiveMaximum", &rules.exclusive_maximum),
            ("multiple_of", "multipleOf", &rules.multiple_of),
        ];
        let given = bounds.map(|(word, keyword, bound)| {
            let Some(bound) = bound else { return (word, None) };
            if form == Form::Whole && !bound.is_i64() {
                // Pydantic takes no float as the bound of an integer.
                self.unchecked.add(keyword);
                return (word, None);
            }
            (word, Some(bound.to_string()))
        });
        let base = self.word(match form {
            Form::Any => "StrictFloat",
            Form::Whole => "StrictInt",
            Form::Decimal(_) => "Decimal",
        });
        let digits = if let Form::Decimal(digits) = form { digits } else { None };
        let digits = [
            ("max_digits", digits.map(|digits| digits.precision.to_string())),
            ("decimal_places", digits.map(|digits| digits.scale.to_string())),
        ];
        self.annotated(base, &self.field(given.into_iter().chain(digits)))
    }

    fn array(&self, item: &str, size: &Size) -> String {
        let given = [("min_length", size.least), ("max_length", size.most)];
        let given = given.map(|(name, count)| (name, count.map(|count| count.to_string())));
        if size.unique {
            self.unchecked.add("uniqueItems");
        }
        self.annotated(&format!("list[{item}]"), &self.field(given))
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let format = rules.format.as_deref();
        let base = FORMATS.iter().find(|(name, _)| Some(*name) == format);
        let base = self.word(base.map_or("StrictStr", |(_, word)| word));
        // After parsing the others are not strings.
        if !matches!(base, "StrictStr" | "EmailStr") {
            return Ok(base.to_owned());
        }
        let pattern = rules.pattern.as_deref().map(pattern::python_literal).transpose()?;
        if pattern == Some(None) {
            self.unchecked.add("pattern");
        }
        let marks = self.field([
            ("min_length", rules.min_length.map(|least| least.to_string())),
            ("max_length", rules.max_length.map(|most| most.to_string())),
            ("pattern", pattern.flatten()),
        ]);
        Ok(self.annotated(base, &marks))
    }

    fn literal(&self, values: &[Value]) -> String {
        if values.iter().any(Value::is_f64) {
            // A float cannot be in a literal type of Python.
            self.unchecked.add("enum");
            return self.word("Any").to_owned();
        }
        format!("{}[{}]", self.word("Literal"), LANGUAGE.values(values))
    }

    /// The default of a member, if it is of the type that the kind has in Python.
    fn default(&self, member: &Member) -> Option<String> {
        let value = member.default.as_ref()?;
        let text = LANGUAGE.value(value);
        match member.kind.not_null() {
            _ if value.is_null() => Some(text),
            Kind::String(StringRules { format: Some(format), .. }) if format != "email" => {
                self.unchecked.within(&member.key, || self.unchecked.add(DEFAULT));
                None
            }
            Kind::Number { form: Form::Decimal(_), .. } => {
                Some(format!("{}(\"{text}\")", self.word("Decimal")))
            }
            _ => Some(text),
        }
    }
}

impl Writer<'_> {
    /// Writes an object with members as a class.
    fn class(
        &mut self,
        name: &str,
        members: &[Member],
        extra: Extra,
        about: Option<&str>,
    ) -> Result<()> {
        let mut lines = Vec::new();
        if let Some(about) = about.map(str::trim).filter(|about| !about.is_empty()) {
            lines.push(format!("\"\"\"{}\"\"\"\n", docstring(about)));
        }
        let config = match extra {
            Extra::Unspecified => None,
            Extra::Forbidden => Some("forbid"),
            Extra::Allowed => Some("allow"),
        };
        if let Some(config) = config {
            lines.push(format!("model_config = {}(extra=\"{config}\")\n", self.word("ConfigDict")));
        }
        let mut kinds = Vec::new();
        for member in members {
            let path = format!("{name}{}", language::upper(&member.key));
            let unchecked = self.unchecked;
            kinds.push(unchecked.within(&member.key, || self.kind(&member.kind, &path))?);
        }
        let mut taken = HashSet::new();
        for (member, kind) in members.iter().zip(kinds) {
            let is_type =
                |name: &str| self.used.contains(name) || self.words.borrow().contains(name);
            let attribute = language::attribute(&member.key, &mut taken, is_type);
            lines.push(self.attribute(&attribute, member, kind));
        }
        if lines.is_empty() {
            lines.push("pass".to_owned());
        }
        let body: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        let base = self.word("BaseModel");
        let text = format!("class {name}({base}):\n{}", body.join("\n").trim_end());
        self.definitions.push(text);
        Ok(())
    }

    /// An attribute; `inner` is the type of the member.
    fn attribute(&self, name: &str, member: &Member, inner: String) -> String {
        let accepts_null = matches!(
            self.ordered.resolved(&member.kind),
            Kind::Any | Kind::Null | Kind::Nullable(_)
        );
        let default = self.default(member);
        let is_present = member.required || accepts_null || default.is_some();
        let kind = if is_present { inner } else { format!("{inner} | None") };
        let default = default.or_else(|| (!member.required).then(|| "None".to_owned()));
        let mut given: Vec<String> = Vec::new();
        if name != member.key {
            given.push(format!("alias={}", quote(&member.key)));
        }
        let about = member.description.as_deref().map(str::trim).filter(|about| !about.is_empty());
        given.extend(about.map(|about| format!("description={}", quote(about))));
        match (given.as_slice(), default) {
            ([], None) => format!("{name}: {kind}"),
            ([], Some(default)) => format!("{name}: {kind} = {default}"),
            (_, default) => {
                given.splice(0..0, default.map(|default| format!("default={default}")));
                format!("{name}: {kind} = {}({})", self.word("Field"), given.join(", "))
            }
        }
    }
}

/// The inside of a docstring, indented.
fn docstring(text: &str) -> String {
    let inside = |line: &str| {
        let quoted = quote(line);
        quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
    };
    text.split('\n').map(inside).collect::<Vec<_>>().join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::docstring;

    #[test]
    fn a_docstring_has_no_nul_and_does_not_end_early() {
        assert_eq!(docstring("a\0b\u{9b}"), "a\\u0000b\\u009b");
        assert_eq!(docstring("\"\"\"\\"), "\\\"\\\"\\\"\\\\");
        assert_eq!(docstring("one\n\ttwo"), "one\n    \\ttwo");
    }
}
