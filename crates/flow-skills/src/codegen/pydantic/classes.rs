//! Pydantic classes: which kinds become one, and how its body is written.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::rc::Rc;

use indexmap::IndexMap;

use super::{Class, Definition, Writer};
use crate::codegen::kind::{self, Extra, Kind, Member};
use crate::codegen::language::quote;
use crate::codegen::names;
use crate::codegen::pydantic_words::{field_name, validator};
use crate::data::Shape;
use crate::output::Result;

impl Writer<'_> {
    /// A kind as a class: an object with members, possibly with base classes.
    pub(super) fn as_class(&self, kind: &Kind) -> Option<Class> {
        let class = |members: &[Member], extra: &Extra| Class {
            bases: Vec::new(),
            members: members.to_vec(),
            extra: extra.clone(),
            rest: Vec::new(),
        };
        match kind {
            Kind::Object { fields, extra } => Some(class(fields, extra)),
            Kind::Refined { base, rest, .. } => {
                let mut class = self.as_class(base)?;
                class.rest.push(Rc::clone(rest));
                Some(class)
            }
            Kind::Intersection { parts, shape } => {
                let mut whole = class(&[], &Extra::Unspecified);
                for part in parts {
                    match part {
                        Kind::Object { fields, extra } => {
                            whole.members.extend(fields.iter().cloned());
                            if *extra != Extra::Unspecified {
                                whole.extra = extra.clone();
                            }
                        }
                        Kind::Reference(entity) if self.class_of(entity).is_some() => {
                            whole.bases.push(entity.clone());
                        }
                        _ => return None,
                    }
                }
                Some(self.without_clashes(whole, shape))
            }
            _ => None,
        }
    }

    /// A class whose members are no other types than those of its bases under the same name, which Python's types forbid:
    /// where they are, the members of the bases become its own. What no type expresses, a predicate with the whole
    /// shape does.
    fn without_clashes(&self, mut class: Class, shape: &Rc<Shape>) -> Class {
        let bases = class.bases.iter().filter_map(|base| self.class_of(base));
        let bases: Vec<Rc<Class>> = bases.collect();
        let inherited: Vec<Member> = bases.iter().flat_map(|base| self.all_members(base)).collect();
        // Members that are not allowed beside those of one part are not allowed in the whole.
        let is_open = !is_closed(&class.extra)
            && !bases.iter().any(|base| self.is_any(base, &|own| is_closed(&own.extra)));
        let overriding =
            kind::all_members(&class.members).and_then(|own| overriding(&inherited, own));
        if let Some(members) = overriding.filter(|_| is_open) {
            class.members = members;
            // Python refuses a base before one that inherits from it.
            class.bases.retain(|name| {
                let inherits = |own: &Class| own.bases.contains(name);
                !bases.iter().any(|base| self.is_any(base, &inherits))
            });
            return class;
        }
        let all = [inherited, class.members].concat();
        let is_only_members =
            is_open && !bases.iter().any(|base| self.is_any(base, &|own| !own.rest.is_empty()));
        class.members = kind::all_members(&all).filter(|_| is_only_members).unwrap_or_else(|| {
            class.rest.push(Rc::clone(shape));
            let all = all.into_iter().map(|member| (member.key.clone(), member));
            all.collect::<IndexMap<String, Member>>().into_values().collect()
        });
        let allows = |own: &Class| own.extra == Extra::Allowed;
        if class.extra == Extra::Unspecified && bases.iter().any(|base| self.is_any(base, &allows))
        {
            class.extra = Extra::Allowed;
        }
        class.bases.clear();
        class
    }

    pub(super) fn class_of(&self, entity: &str) -> Option<Rc<Class>> {
        if let Some(known) = self.classes.borrow().get(entity) {
            return known.clone();
        }
        let kind = self.ordered.kinds.get(entity);
        let class = kind.and_then(|kind| self.as_class(kind)).map(Rc::new);
        self.classes.borrow_mut().insert(entity.to_owned(), class.clone());
        class
    }

    fn is_any(&self, class: &Class, is_true: &dyn Fn(&Class) -> bool) -> bool {
        let mut bases = class.bases.iter().filter_map(|base| self.class_of(base));
        is_true(class) || bases.any(|base| self.is_any(&base, is_true))
    }

    fn all_members(&self, class: &Class) -> Vec<Member> {
        let bases = class.bases.iter().filter_map(|base| self.class_of(base));
        bases.flat_map(|base| self.all_members(&base)).chain(class.members.clone()).collect()
    }

    /// An intersection of unions as a union of intersections, each of which is a class.
    pub(super) fn distributed(&self, parts: &[Kind], shape: &Rc<Shape>) -> Option<Kind> {
        let branches: Vec<Kind> = kind::products(parts, shape)?;
        let fits = branches.iter().all(|kind| self.as_class(kind).is_some());
        fits.then_some(Kind::Union { branches, tag: None })
    }

    pub(super) fn class(&mut self, name: &str, class: &Class, about: Option<&str>) -> Result<()> {
        let mut lines = Vec::new();
        if let Some(about) = about.map(str::trim).filter(|about| !about.is_empty()) {
            let safe = docstring(about);
            let end = if safe.ends_with('"') { " " } else { "" };
            lines.push(format!("\"\"\"{}{end}\"\"\"\n", safe.replace('\n', "\n    ")));
        }
        if let Some(extra) = config(&class.extra, self.exact) {
            lines.push(format!("model_config = ConfigDict(extra=\"{extra}\")\n"));
        }
        if let Extra::Typed(kind, _) = &class.extra {
            let value = self.kind(kind, &format!("{name}Value"))?;
            lines.push(format!("__pydantic_extra__: dict[str, {value}]\n"));
        }
        let path = |member: &Member| format!("{name}{}", names::upper(&member.key));
        let kinds = class.members.iter().map(|member| self.kind(&member.kind, &path(member)));
        let kinds: Vec<String> = kinds.collect::<Result<_>>()?;
        let all = format!("{} Field()", kinds.join(" "));
        let mut taken = HashSet::new();
        for (member, kind) in class.members.iter().zip(kinds) {
            let attribute = field_name(&member.key, &all, &mut taken);
            lines.push(self.field(&attribute, member, kind));
        }
        let checks = class.rest.iter().map(|rest| self.checks.refinements(rest));
        let checks: Vec<Vec<String>> = checks.collect::<Result<_>>()?;
        for (at, check) in checks.concat().iter().enumerate() {
            let check = validator("", check);
            let number = if at == 0 { String::new() } else { (at + 1).to_string() };
            lines.push(format!(
                "\n@model_validator(mode=\"before\")\n    @classmethod\n    \
                 def fits_schema{number}_(cls, value: Any) -> Any:\n        return {check}(value)"
            ));
        }
        if lines.is_empty() {
            lines.push("pass".to_owned());
        }
        let indented = |line: &String| match line.strip_prefix('\n') {
            Some(line) => format!("\n    {line}"),
            None => format!("    {line}"),
        };
        let body: Vec<String> = lines.iter().map(indented).collect();
        let needs: Vec<String> =
            class.bases.iter().map(|own| self.names.upper(own).to_owned()).collect();
        let bases = if needs.is_empty() { "BaseModel".to_owned() } else { needs.join(", ") };
        let text = format!("class {name}({bases}):\n{}", body.join("\n").trim_end());
        self.definitions.push(Definition { name: name.to_owned(), needs, text });
        Ok(())
    }

    /// An attribute; `inner` is the type of the member.
    fn field(&self, name: &str, member: &Member, inner: String) -> String {
        let mut given: Vec<String> = Vec::new();
        let accepts_null = matches!(
            self.ordered.resolved(&member.kind),
            Kind::Any | Kind::Null | Kind::Nullable(_) | Kind::Never
        );
        let kind = match (member.required, accepts_null, self.exact) {
            (true, ..) | (false, true, _) => inner,
            (false, false, false) => format!("{inner} | None"),
            (false, false, true) => format!("Annotated[{inner} | None, BeforeValidator(given)]"),
        };
        if name != member.key {
            given.push(format!("alias={}", quote(&member.key)));
        }
        let about = member.description.as_deref().map(str::trim).filter(|about| !about.is_empty());
        given.extend(about.map(|about| format!("description={}", quote(about))));
        if !member.required && !given.is_empty() {
            given.insert(0, "default=None".to_owned());
        }
        match given.as_slice() {
            [_, ..] => format!("{name}: {kind} = Field({})", given.join(", ")),
            [] if member.required => format!("{name}: {kind}"),
            [] => format!("{name}: {kind} = None"),
        }
    }
}

/// How a class treats unknown members.
fn config(extra: &Extra, exact: bool) -> Option<&'static str> {
    match extra {
        Extra::Unspecified if !exact => None,
        Extra::Forbidden => Some("forbid"),
        _ => Some("allow"),
    }
}

/// Whether a class restricts the members that are not named.
fn is_closed(extra: &Extra) -> bool {
    !matches!(extra, Extra::Unspecified | Extra::Allowed)
}

/// The members that a class declares itself: new ones, and those whose type is narrower than the inherited one. `None`
/// if a type checker would refuse them.
fn overriding(inherited: &[Member], own: Vec<Member>) -> Option<Vec<Member>> {
    let attribute = |member: &Member| field_name(&member.key, "", &mut HashSet::new());
    let mut known: HashMap<String, &Member> = HashMap::new();
    for member in inherited {
        let is_other = |other: &Member| {
            (&other.key, &other.kind, other.required)
                != (&member.key, &member.kind, member.required)
        };
        if known.insert(attribute(member), member).is_some_and(is_other) {
            return None;
        }
    }
    let mut declared = Vec::new();
    for member in own {
        let Some(base) = known.get(&attribute(&member)) else {
            declared.push(member);
            continue;
        };
        let kind = kind::both(&base.kind, &member.kind).filter(|_| base.key == member.key)?;
        let required = base.required || member.required;
        if kind == base.kind && required == base.required {
            continue;
        }
        // A class inside the member would be another one than that of the base.
        let is_same = kind == base.kind && !has_objects(&kind);
        if !(is_same || base.kind == Kind::Any || matches!(kind, Kind::Literal(_))) {
            return None;
        }
        declared.push(Member { kind, required, ..member });
    }
    Some(declared)
}

fn has_objects(kind: &Kind) -> bool {
    matches!(kind, Kind::Object { .. }) || kind.children().into_iter().any(has_objects)
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
