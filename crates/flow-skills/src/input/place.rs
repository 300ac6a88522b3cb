//! Puts recognised content, its labels and the `key=value` words of a call into the fields of one object.

use serde_json::{Map, Value, json};

use super::coerce::{coerce, with_newlines};
use super::content::{Content, ContentKind};
use super::definition::{Definition, Request, Takes};
use super::given::Given;
use super::keywords::{REST, WHOLE};
use super::kind::Upstream;
use super::parse::yaml_value;
use super::typed::{self, property, types};
use super::{labels, recognise};
use crate::output::{Fault, Result, shown};
use crate::page::bullets;
use crate::text;

/// The field for the kind of the content in the first of [`Definition::contents`], if the user specified it.
const KIND: &str = "as";

/// Puts a request and its contents into fields.
///
/// # Errors
/// When a word names no field, the skill does not accept a content, or a field is set twice.
pub fn place(definition: &Definition, request: &Request, contents: Vec<Content>) -> Result<Given> {
    let schema = (definition.schema)();
    let assigned = assigned(request, &schema)?;
    let mut placer = Placer {
        definition,
        schema: &schema,
        given: Given::default(),
        placed: Vec::new(),
        stated: request.kind,
    };
    for content in contents {
        placer.add(content)?;
    }
    if let Some(field) = placer.placed.iter().find(|field| assigned.contains_key(**field)) {
        return Err(Fault::Refused(format!(
            "{field} is given twice, as {field}=… and as text or a file; give one of them"
        )));
    }
    placer.assign(assigned)?;
    placer.recognise_fields()?;
    Ok(placer.given)
}

/// The fields that the words and the fields of a request set.
fn assigned(request: &Request, schema: &Value) -> Result<Map<String, Value>> {
    let mut assigned = Map::new();
    let mut unknown: Vec<&str> = Vec::new();
    for (name, text) in &request.pairs {
        let Some((field, property)) = property(schema, name) else {
            unknown.push(name);
            continue;
        };
        let value = coerce(field, &with_newlines(text), property)?;
        let is_list = types(property).contains(&"array");
        let value = match assigned.remove(field) {
            Some(before) if is_list => joined(before, value),
            Some(_) => {
                let what = format!("{field} is given twice, the second time as {name}=…");
                return Err(Fault::Refused(what));
            }
            None => value,
        };
        assigned.insert(field.to_owned(), value);
    }
    if !unknown.is_empty() {
        return Err(typed::unknown("", &unknown, schema));
    }
    assigned.extend(typed::named(&typed::without_blanks(&request.fields), schema));
    Ok(assigned)
}

/// The items of two values of a list.
fn joined(before: Value, more: Value) -> Value {
    let items = |value| match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    items(before).into_iter().chain(items(more)).collect()
}

/// Any value of a file of variables may be a secret, whatever its name.
const VALUES_LEFT_OUT: &str = "the values of the variables are left out, since they may be secrets (to keep one, give env='NAME=value')";

const COMMENTS_LEFT_OUT: &str =
    "the comments of the file of variables are left out, also those by which one is optional";

struct Placer<'a> {
    definition: &'a Definition,
    schema: &'a Value,
    given: Given,
    /// Fields that were set by content.
    placed: Vec<&'static str>,
    /// The kind of the content, if the user specified it.
    stated: Option<ContentKind>,
}

impl Placer<'_> {
    fn add(&mut self, content: Content) -> Result<()> {
        use ContentKind as K;
        match (content.kind, &content.value) {
            (K::Envelope, Some(Value::Object(map))) => self.envelope(map),
            (K::Fields, Some(Value::Object(map))) => self.object(map.clone()),
            (K::Sample | K::JsonSchema | K::Model, Some(Value::Object(map)))
                if self.stated.is_none() && self.are_fields(content.kind, map) =>
            {
                self.object(map.clone())
            }
            (K::Sample | K::JsonSchema | K::Model, Some(Value::Object(map)))
                if self.stated.is_none() =>
            {
                self.note_nearly_fields(map);
                self.content(content)
            }
            (K::Text | K::Markdown, _) => self.text(content),
            (K::Ddl, _) if self.definition.field(K::Ddl).is_none() && is_whole_sql(&content) => {
                Err(self.refusal(&content))
            }
            // A notation may have labels around it. What the skill does not take as such is a text.
            (kind, None) if kind.example().is_some() || self.definition.field(kind).is_none() => {
                self.text(content)
            }
            (K::Dotenv, _) => {
                let has_value = |line: &str| {
                    line.split_once('=').is_some_and(|(_, value)| !value.trim().is_empty())
                };
                if content.text.lines().any(has_value) {
                    self.given.notes.push(VALUES_LEFT_OUT.to_owned());
                }
                if content.text.lines().any(|line| line.trim_start().starts_with('#')) {
                    self.given.notes.push(COMMENTS_LEFT_OUT.to_owned());
                }
                self.content(content)
            }
            _ => self.content(content),
        }
    }

    fn object(&mut self, mut members: Map<String, Value>) -> Result<()> {
        (self.definition.prepare)(&mut members);
        self.assign(typed::named(&members, self.schema))
    }

    fn property(&self, field: &str) -> &Value {
        &self.schema["properties"][field]
    }

    /// Sets fields by their names, which take precedence over labels.
    fn assign(&mut self, mut fields: Map<String, Value>) -> Result<()> {
        self.labels_of_text_field(&mut fields)?;
        for (field, value) in fields {
            self.set(field, value);
        }
        Ok(())
    }

    /// Sets a field; what is replaced is noted.
    fn set(&mut self, field: String, value: Value) {
        if let Some(before) = self.given.fields.get(&field).filter(|before| **before != value) {
            let note = format!("{field}=… replaces {} of the input", shown(before));
            self.given.notes.push(note);
        }
        self.given.fields.insert(field, value);
    }

    /// Reads the labels in the field for text, if it takes only what has no label.
    fn labels_of_text_field(&mut self, fields: &mut Map<String, Value>) -> Result<()> {
        let Some(field) = self.definition.field(ContentKind::Text) else { return Ok(()) };
        if self.property(field)[REST] == true
            && let Some(Value::String(text)) = fields.get(field)
        {
            let content = recognise::prose(text);
            fields.shift_remove(field);
            self.text(content)?;
        }
        Ok(())
    }

    /// Whether an object that may be data is the skill's fields. Where it may be a sample, it is by a field that describes
    /// data: `{"name": "Ada"}` is a sample.
    fn are_fields(&self, kind: ContentKind, map: &Map<String, Value>) -> bool {
        let takes_data = self.definition.field(ContentKind::Sample).is_some();
        let is_content = |field: &str| {
            self.definition.takes.iter().any(|takes| takes.field == field)
                || self.definition.instead.contains(&field)
        };
        let is_field = |key: &String| {
            let field = property(self.schema, key).map(|(field, _)| field);
            field.is_some_and(|field| !takes_data || is_content(field))
        };
        map.is_empty() && self.definition.field(kind).is_none() || map.keys().any(is_field)
    }

    /// Notes that a name of a sample is nearly that of a field for content, or that of an option: likelier a mistake than
    /// data. Many samples have a name.
    fn note_nearly_fields(&mut self, map: &Map<String, Value>) {
        let known: Vec<&str> = self.definition.takes.iter().map(|takes| takes.field).collect();
        let is_near = |key: &&String| {
            map.len() == 1 && typed::nearest(key, &known).is_some()
                || *key != "name" && self.schema["properties"].get(key).is_some()
        };
        if let Some(key) = map.keys().find(is_near) {
            self.given.notes.push(format!(
                "took the object as data, although {key:?} is or resembles a field (--as fields reads it as fields)"
            ));
        }
    }

    /// Adds a text: its labels set fields, and what has no label goes to the field for the text, or beside it if a label sets
    /// that.
    fn text(&mut self, content: Content) -> Result<()> {
        let field = self.target(&content).ok();
        let is_whole = field.is_some_and(|field| self.property(field)[WHOLE] == true);
        // A label would be an entity: `name: string`.
        if is_whole || content.kind == ContentKind::Entities {
            return self.content(content);
        }
        let is_markdown = content.kind == ContentKind::Markdown;
        let labelled = labels::read(&content.text, self.schema, is_markdown)?;
        let is_set = field.is_some_and(|field| labelled.fields.contains_key(field));
        if let Some((members, _)) = text::front_matter(&content.text) {
            self.front_matter(members);
        }
        for (field, value) in labelled.fields {
            self.set(field, value);
        }
        let rest = Content { text: labelled.rest, ..content };
        if rest.text.trim().is_empty() {
            return Ok(());
        }
        if is_set { self.rest(rest.text) } else { self.content(rest) }
    }

    /// Sets fields by the members of a document's front matter; a note names the members that no field takes: they are another
    /// tool's.
    fn front_matter(&mut self, text: &str) {
        let Ok(Value::Object(members)) = yaml_value(text) else {
            self.given.notes.push("the front matter is left out: it has no members".to_owned());
            return;
        };
        let mut others: Vec<&str> = Vec::new();
        for (name, value) in &members {
            let field = property(self.schema, name).and_then(|(field, property)| {
                let value = match value {
                    Value::String(text) => coerce(field, text, property).ok()?,
                    Value::Array(_) if types(property).contains(&"array") => value.clone(),
                    Value::Number(_) if types(property).contains(&"integer") => value.clone(),
                    _ => return None,
                };
                Some((field.to_owned(), value))
            });
            match field {
                Some((field, value)) => self.set(field, value),
                None => others.push(name),
            }
        }
        if !others.is_empty() {
            let note = format!("left out of the front matter: {}", others.join(", "));
            self.given.notes.push(note);
        }
    }

    /// Adds the text without a label to the field for it.
    fn rest(&mut self, rest: String) -> Result<()> {
        let mut properties = self.schema["properties"].as_object().into_iter().flatten();
        let Some((field, _)) = properties.find(|(_, property)| property[REST] == true) else {
            let first = text::title(rest.trim().lines().next().unwrap_or_default());
            return Err(Fault::Refused(format!(
                "no field accepts the text {first:?}; add a label"
            )));
        };
        let text = match self.given.fields.get(field).and_then(Value::as_str) {
            Some(labelled) => format!("{labelled}\n\n{rest}"),
            None => rest,
        };
        self.given.fields.insert(field.clone(), text.into());
        Ok(())
    }

    /// Puts content into the field of its kind.
    fn content(&mut self, content: Content) -> Result<()> {
        let field = self.target(&content)?;
        if self.given.fields.contains_key(field) {
            return Err(Fault::Refused(format!(
                "{} is given twice, as arguments and as a file or pipe; give one of them",
                content.kind.name()
            )));
        }
        let property = self.property(field);
        let value = match &content.value {
            Some(Value::Array(items)) if types(property) == ["string"] => {
                let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                texts.map_or_else(|| Value::from(items.clone()), |texts| bullets(texts).into())
            }
            Some(one @ Value::Object(_)) if types(property).contains(&"array") => json!([one]),
            Some(value) => value.clone(),
            None => coerce(field, &content.text, property)?,
        };
        self.placed.push(field);
        self.given.fields.insert(field.to_owned(), value);
        if self.definition.contents.contains(&field) {
            self.given.contents.insert(field, content);
        }
        Ok(())
    }

    /// Recognises the content of fields that were set by their names.
    fn recognise_fields(&mut self) -> Result<()> {
        let accepted = self.definition.accepted();
        let Given { fields, contents, .. } = &mut self.given;
        let stated = fields.get(KIND).and_then(Value::as_str).and_then(ContentKind::named);
        for (at, field) in self.definition.contents.iter().enumerate() {
            let stated = stated.filter(|kind| at == 0 && accepted.contains(kind));
            let known = contents.get(field).map(|content| content.kind);
            if known.is_some() && stated.is_none_or(|stated| known == Some(stated)) {
                continue;
            }
            if let Some(value) = fields.get(*field).filter(|value| typed::is_given(value)) {
                let content = recognise::of_value(value, stated, &accepted);
                contents.insert(field, content.map_err(|fault| fault.of_value(field))?);
            }
        }
        Ok(())
    }

    /// The field of content: that of its kind, else of the nearest more general one. Text that no field accepts is refused by
    /// the notation that the skill reads.
    fn target(&self, content: &Content) -> Result<&'static str> {
        use ContentKind as K;
        let general = match content.kind {
            K::Model => K::Sample,
            K::Sample if content.value.as_ref().is_some_and(Value::is_object) => K::Sample,
            K::Envelope | K::Fields | K::Dotenv | K::JsonSchema | K::OpenApi => content.kind,
            _ => K::Text,
        };
        let field = self.definition.field(content.kind).or_else(|| self.definition.field(general));
        let mut notations = self.definition.takes.iter().filter(|t| t.kind.example().is_some());
        let notation = notations.next().filter(|_| content.value.is_none());
        let field = field.or_else(|| notation.map(|takes| takes.field));
        field.ok_or_else(|| self.refusal(content))
    }

    fn refusal(&self, content: &Content) -> Fault {
        let readers = content.kind.readers();
        if let Some(Value::Object(map)) = &content.value
            && readers.is_none()
            && !map.is_empty()
        {
            let names: Vec<&str> = map.keys().map(String::as_str).collect();
            return typed::unknown("", &names, self.schema);
        }
        let form = |takes: &Takes| match takes.kind.example() {
            Some(example) => format!("{} (`{example}`)", takes.kind.name()),
            None => takes.kind.name().to_owned(),
        };
        let given = readers.map_or_else(
            || format!("the input is {}, which this skill does not accept", content.kind.name()),
            |readers| format!("{readers}, and this skill does not"),
        );
        let accepted = listed(self.definition.takes.iter().map(form), "only fields");
        Fault::Refused(format!("{given}; it accepts {accepted}"))
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

/// Whether SQL ends as a statement does: a text may begin like one.
fn is_whole_sql(content: &Content) -> bool {
    content.text.trim_end().ends_with(';')
}

/// The names between commas; `none` if there are none.
fn listed(names: impl Iterator<Item = String>, none: &str) -> String {
    Some(names.collect::<Vec<_>>().join(", ")).filter(|all| !all.is_empty()).unwrap_or(none.into())
}
