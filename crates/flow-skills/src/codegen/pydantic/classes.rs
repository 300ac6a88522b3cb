//! Pydantic classes: which kinds become one, and how its body is written.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::rc::Rc;

use indexmap::IndexMap;

use super::{Writer, config};
use crate::codegen::kind::{self, Extra, Kind, Member};
use crate::codegen::language::TargetLanguage;
use crate::codegen::names;
use crate::codegen::pydantic_words::{field_name, validator};
use crate::data::Shape;
use crate::output::Result;

/// The parts of a class.
pub(super) struct Class {
    bases: Vec<String>,
    pub(super) members: Vec<Member>,
    extra: Extra,
    rest: Vec<Rc<Shape>>,
}

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
                        Kind::Reference(entity) if self.is_class(entity) => {
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

    /// A class whose bases and members have no name in common: Python's types allow no other type under the name of a base's
    /// attribute, so where there is one, the members of the bases become its own. What no type expresses, a predicate
    /// with the whole shape does.
    fn without_clashes(&self, mut class: Class, shape: &Rc<Shape>) -> Class {
        let inherited: Option<Vec<Vec<Member>>> =
            class.bases.iter().map(|base| self.inherited(base)).collect();
        let count = class.members.len();
        let mut all = inherited.unwrap_or_default().concat();
        let is_own = all.is_empty();
        all.append(&mut class.members);
        let mut seen = HashSet::new();
        if all.iter().all(|member| seen.insert(&member.key)) {
            class.members = all.split_off(all.len() - count);
            return class;
        }
        class.members = kind::all_members(&all).unwrap_or_else(|| {
            class.rest.push(Rc::clone(shape));
            let all = all.into_iter().map(|member| (member.key.clone(), member));
            all.collect::<IndexMap<String, Member>>().into_values().collect()
        });
        if !is_own {
            if class.extra == Extra::Unspecified && class.bases.iter().any(|own| self.is_open(own))
            {
                class.extra = Extra::Allowed;
            }
            class.bases.clear();
        }
        class
    }

    /// Whether an entity's class, or one of its bases, allows further members explicitly.
    fn is_open(&self, entity: &str) -> bool {
        let class = self.ordered.kinds.get(entity).and_then(|kind| self.as_class(kind));
        class.is_some_and(|class| {
            class.extra == Extra::Allowed || class.bases.iter().any(|base| self.is_open(base))
        })
    }

    /// The members of an entity's class and of its bases; nothing where there is more to them than members.
    fn inherited(&self, entity: &str) -> Option<Vec<Member>> {
        let class = self.ordered.kinds.get(entity).and_then(|kind| self.as_class(kind))?;
        if !class.rest.is_empty() || !matches!(class.extra, Extra::Unspecified | Extra::Allowed) {
            return None;
        }
        let mut all = Vec::new();
        for base in &class.bases {
            all.extend(self.inherited(base)?);
        }
        all.extend(class.members);
        Some(all)
    }

    /// An intersection of unions as a union of intersections, each of which is a class.
    pub(super) fn distributed(&self, parts: &[Kind]) -> Option<Kind> {
        let branches: Vec<Kind> = kind::products(parts)?;
        let fits = branches.iter().all(|kind| self.as_class(kind).is_some());
        fits.then_some(Kind::Union { branches, tag: None })
    }

    /// Writes a class.
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
        let kinds = class
            .members
            .iter()
            .map(|member| self.kind(&member.kind, &format!("{name}{}", names::upper(&member.key))));
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
                "\n    @model_validator(mode=\"before\")\n    @classmethod\n    \
                 def fits_schema{number}_(cls, value: Any) -> Any:\n        return {check}(value)"
            ));
        }
        if lines.is_empty() {
            lines.push("pass".to_owned());
        }
        let body: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        let bases: Vec<&str> = class.bases.iter().map(|own| self.names.upper(own)).collect();
        let bases = if class.bases.is_empty() { "BaseModel".to_owned() } else { bases.join(", ") };
        let text = format!("class {name}({bases}):\n{}", body.join("\n"));
        self.definitions.push(text.trim_end().to_owned());
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
            given.push(format!("alias={}", TargetLanguage::Python.text(&member.key)));
        }
        let about = member.description.as_deref().map(str::trim).filter(|about| !about.is_empty());
        given.extend(
            about.map(|about| format!("description={}", TargetLanguage::Python.text(about))),
        );
        if !member.required && !given.is_empty() {
            given.insert(0, "default=None".to_owned());
        }
        match (member.required, given.as_slice()) {
            (_, [_, ..]) => format!("{name}: {kind} = Field({})", given.join(", ")),
            (false, []) => format!("{name}: {kind} = None"),
            (true, []) => format!("{name}: {kind}"),
        }
    }
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
