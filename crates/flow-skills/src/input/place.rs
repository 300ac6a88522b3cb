//! Puts the content, its labels and the `key=value` words into the fields of one object.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::coerce::{coerce, property};
use super::given::Given;
use super::kind::{Kind, Upstream};
use super::labels;
use super::notation::Notation;
use super::recognise::{self, Content, ContentKind};
use super::typed;
use crate::output::{Fault, Result, shown};
use crate::page::bullets;
use crate::text;

/// The field for the kind of the content in the first of [`Definition::contents`], if the user specified it.
const KIND: &str = "as";

/// A kind of content that a skill accepts, and its field.
#[derive(Debug, Clone, Copy)]
pub struct Takes {
    /// The kind of content.
    pub kind: ContentKind,
    /// The field that it sets.
    pub field: &'static str,
}

/// Declares that content of a kind goes to a field.
pub const fn takes(kind: ContentKind, field: &'static str) -> Takes {
    Takes { kind, field }
}

/// The definition of a skill's input.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// The JSON Schema of the input type.
    pub schema: fn() -> Value,
    /// Checks fields against the input type.
    pub check: fn(&Map<String, Value>) -> Result<()>,
    /// The content that it accepts.
    pub takes: &'static [Takes],
    /// Fields that replace content, such as a range of commits.
    pub instead: &'static [&'static str],
    /// The fields whose content the skill reads by its kind, wherever it comes from.
    pub contents: &'static [&'static str],
    /// The kinds of data that it accepts from another skill.
    pub accepts: &'static [Kind],
}

/// Which of the fields for content a request leaves unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsetContent {
    /// None: all are set, or a field replaces content, or the skill accepts none, or a word names no field.
    None,
    /// Some of them.
    Some,
    /// All of them.
    All,
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Content: a file or a pipe, then the words of the command line.
    pub contents: Vec<Vec<u8>>,
    /// `key=value` words.
    pub pairs: Vec<(String, String)>,
    /// Fields with their values, where they are not given as words.
    pub fields: Map<String, Value>,
    /// The kind of the content, if the user specified it.
    pub kind: Option<ContentKind>,
}

impl Definition {
    /// An input type that takes no content and no data.
    pub const fn of<T: DeserializeOwned + JsonSchema>() -> Self {
        Self {
            schema: typed::schema_of::<T>,
            check: |fields| typed::read::<T>(fields).map(drop),
            takes: &[],
            instead: &[],
            contents: &[],
            accepts: &[],
        }
    }

    /// Which fields for content the `key=value` words of a request leave unset.
    pub fn unset_content(&self, request: &Request) -> UnsetContent {
        let schema = (self.schema)();
        let names = request.pairs.iter().map(|(name, _)| Some(property(&schema, name)?.0));
        // A name that is no field is refused, whatever a pipe holds.
        let Some(fields) = names.collect::<Option<Vec<&str>>>() else { return UnsetContent::None };
        let taken = self.takes.iter().filter(|takes| fields.contains(&takes.field)).count();
        let is_replaced = self.instead.iter().any(|field| fields.contains(field));
        if is_replaced || taken == self.takes.len() {
            UnsetContent::None
        } else if taken == 0 {
            UnsetContent::All
        } else {
            UnsetContent::Some
        }
    }

    /// Whether a field may have the path of a file in place of its value: it is data, not a text in which a path may stand.
    pub fn takes_file(&self, name: &str) -> bool {
        use ContentKind as K;
        let is_data =
            |kind| !matches!(kind, K::Text | K::Markdown | K::Dotenv | K::Range | K::Commit);
        let schema = (self.schema)();
        property(&schema, name).is_some_and(|(field, property)| {
            let mut takes = self.takes.iter().filter(|takes| takes.field == field).peekable();
            let is_any = typed::types(property).is_empty() && property.get("enum").is_none();
            is_any || takes.peek().is_some() && takes.all(|takes| is_data(takes.kind))
        })
    }

    /// Whether a field takes content, or replaces it.
    fn is_content(&self, name: &str) -> bool {
        self.takes.iter().any(|takes| takes.field == name) || self.instead.contains(&name)
    }

    fn field(&self, kind: ContentKind) -> Option<&'static str> {
        self.takes.iter().find(|takes| takes.kind == kind).map(|takes| takes.field)
    }

    /// Puts a request into fields.
    ///
    /// # Errors
    /// When content cannot be read, or the skill does not accept its kind.
    pub fn place(&self, request: &Request) -> Result<Given> {
        let schema = (self.schema)();
        let assigned = assigned(request, &schema)?;
        let accepted: Vec<ContentKind> = self.takes.iter().map(|takes| takes.kind).collect();
        let mut placer = Placer {
            definition: self,
            schema: &schema,
            given: Given::default(),
            placed: Vec::new(),
            forced: request.kind,
        };
        for bytes in &request.contents {
            let text = recognise::decode(bytes)?;
            if text.trim().is_empty() {
                continue;
            }
            let content = match request.kind {
                Some(kind) => recognise::as_kind(text, kind)?,
                None => recognise::recognise(text, &accepted)?,
            };
            placer.add(content)?;
        }
        if let Some(field) = placer.placed.iter().find(|field| assigned.contains_key(**field)) {
            return Err(Fault::Refused(format!(
                "{field} is given twice, as {field}=… and as text or a file; give one of them"
            )));
        }
        placer.assign(assigned)?;
        placer.recognise_fields(&accepted)?;
        Ok(placer.given)
    }
}

/// The fields that the words and the fields of a request set.
fn assigned(request: &Request, schema: &Value) -> Result<Map<String, Value>> {
    let mut assigned = Map::new();
    for (name, text) in &request.pairs {
        let Some((field, property)) = property(schema, name) else {
            return Err(typed::unknown("", name, schema));
        };
        let value = coerce(field, &with_newlines(text), property)?;
        if assigned.insert(field.to_owned(), value).is_some() {
            let what = format!("{field} is given twice, the second time as {name}=…");
            return Err(Fault::Refused(what));
        }
    }
    assigned.extend(named(&typed::given(&request.fields), schema));
    Ok(assigned)
}

/// The fields that the members of an object name. A member that names a field a second time keeps its name, by which the
/// input type refuses it.
fn named(object: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    for (key, value) in object {
        let field = property(schema, key).map_or(key.as_str(), |(field, _)| field);
        let is_taken = field != key && (object.contains_key(field) || fields.contains_key(field));
        fields.insert(if is_taken { key } else { field }.to_owned(), value.clone());
    }
    fields
}

/// A value in which `\n` stands for a new line: one line, as agents and people type it. JSON and patterns keep theirs.
pub fn with_newlines(text: &str) -> Cow<'_, str> {
    let is_code = text.trim_start().starts_with(['{', '[', '/']) || text.contains("pattern ");
    if is_code || text.contains('\n') || text.contains("\\\\n") {
        return text.into();
    }
    text.replace("\\n", "\n").into()
}

struct Placer<'a> {
    definition: &'a Definition,
    schema: &'a Value,
    given: Given,
    /// Fields that were set by content.
    placed: Vec<&'static str>,
    /// The kind of the content, if the user specified it.
    forced: Option<ContentKind>,
}

impl Placer<'_> {
    fn add(&mut self, content: Content) -> Result<()> {
        use ContentKind as K;
        match (content.kind, &content.value) {
            (K::Envelope, Some(Value::Object(map))) => self.envelope(map),
            (K::Fields, Some(Value::Object(map))) => self.assign(named(map, self.schema)),
            (K::Sample | K::JsonSchema | K::Model, Some(Value::Object(map)))
                if self.forced.is_none() =>
            {
                let is_nothing = map.is_empty() && self.definition.field(content.kind).is_none();
                if is_nothing || map.keys().any(|key| self.is_field(key)) {
                    self.assign(named(map, self.schema))
                } else {
                    self.note_nearly_fields(map);
                    self.content(content)
                }
            }
            (K::Text | K::Markdown | K::Notation(_), _) => self.text(content),
            // What the skill does not take as such is a text.
            (kind, None) if self.definition.field(kind).is_none() => self.text(content),
            _ => self.content(content),
        }
    }

    /// Sets fields by their names, which take precedence over labels; what is replaced is noted.
    fn assign(&mut self, mut assigned: Map<String, Value>) -> Result<()> {
        self.named_text(&mut assigned)?;
        for (field, value) in assigned {
            let before = self.given.fields.insert(field.clone(), value);
            if let Some(before) = before.filter(|before| *before != self.given.fields[&field]) {
                let note = format!("{field}=… replaces {} of the input", shown(&before));
                self.given.notes.push(note);
                self.given.replaced.insert(field, before);
            }
        }
        Ok(())
    }

    /// Reads the labels of a text that is given by the name of its field.
    fn named_text(&mut self, fields: &mut Map<String, Value>) -> Result<()> {
        let Some(field) = self.definition.field(ContentKind::Text) else { return Ok(()) };
        if self.schema["properties"][field][labels::REST] == true
            && let Some(Value::String(text)) = fields.get(field)
        {
            let content = recognise::as_text(text);
            fields.shift_remove(field);
            self.text(content)?;
        }
        Ok(())
    }

    /// Whether a member of an object shows that the object is the skill's fields. Where an object may be a sample, only a
    /// field does that describes data: `{"name": "Ada"}` is a sample.
    fn is_field(&self, key: &str) -> bool {
        let field = property(self.schema, key).map(|(field, _)| field);
        let takes_data = self.definition.field(ContentKind::Sample).is_some();
        field.is_some_and(|field| !takes_data || self.definition.is_content(field))
    }

    /// Notes that a name of a sample is nearly that of a field for content, or that of an option: likelier a mistake than
    /// data. Many samples have a name.
    fn note_nearly_fields(&mut self, map: &Map<String, Value>) {
        let known: Vec<&str> = self.definition.takes.iter().map(|takes| takes.field).collect();
        let is_near = |key: &&String| {
            map.len() == 1 && typed::nearest(key, &known).is_some()
                || *key != "name" && property(self.schema, key).is_some()
        };
        if let Some(key) = map.keys().find(is_near) {
            self.given.notes.push(format!(
                "took the object as data, although {key:?} is or resembles a field (--as fields reads it as fields)"
            ));
        }
    }

    /// Adds text: first its labels, then the rest, if the skill has a field for it.
    fn text(&mut self, content: Content) -> Result<()> {
        if content.kind == ContentKind::Notation(Notation::Entities) {
            return self.content(content);
        }
        let property = self.target(&content).map(|field| &self.schema["properties"][field]);
        if property.is_some_and(|property| property[labels::WHOLE] == true) {
            return self.content(content);
        }
        let is_markdown = content.kind == ContentKind::Markdown;
        let labelled = labels::read(&content.text, self.schema, is_markdown)?;
        let rest = Content { text: labelled.rest, ..content };
        let is_set = self.target(&rest).is_some_and(|field| labelled.fields.contains_key(field));
        self.given.fields.extend(labelled.fields);
        if rest.text.trim().is_empty() {
            return Ok(());
        }
        if is_set { self.rest(&rest) } else { self.content(rest) }
    }

    /// Adds the rest of a document whose main field is set by a label.
    fn rest(&mut self, content: &Content) -> Result<()> {
        let mut all = self.schema["properties"].as_object().into_iter().flatten();
        let Some((field, _)) = all.find(|(_, property)| property[labels::REST] == true) else {
            let first = text::title(content.text.trim().lines().next().unwrap_or_default());
            return Err(Fault::Refused(format!(
                "no field accepts the text {first:?}; add a label"
            )));
        };
        let text = match self.given.fields.get(field).and_then(Value::as_str) {
            Some(before) => format!("{before}\n\n{}", content.text),
            None => content.text.clone(),
        };
        self.given.fields.insert(field.clone(), text.into());
        Ok(())
    }

    /// Puts content into the field of its kind.
    fn content(&mut self, content: Content) -> Result<()> {
        let Some(field) = self.target(&content) else { return Err(self.refusal(&content)) };
        let property = &self.schema["properties"][field];
        let value = match &content.value {
            Some(Value::Array(items)) if typed::types(property) == ["string"] => {
                let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                texts.map_or_else(|| Value::from(items.clone()), |texts| bullets(texts).into())
            }
            Some(one @ Value::Object(_)) if typed::types(property).contains(&"array") => {
                json!([one])
            }
            Some(value) => value.clone(),
            None => coerce(field, &content.text, property)?,
        };
        if self.given.fields.contains_key(field) {
            return Err(Fault::Refused(format!(
                "{} is given twice, as arguments and as a file or pipe; give one of them",
                content.kind.name()
            )));
        }
        self.placed.push(field);
        self.given.fields.insert(field.to_owned(), value);
        if let Some(kind) = self.forced.filter(|_| self.definition.contents.first() == Some(&field))
        {
            self.given.fields.insert(KIND.to_owned(), kind.name().into());
        }
        if self.definition.contents.contains(&field) {
            self.given.contents.insert(field, content);
        }
        Ok(())
    }

    /// Recognises the content of fields that were set by their names.
    fn recognise_fields(&mut self, accepted: &[ContentKind]) -> Result<()> {
        let Given { fields, contents, .. } = &mut self.given;
        let stated = fields.get(KIND).and_then(Value::as_str).and_then(ContentKind::named);
        for field in self.definition.contents {
            let is_first = self.definition.contents.first() == Some(field);
            let stated = stated.filter(|kind| is_first && self.definition.field(*kind).is_some());
            let known = contents.get(field).map(|content| content.kind);
            if known.is_some() && stated.is_none_or(|stated| known == Some(stated)) {
                continue;
            }
            if let Some(value) = fields.get(*field).filter(|value| typed::is_given(value)) {
                let content = recognise::of_value(value, stated, accepted);
                contents.insert(field, content.map_err(|fault| fault.of_value(field))?);
            }
        }
        Ok(())
    }

    /// The field of content: that of its kind, else of the nearest more general one. Text that no field accepts is refused by
    /// the notation that the skill reads.
    fn target(&self, content: &Content) -> Option<&'static str> {
        use ContentKind as K;
        let general: &[ContentKind] = match content.kind {
            K::Markdown | K::Gherkin | K::Commit | K::Notation(_) | K::Ddl | K::Range => &[K::Text],
            K::Model | K::JsonSchema | K::OpenApi => &[K::Sample],
            K::Sample if content.value.as_ref().is_some_and(|value| !value.is_object()) => {
                &[K::Text]
            }
            _ => &[],
        };
        let mut kinds = std::iter::once(content.kind).chain(general.iter().copied());
        let notation = |takes: &&Takes| matches!(takes.kind, ContentKind::Notation(_));
        let notations = || self.definition.takes.iter().find(notation).map(|takes| takes.field);
        kinds
            .find_map(|kind| self.definition.field(kind))
            .or_else(|| notations().filter(|_| content.value.is_none()))
    }

    fn refusal(&self, content: &Content) -> Fault {
        if let Some(Value::Object(map)) = &content.value
            && let Some(name) = map.keys().next()
        {
            return typed::unknown("", name, self.schema);
        }
        let form = |takes: &Takes| match (takes.kind, takes.kind.name()) {
            (ContentKind::Notation(notation), name) => format!("{name} (`{}`)", notation.example()),
            (_, name) => name.to_owned(),
        };
        Fault::Refused(format!(
            "the input is {}, which this skill does not accept; it accepts {}",
            content.kind.name(),
            listed(self.definition.takes.iter().map(form), "only fields")
        ))
    }

    fn envelope(&mut self, map: &Map<String, Value>) -> Result<()> {
        let upstream = Upstream::of_envelope(map)?;
        if !self.definition.accepts.contains(&upstream.kind) {
            let known = self.definition.accepts.iter().map(ToString::to_string);
            return Err(Fault::Refused(format!(
                "{} produces {}, which this skill does not accept; it accepts {}",
                upstream.skill,
                upstream.kind,
                listed(known, "no output of another skill")
            )));
        }
        self.given.upstream = Some(upstream);
        Ok(())
    }
}

/// The names between commas; `none` if there are none.
fn listed(names: impl Iterator<Item = String>, none: &str) -> String {
    Some(names.collect::<Vec<_>>().join(", ")).filter(|all| !all.is_empty()).unwrap_or(none.into())
}
