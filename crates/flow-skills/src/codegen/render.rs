//! Renders a model as a module for a script's validator library.

use serde_json::Value;

use super::check::Checks;
use super::kind::{Extra, Kind, Member};
use super::language::{TargetLanguage, quote};
use super::lower::{Known, Lowering, Purpose};
use super::names::{Names, is_identifier};
use super::order::Ordered;
use super::syntax::{Module, Options, Renderer, Syntax, Written};
use super::typescript::{Optional, Types};
use super::{pattern, runtime, script, stripped};
use crate::data::{ArrayRules, Model, NumberRules, Shape, StringRules};
use crate::output::Result;

const LANGUAGE: TargetLanguage = TargetLanguage::TypeScript;

pub(crate) fn write(library: &'static Syntax, model: &Model, options: Options) -> Result<String> {
    let Options { purpose, formats } = options;
    let names = &Names::of(model);
    let known = Known::default();
    let ordered = &Ordered::new(Lowering::new(model, purpose, formats, &known).entities());
    let checks = Checks { language: LANGUAGE, names, formats };
    let module = Module { library, model, names, checks, purpose, ordered };
    let define = |(entity, kind): (&&str, &Kind)| {
        let renderer = Renderer { module: &module, entity };
        let schema = renderer.kind(kind, 0)?;
        Ok((library.define)(&renderer, kind, &schema))
    };
    let definitions: Vec<String> = ordered.kinds.iter().map(define).collect::<Result<_>>()?;
    let body = definitions.join("\n\n");
    let helpers = runtime::used_of(library.helpers, &body, LANGUAGE);
    let predicates = script::predicates(model, checks, &body)?.join("\n");
    let program = [helpers.as_str(), &predicates, &body].join("\n");
    let functions = runtime::used(&program, LANGUAGE);
    let parts = [library.import, &functions, &helpers, &predicates, &body];
    let parts = parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty());
    Ok(parts.collect::<Vec<_>>().join("\n\n") + "\n")
}

impl Renderer<'_> {
    pub(super) fn name(&self) -> &str {
        self.module.names.upper(self.entity)
    }

    fn shape(&self) -> Option<&Shape> {
        self.module.model.entities.get(self.entity).map(|entity| &entity.shape)
    }

    pub(super) fn comment(&self) -> String {
        script::comment(self.shape(), self.name(), "")
    }

    pub(super) fn is_exact(&self) -> bool {
        self.module.purpose == Purpose::Exact
    }

    /// Whether the entity refers to itself, directly or through others, so that its static type cannot be inferred.
    pub(super) fn is_recursive(&self) -> bool {
        self.module.ordered.recursive.contains(self.entity)
    }

    /// Whether a kind is an entity whose static type is explicit, since it is recursive.
    pub(super) fn has_explicit_type(&self, kind: &Kind) -> bool {
        matches!(kind, Kind::Reference(entity) if self.module.ordered.recursive.contains(entity.as_str()))
    }

    pub(super) fn type_of(&self, kind: &Kind) -> String {
        self.types().kind(kind, 0)
    }

    /// The name of the entity, if this is its whole kind and its type is declared.
    pub(super) fn declared_name(&self, kind: &Kind) -> Option<&str> {
        let own = self.module.ordered.kinds.get(self.entity).filter(|_| self.is_recursive())?;
        std::ptr::eq(own, kind).then(|| self.name())
    }

    pub(super) fn declaration(&self, kind: &Kind) -> String {
        self.shape().map_or_else(String::new, |shape| self.types().entity(self.entity, shape, kind))
    }

    fn types(&self) -> Types<'_> {
        let Module { names, ordered, .. } = self.module;
        Types { names, ordered, optional: Optional::Undefined }
    }

    pub(super) fn kind(&self, kind: &Kind, depth: usize) -> Result<String> {
        let syntax = self.module.library;
        Ok(match kind {
            Kind::Any => syntax.any.to_owned(),
            Kind::Never => syntax.never.to_owned(),
            Kind::Null => syntax.null.to_owned(),
            Kind::Boolean => syntax.boolean.to_owned(),
            Kind::Number { whole, rules } => self.number(*whole, rules),
            Kind::String(rules) => self.string(rules)?,
            Kind::Literal(values) => (syntax.literal)(self, kind, values),
            Kind::Array { item, rules } => self.array(item, &self.kind(item, depth)?, rules),
            Kind::Tuple { items, required, rest, shape } => {
                let rest = rest.as_deref().map(|rest| self.kind(rest, depth)).transpose()?;
                let is_fixed = rest.is_none() && *required == items.len();
                let texts = self.items(items, *required, depth)?;
                let text = (syntax.tuple)(&texts, rest.as_deref(), is_fixed);
                self.or_predicate(text, kind, shape)?
            }
            Kind::Object { fields, extra } => self.object(fields, extra, depth)?,
            Kind::Map { key, value, shape } => {
                let key = key.as_deref().map(|key| self.written(key, depth)).transpose()?;
                let text = (syntax.map)(self, key.as_ref(), &self.written(value, depth)?);
                self.or_predicate(text, kind, shape)?
            }
            Kind::Reference(other) => self.reference(other),
            Kind::Nullable(inner) => (syntax.nullable)(self, &self.written(inner, depth)?),
            Kind::Union { branches, tag } => {
                let texts = branches.iter().map(|branch| self.kind(branch, depth));
                let texts: Vec<String> = texts.collect::<Result<_>>()?;
                // Only a schema of an object exposes the member that is the tag.
                let is_exposed = branches.iter().all(|branch| self.is_object_schema(branch));
                let tag = tag.as_deref().filter(|_| is_exposed);
                (syntax.union)(self, kind, &texts.join(", "), tag)
            }
            Kind::Intersection { parts, shape } => {
                let text = self.intersection(kind, parts, shape, depth)?;
                self.or_predicate(text, kind, shape)?
            }
            Kind::Refined { base, rest, .. } => self.refinements_of(kind, base, rest, depth)?,
        })
    }

    /// A base with predicates after it.
    fn refinements_of(
        &self,
        kind: &Kind,
        base: &Kind,
        rest: &Shape,
        depth: usize,
    ) -> Result<String> {
        let syntax = self.module.library;
        let checks = self.module.checks.refinements(rest)?;
        if *base == Kind::Any {
            return Ok((syntax.predicate)(self, kind, &checks));
        }
        let text = self.kind(base, depth)?;
        let refine = self.refinement(stripped::hides_members(base, rest));
        let text = checks.iter().fold(text, |text, check| refined(&text, refine, check));
        // The static type may be narrower than what is checked before the predicates.
        let known = self.type_of(kind);
        let is_known = known == self.type_of(kind.base());
        Ok(if is_known { text } else { (syntax.typed)(text, &known) })
    }

    /// The items of a tuple, each with what says whether it must be there.
    fn items(&self, items: &[Kind], required: usize, depth: usize) -> Result<String> {
        let syntax = self.module.library;
        let item = |(at, item): (usize, &Kind)| {
            let suffix = if at < required { syntax.required } else { syntax.optional };
            Ok(format!("{}{suffix}", self.kind(item, depth)?))
        };
        let items: Vec<String> = items.iter().enumerate().map(item).collect::<Result<_>>()?;
        Ok(items.join(", "))
    }

    fn written<'k>(&self, kind: &'k Kind, depth: usize) -> Result<Written<'k>> {
        Ok(Written { kind, text: self.kind(kind, depth)? })
    }

    /// What a library has a word for, else a predicate.
    fn or_predicate(&self, text: Option<String>, kind: &Kind, shape: &Shape) -> Result<String> {
        let predicate = || {
            let checks = self.module.checks.refinements(shape)?;
            Ok((self.module.library.predicate)(self, kind, &checks))
        };
        text.map_or_else(predicate, Ok)
    }

    fn refine(&self, text: &str, check: &str) -> String {
        refined(text, self.module.library.refine, check)
    }

    pub(super) fn refine_all(&self, text: &str, checks: &[String]) -> String {
        checks.iter().fold(text.to_owned(), |text, check| self.refine(&text, check))
    }

    /// The text around a predicate, which must see the input if the schema before it hides members.
    fn refinement(&self, hides_members: bool) -> [&'static str; 2] {
        let syntax = self.module.library;
        if hides_members && !self.is_exact() { syntax.refine_input } else { syntax.refine }
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let syntax = self.module.library;
        let format = rules.format.as_deref();
        let word = syntax.formats.iter().find(|(name, _)| Some(*name) == format);
        let mut text = match word.filter(|_| !self.is_exact()) {
            Some((_, word)) => (*word).to_owned(),
            None => (syntax.string)(self, rules),
        };
        text += &lengths(rules.min_length, rules.max_length);
        if let Some(pattern) = &rules.pattern {
            let form = pattern::write(pattern, LANGUAGE)?;
            text = format!("{text}.{}({form})", syntax.pattern);
        }
        Ok(match format.filter(|_| word.is_none()) {
            Some(format) => self.refine(&text, &self.module.checks.format(format)),
            None => text,
        })
    }

    fn number(&self, whole: bool, rules: &NumberRules) -> String {
        let syntax = self.module.library;
        let [idiomatic, exact] = if whole { syntax.integer } else { syntax.number };
        let mut text = if self.is_exact() { exact } else { idiomatic }.to_owned();
        let bounds =
            [&rules.minimum, &rules.maximum, &rules.exclusive_minimum, &rules.exclusive_maximum];
        for (call, bound) in syntax.bounds.iter().zip(bounds) {
            text += &bound.as_ref().map_or(String::new(), |bound| format!(".{call}({bound})"));
        }
        match (&rules.multiple_of, syntax.multiple) {
            (Some(step), Some(call)) => format!("{text}.{call}({step})"),
            (Some(step), None) => self.refine(&text, &format!("multipleOf({step})")),
            (None, _) => text,
        }
    }

    fn array(&self, kind: &Kind, item: &str, rules: &ArrayRules) -> String {
        let syntax = self.module.library;
        let [all, some] = syntax.array;
        let suffix = if (self.module.library.is_vague)(self, kind) { "" } else { syntax.item };
        let mut text =
            if item == syntax.any { all.to_owned() } else { format!("{some}({item}{suffix})") };
        text += &lengths(rules.min_items, rules.max_items);
        if !rules.unique_items {
            text
        } else if self.resolved(kind).is_scalar() && !self.is_exact() {
            text + syntax.unique
        } else {
            refined(&text, self.refinement(stripped::removes_members(kind)), "uniqueItems()")
        }
    }

    /// The kind without predicates, after following references.
    pub(super) fn resolved<'k>(&'k self, kind: &'k Kind) -> &'k Kind {
        self.module.ordered.resolved(kind)
    }

    pub(super) fn is_defined(&self, other: &str) -> bool {
        self.module.ordered.is_before(other, self.entity)
    }

    fn reference(&self, other: &str) -> String {
        let name = self.module.names.upper(other);
        if self.is_defined(other) {
            name.to_owned()
        } else {
            (self.module.library.lazy)(self, name)
        }
    }

    pub(super) fn object(&self, fields: &[Member], extra: &Extra, depth: usize) -> Result<String> {
        let members = script::block(&self.members(fields, depth)?, depth);
        Ok(self.with_required(&(self.module.library.object)(self, &members, extra)?, fields))
    }

    pub(super) fn members(&self, fields: &[Member], depth: usize) -> Result<Vec<String>> {
        fields.iter().map(|field| self.member(field, depth + 1)).collect()
    }

    /// The schema of an object with a predicate for the required members whose schemas do not imply that.
    pub(super) fn with_required(&self, text: &str, fields: &[Member]) -> String {
        let is_vague =
            |field: &&Member| field.required && (self.module.library.is_vague)(self, &field.kind);
        let vague = fields.iter().filter(is_vague);
        let vague: Vec<String> = vague.map(|field| quote(&field.key)).collect();
        if vague.is_empty() {
            text.to_owned()
        } else {
            self.refine(text, &self.module.checks.call("required", &vague))
        }
    }

    fn member(&self, field: &Member, depth: usize) -> Result<String> {
        let syntax = self.module.library;
        let key = if is_identifier(&field.key) { field.key.clone() } else { quote(&field.key) };
        let suffix = match field.required {
            true if (syntax.is_vague)(self, &field.kind) => "",
            true => syntax.required,
            false => (syntax.optional_member)(self, &field.kind),
        };
        let pad = "  ".repeat(depth);
        let mut comment = script::describe(field.description.as_deref(), &pad);
        if !comment.is_empty() {
            comment = comment.trim_start().to_owned() + &pad;
        }
        Ok(format!("{comment}{key}: {}{suffix}", self.kind(&field.kind, depth)?))
    }
}

fn refined(text: &str, [before, after]: [&str; 2], check: &str) -> String {
    format!("{text}{before}{}{after}", script::with_message(check))
}

pub(super) fn list(values: &[Value]) -> String {
    let values = values.iter().map(|value| LANGUAGE.value(value));
    values.collect::<Vec<_>>().join(", ")
}

/// The calls for the fewest and most characters or items.
fn lengths(least: Option<u64>, most: Option<u64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!(".length({least})"),
        _ => {
            let least = least.filter(|least| *least > 0);
            least.map_or(String::new(), |least| format!(".min({least})"))
                + &most.map_or(String::new(), |most| format!(".max({most})"))
        }
    }
}
