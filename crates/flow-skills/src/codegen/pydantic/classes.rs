//! Pydantic classes: which kinds become one, and how its body is written.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::{Definition, Writer};
use crate::codegen::kind::{Extra, Kind, Member};
use crate::codegen::language;
use crate::codegen::language::quote;
use crate::codegen::order::Extension;
use crate::output::Result;

/// What a class declares.
struct Class {
    bases: Vec<String>,
    members: Vec<Member>,
    extra: Extra,
}

impl Writer<'_> {
    /// Writes a kind as a class, if it is an object with members, possibly with base classes.
    pub(super) fn class(&mut self, name: &str, kind: &Kind, about: Option<&str>) -> Result<bool> {
        let class = match kind {
            Kind::Object { fields, extra } => {
                Class { bases: Vec::new(), members: fields.clone(), extra: extra.clone() }
            }
            Kind::Intersection(_) if self.open.contains(kind) => return Ok(false),
            Kind::Intersection(parts) => match self.intersection(kind, parts) {
                Some(class) => class,
                None => return Ok(false),
            },
            _ => return Ok(false),
        };
        self.refuse_too_many()?;
        let is_intersection = matches!(kind, Kind::Intersection(_));
        self.open.extend(is_intersection.then(|| kind.clone()));
        self.body(name, &class, about)?;
        if is_intersection {
            self.open.pop();
        }
        Ok(true)
    }

    /// The class of several objects at once: with bases, if Python's types allow its members beside theirs, else with
    /// all members of its own.
    fn intersection(&self, kind: &Kind, parts: &[Kind]) -> Option<Class> {
        let members = self.ordered.members(kind)?;
        let is_allowed = |part: &Kind| {
            matches!(self.ordered.resolved(part), Kind::Object { extra: Extra::Allowed, .. })
        };
        let extra = if parts.iter().any(is_allowed) { Extra::Allowed } else { Extra::Unspecified };
        let whole = Class { bases: Vec::new(), members, extra: extra.clone() };
        let Some(Extension { bases, added }) = self.ordered.extension(kind) else {
            return Some(whole);
        };
        let inherited: Vec<Member> =
            bases.iter().filter_map(|base| self.members_of(base)).flatten().collect();
        if !can_override(&inherited, &added) || !self.are_classes(&bases) {
            return Some(whole);
        }
        // Python refuses a base before one that inherits from it.
        let is_inherited =
            |name: &str| bases.iter().any(|base| *base != name && self.inherits(base, name));
        let bases = bases.iter().filter(|base| !is_inherited(base));
        Some(Class { bases: bases.map(|base| (*base).to_owned()).collect(), members: added, extra })
    }

    fn members_of(&self, entity: &str) -> Option<Vec<Member>> {
        self.ordered.members(self.ordered.kinds.get(entity)?)
    }

    fn are_classes(&self, entities: &[&str]) -> bool {
        let is_class = |entity: &&str| {
            let kind = self.ordered.kinds.get(*entity);
            kind.is_some_and(|kind| matches!(kind, Kind::Object { .. } | Kind::Intersection(_)))
        };
        entities.iter().all(is_class)
    }

    /// Whether an entity extends another, directly or through others.
    fn inherits(&self, entity: &str, from: &str) -> bool {
        match self.ordered.kinds.get(entity) {
            Some(Kind::Intersection(parts)) => parts.iter().any(|part| match part {
                Kind::Reference(base) => base == from || self.inherits(base, from),
                _ => false,
            }),
            _ => false,
        }
    }

    fn body(&mut self, name: &str, class: &Class, about: Option<&str>) -> Result<()> {
        let mut lines = Vec::new();
        if let Some(about) = about.map(str::trim).filter(|about| !about.is_empty()) {
            let safe = docstring(about);
            let end = if safe.ends_with('"') { " " } else { "" };
            lines.push(format!("\"\"\"{}{end}\"\"\"\n", safe.replace('\n', "\n    ")));
        }
        let extra = match &class.extra {
            Extra::Unspecified => None,
            Extra::Forbidden => Some("forbid"),
            Extra::Allowed | Extra::Typed(_) => Some("allow"),
        };
        if let Some(extra) = extra {
            lines.push(format!("model_config = {}(extra=\"{extra}\")\n", self.word("ConfigDict")));
        }
        if let Extra::Typed(kind) = &class.extra {
            let value = self.kind(kind, &format!("{name}Value"))?;
            lines.push(format!("__pydantic_extra__: dict[str, {value}]\n"));
        }
        let mut kinds = Vec::new();
        for member in &class.members {
            let path = format!("{name}{}", language::upper(&member.key));
            let unchecked = self.unchecked;
            kinds.push(unchecked.within(&member.key, || self.kind(&member.kind, &path))?);
        }
        let mut taken = HashSet::new();
        for (member, kind) in class.members.iter().zip(kinds) {
            let is_type =
                |name: &str| self.used.contains(name) || self.words.borrow().contains(name);
            let attribute = language::attribute(&member.key, &mut taken, is_type);
            lines.push(self.attribute(&attribute, member, kind));
        }
        if lines.is_empty() {
            lines.push("pass".to_owned());
        }
        let body: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        let needs: Vec<String> =
            class.bases.iter().map(|base| self.names.upper(base).to_owned()).collect();
        let bases =
            if needs.is_empty() { self.word("BaseModel").to_owned() } else { needs.join(", ") };
        let text = format!("class {name}({bases}):\n{}", body.join("\n").trim_end());
        self.definitions.push(Definition { name: name.to_owned(), needs, text });
        Ok(())
    }

    /// An attribute; `inner` is the type of the member.
    fn attribute(&self, name: &str, member: &Member, inner: String) -> String {
        let accepts_null = matches!(
            self.ordered.resolved(&member.kind),
            Kind::Any | Kind::Null | Kind::Nullable(_) | Kind::Never
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

/// Whether a type checker allows a class to declare members beside the inherited ones: an attribute of several members
/// must be the same, or a narrower literal.
fn can_override(inherited: &[Member], added: &[Member]) -> bool {
    let attribute =
        |member: &Member| language::attribute(&member.key, &mut HashSet::new(), |_| false);
    let mut known: HashMap<String, &Member> = HashMap::new();
    for member in inherited {
        let is_other = |other: &Member| {
            (&other.key, &other.kind, other.required)
                != (&member.key, &member.kind, member.required)
        };
        if known.insert(attribute(member), member).is_some_and(is_other) {
            return false;
        }
    }
    added.iter().all(|member| match known.get(&attribute(member)) {
        None => true,
        Some(base) if base.key != member.key => false,
        Some(base) => {
            // A class inside the member would be another one than that of the base.
            let is_same = member.kind == base.kind && !has_objects(&member.kind);
            is_same || base.kind == Kind::Any || matches!(member.kind, Kind::Literal(_))
        }
    })
}

fn has_objects(kind: &Kind) -> bool {
    matches!(kind, Kind::Object { .. } | Kind::Intersection(_))
        || kind.children().into_iter().any(has_objects)
}
/// A text inside a docstring. Python source cannot contain NUL, and other control characters are not useful either.
fn docstring(text: &str) -> String {
    let quoted = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let mut safe = String::with_capacity(quoted.len());
    for c in quoted.chars() {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            _ = write!(safe, "\\x{:02x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::docstring;

    #[test]
    fn a_docstring_has_no_nul_and_does_not_end_early() {
        assert_eq!(docstring("a\0b\u{9b}"), "a\\x00b\\x9b");
        assert_eq!(docstring("\"\"\"\\"), "\\\"\\\"\\\"\\\\");
        assert_eq!(docstring("one\n\ttwo"), "one\n\ttwo");
    }
}
