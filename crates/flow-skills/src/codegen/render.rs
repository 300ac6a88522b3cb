//! Renders a model as a module for a script's validator library.

use serde_json::Value;

use super::check::Checks;
use super::kind::{Extra, Kind, Member};
use super::language::TargetLanguage;
use super::lower::{Lowering, Purpose};
use super::names::{Names, is_identifier};
use super::order::Ordered;
use super::syntax::{Library, Module, Options, Renderer, Written};
use super::typescript::{Optional, Types};
use super::{pattern, runtime, script, stripped};
use crate::data::{ArrayRules, Model, NumberRules, Shape, StringRules};
use crate::output::Result;

/// A model as a module for a library.
///
/// # Errors
/// When a pattern is not a valid regular expression.
pub fn write(library: &dyn Library, model: &Model, options: Options) -> Result<String> {
    let names = Names::of(model);
    let Options { purpose, formats } = options;
    let lowering = Lowering { model, purpose, formats };
    let ordered = Ordered::new(lowering.entities());
    let language = TargetLanguage::TypeScript;
    let module = Module {
        library,
        model,
        names: &names,
        checks: Checks { language, names: &names, formats },
        purpose,
        ordered: &ordered,
    };
    let define = |(entity, kind): (&&str, &Kind)| {
        let renderer = Renderer { module: &module, entity };
        let schema = renderer.kind(kind, 0)?;
        Ok(library.define(&renderer, kind, &schema))
    };
    let definitions: Vec<String> = ordered.kinds.iter().map(define).collect::<Result<_>>()?;
    module.text(&definitions)
}

impl Module<'_> {
    fn text(&self, definitions: &[String]) -> Result<String> {
        let syntax = self.library.syntax();
        let body = definitions.join("\n\n");
        let helpers = used(syntax.helpers, &body).join("\n");
        let checks = script::predicates(self.model, self.checks, &body)?.join("\n");
        let program = [helpers.as_str(), &checks, &body].join("\n");
        let runtime = runtime::used(&program, TargetLanguage::TypeScript);
        let parts = [syntax.import, &runtime, &helpers, &checks, &body];
        let parts: Vec<&str> =
            parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty()).collect();
        Ok(parts.join("\n\n") + "\n")
    }
}

/// The functions that the definitions, or other used functions after them, need.
fn used(helpers: &[(&str, &'static str)], body: &str) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for (word, code) in helpers.iter().rev() {
        if body.contains(word) || found.iter().any(|text| text.contains(word)) {
            found.insert(0, code);
        }
    }
    found
}

impl Renderer<'_> {
    /// The identifier of the entity.
    pub fn name(&self) -> &str {
        self.module.names.upper(self.entity)
    }

    fn shape(&self) -> Option<&Shape> {
        self.module.model.entities.get(self.entity).map(|entity| &entity.shape)
    }

    /// The comment of the entity's definition.
    pub fn comment(&self) -> String {
        script::comment(self.shape(), self.name(), "")
    }

    /// Whether verdicts must equal those of JSON Schema.
    pub fn is_exact(&self) -> bool {
        self.module.purpose == Purpose::Exact
    }

    /// Whether the entity refers to itself, directly or through others, so that its static type cannot be inferred.
    pub fn is_recursive(&self) -> bool {
        self.module.ordered.recursive.contains(self.entity)
    }

    /// Whether a kind is an entity whose static type is explicit, since it is recursive.
    pub fn has_explicit_type(&self, kind: &Kind) -> bool {
        matches!(kind, Kind::Reference(entity) if self.module.ordered.recursive.contains(entity.as_str()))
    }

    /// A kind as a TypeScript type.
    pub fn type_of(&self, kind: &Kind, depth: usize) -> String {
        self.types().kind(kind, depth)
    }

    /// The name of the entity, if this is its whole kind and its type is declared.
    pub fn declared_name(&self, kind: &Kind) -> Option<&str> {
        let own = self.module.ordered.kinds.get(self.entity).filter(|_| self.is_recursive())?;
        std::ptr::eq(own, kind).then(|| self.name())
    }

    /// The entity as a TypeScript interface or type.
    pub fn declaration(&self, kind: &Kind) -> String {
        self.shape().map_or_else(String::new, |shape| self.types().entity(self.entity, shape, kind))
    }

    fn types(&self) -> Types<'_> {
        let Module { names, ordered, .. } = self.module;
        Types { names, ordered, optional: Optional::Undefined }
    }

    pub(super) fn kind(&self, kind: &Kind, depth: usize) -> Result<String> {
        let library = self.module.library;
        let syntax = library.syntax();
        Ok(match kind {
            Kind::Any => syntax.any.to_owned(),
            Kind::Never => syntax.never.to_owned(),
            Kind::Null => syntax.null.to_owned(),
            Kind::Boolean => syntax.boolean.to_owned(),
            Kind::Number { whole, rules } => self.number(*whole, rules),
            Kind::String(rules) => self.string(rules)?,
            Kind::Literal(values) => library.literal(self, kind, values),
            Kind::Array { item, rules } => self.array(item, &self.kind(item, depth)?, rules),
            Kind::Tuple { items, required, rest, shape } => {
                let rest = rest.as_deref().map(|rest| self.kind(rest, depth)).transpose()?;
                let is_fixed = rest.is_none() && *required == items.len();
                let texts = self.items(items, *required, depth)?;
                let text = library.tuple(&texts, rest.as_deref(), is_fixed);
                self.or_predicate(text, kind, shape)?
            }
            Kind::Object { fields, extra } => self.object(fields, extra, depth)?,
            Kind::Map { key, value, shape } => {
                let key = key.as_deref().map(|key| self.written(key, depth)).transpose()?;
                let text = library.map(self, key.as_ref(), &self.written(value, depth)?);
                self.or_predicate(text, kind, shape)?
            }
            Kind::Reference(other) => self.reference(other),
            Kind::Nullable(inner) => library.nullable(self, &self.written(inner, depth)?),
            Kind::Union { branches, tag } => {
                let texts = branches.iter().map(|branch| self.kind(branch, depth));
                let texts: Vec<String> = texts.collect::<Result<_>>()?;
                // Only a schema of an object exposes the member that is the tag.
                let is_exposed = branches.iter().all(|branch| self.is_object_schema(branch));
                let tag = tag.as_deref().filter(|_| is_exposed);
                library.union(self, kind, &texts.join(", "), tag)
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
        let library = self.module.library;
        let checks = self.module.checks.refinements(rest)?;
        if *base == Kind::Any {
            return Ok(library.predicate(self, kind, &checks));
        }
        let text = self.kind(base, depth)?;
        let refine = self.refinement(stripped::hides_members(base, rest));
        let text = checks.iter().fold(text, |text, check| refined(&text, refine, check));
        // The static type may be narrower than what is checked before the predicates.
        let known = self.type_of(kind, 0);
        let is_known = known == self.type_of(kind.base(), 0);
        Ok(if is_known { text } else { library.typed(text, &known) })
    }

    /// The items of a tuple, each with what says whether it must be there.
    fn items(&self, items: &[Kind], required: usize, depth: usize) -> Result<String> {
        let syntax = self.module.library.syntax();
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
        if let Some(text) = text {
            return Ok(text);
        }
        let checks = self.module.checks.refinements(shape)?;
        Ok(self.module.library.predicate(self, kind, &checks))
    }

    /// A schema with an additional predicate.
    pub fn refine(&self, text: &str, check: &str) -> String {
        refined(text, self.module.library.syntax().refine, check)
    }

    /// The text around a predicate, which must see the input if the schema before it hides members.
    fn refinement(&self, hides_members: bool) -> [&'static str; 2] {
        let syntax = self.module.library.syntax();
        if hides_members && !self.is_exact() { syntax.refine_input } else { syntax.refine }
    }

    fn string(&self, rules: &StringRules) -> Result<String> {
        let library = self.module.library;
        let syntax = library.syntax();
        let format = rules.format.as_deref();
        let word = syntax.formats.iter().find(|(name, _)| Some(*name) == format);
        let mut text = match word.filter(|_| !self.is_exact()) {
            Some((_, word)) => (*word).to_owned(),
            None => library.string(self, rules),
        };
        text += &lengths(rules.min_length, rules.max_length);
        if let Some(pattern) = &rules.pattern {
            let form = pattern::write(pattern, TargetLanguage::TypeScript)?;
            text = format!("{text}.{}({form})", syntax.pattern);
        }
        Ok(match format.filter(|_| word.is_none()) {
            Some(format) => self.refine(&text, &self.module.checks.format(format)),
            None => text,
        })
    }

    fn number(&self, whole: bool, rules: &NumberRules) -> String {
        let syntax = self.module.library.syntax();
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
        let syntax = self.module.library.syntax();
        let [all, some] = syntax.array;
        let suffix = if self.module.library.is_vague(self, kind) { "" } else { syntax.item };
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
    pub fn resolved<'k>(&'k self, kind: &'k Kind) -> &'k Kind {
        self.module.ordered.resolved(kind)
    }

    /// Whether another entity is defined before this one.
    pub fn is_defined(&self, other: &str) -> bool {
        self.module.ordered.is_before(other, self.entity)
    }

    fn reference(&self, other: &str) -> String {
        let name = self.module.names.upper(other);
        if self.is_defined(other) { name.to_owned() } else { self.module.library.lazy(self, name) }
    }

    pub(super) fn object(&self, fields: &[Member], extra: &Extra, depth: usize) -> Result<String> {
        let members = script::block(&self.members(fields, depth)?, depth);
        Ok(self.with_required(&self.module.library.object(self, &members, extra)?, fields))
    }

    /// The lines of members.
    pub(super) fn members(&self, fields: &[Member], depth: usize) -> Result<Vec<String>> {
        fields.iter().map(|field| self.member(field, depth + 1)).collect()
    }

    /// The schema of an object with a predicate for the required members whose schemas do not imply that.
    pub(super) fn with_required(&self, text: &str, fields: &[Member]) -> String {
        let is_vague =
            |field: &&Member| field.required && self.module.library.is_vague(self, &field.kind);
        let vague = fields.iter().filter(is_vague);
        let vague: Vec<String> =
            vague.map(|field| TargetLanguage::TypeScript.text(&field.key)).collect();
        if vague.is_empty() {
            text.to_owned()
        } else {
            self.refine(text, &self.module.checks.call("required", &vague))
        }
    }

    fn member(&self, field: &Member, depth: usize) -> Result<String> {
        let library = self.module.library;
        let syntax = library.syntax();
        let key = if is_identifier(&field.key) {
            field.key.clone()
        } else {
            TargetLanguage::TypeScript.text(&field.key)
        };
        let suffix = match field.required {
            true if library.is_vague(self, &field.kind) => "",
            true => syntax.required,
            false => library.optional(self, &field.kind),
        };
        let pad = "  ".repeat(depth);
        let mut comment = script::describe(field.description.as_deref(), &pad);
        if !comment.is_empty() {
            comment = comment.trim_start().to_owned() + &pad;
        }
        Ok(format!("{comment}{key}: {}{suffix}", self.kind(&field.kind, depth)?))
    }

    /// A schema for the values of members besides the named ones.
    ///
    /// # Errors
    /// When a pattern is not a valid regular expression.
    pub fn extra(&self, kind: &Kind) -> Result<String> {
        self.kind(kind, 0)
    }
}

fn refined(text: &str, [before, after]: [&str; 2], check: &str) -> String {
    format!("{text}{before}{}{after}", script::with_message(check))
}

/// Values as literals.
pub fn list(values: &[Value]) -> String {
    let values = values.iter().map(|value| TargetLanguage::TypeScript.value(value));
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
