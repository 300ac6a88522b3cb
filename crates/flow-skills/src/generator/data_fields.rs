//! The fields that describe data, shared by the skills over the data model: `#[serde(flatten)] data: DataFields` in
//! their input, and [`TAKES`] in their row.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::data::{
    Entity, Model, Shape, SqlDialect, Type, ddl, in_place, json_schema, openapi, samples, text,
};
use crate::input::kind::{Kind, Upstream};
use crate::input::notation::entities::NAMELESS;
use crate::input::notation::{Notation, entities};
use crate::input::place::{Definition, Takes, takes};
use crate::input::recognise;
use crate::input::recognise::{Content, ContentKind};
use crate::input::values::{Line, Word};
use crate::output::{Fault, Result, bad, bad_given, bad_text, missing};
use crate::story::data as story_data;

/// The content that describes data.
const TAKES: &[Takes] = &[
    takes(ContentKind::Notation(Notation::Entities), "source"),
    takes(ContentKind::Sample, "source"),
    takes(ContentKind::JsonSchema, "source"),
    takes(ContentKind::OpenApi, "source"),
    takes(ContentKind::Ddl, "source"),
    takes(ContentKind::Model, "source"),
];

/// [`TAKES`], followed by more; `ALL` is their total number.
pub(super) const fn takes_and<const MORE: usize, const ALL: usize>(
    more: [Takes; MORE],
) -> [Takes; ALL] {
    let mut all = [TAKES[0]; ALL];
    let mut at = 1;
    while at < ALL {
        all[at] = if at < TAKES.len() { TAKES[at] } else { more[at - TAKES.len()] };
        at += 1;
    }
    all
}

/// The kinds of data that contain a model.
pub(super) const ACCEPTS: &[Kind] =
    &[Kind::Model, Kind::Tables, Kind::Story, Kind::Criteria, Kind::Cases];

/// The definition of an input that is [`DataFields`] and options.
pub(super) const fn definition<T: DeserializeOwned + JsonSchema>() -> Definition {
    Definition { takes: TAKES, accepts: ACCEPTS, ..Definition::of::<T>() }
}

/// A description of the data, unless that is the output of another skill.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct DataFields {
    /// A description of the data: entities (`User: id uuid pk, email string unique`), JSON, YAML, a JSON Schema, an
    /// OpenAPI document or SQL; its kind is recognised.
    #[serde(
        alias = "samples",
        alias = "schema",
        alias = "openapi",
        alias = "ddl",
        alias = "model"
    )]
    #[schemars(extend("x-labels" = ["samples", "schema", "openapi", "ddl", "model"]))]
    source: Option<Value>,
    /// The kind of the source, if it is not recognised: sample, json-schema, openapi, ddl, model or entities (`--as KIND`).
    #[serde(rename = "as")]
    kind: Option<Word>,
    /// The name of the main entity, if the input does not contain one. Default: Root.
    name: Option<Line>,
}

impl DataFields {
    /// The model of the source, else of the previous skill's output.
    pub(super) fn read(&self, upstream: Option<&Upstream>) -> Result<Model> {
        let model = self.read_any(upstream, None)?;
        if model.entities.is_empty() {
            return Err(Fault::Refused(
                "the input describes no entity: give at least one, with its fields".into(),
            ));
        }
        Ok(model)
    }

    /// Whether there is a source.
    pub(super) fn is_given(&self) -> bool {
        self.source.is_some()
    }

    /// The first sample.
    pub(super) fn sample(&self) -> Option<Value> {
        let content = content(self.source.as_ref()?, self.kind().ok()?).ok()?;
        let value = content.value.filter(|_| content.kind == ContentKind::Sample)?;
        samples(value).into_iter().next()
    }

    /// Like [`Self::read`], but a model without entities is allowed, and SQL has a dialect.
    pub(super) fn read_any(
        &self,
        upstream: Option<&Upstream>,
        dialect: Option<SqlDialect>,
    ) -> Result<Model> {
        let name = self.name.as_deref().unwrap_or(NAMELESS);
        let mut model = match (&self.source, upstream) {
            (Some(value), _) => of_content(content(value, self.kind()?)?, name, dialect)?,
            (None, Some(upstream)) => of_skill(upstream)?,
            (None, None) => {
                let expects =
                    "TEXT such as `User: id uuid pk, email string unique`, or --input FILE";
                return Err(missing("source", expects, "what describes the data"));
            }
        };
        check_references(&model)?;
        let is_used = |name: &&str| model.entities.contains_key(*name);
        if let Some(name) = self.name.as_deref().filter(|name| !is_used(name)) {
            let known = model.entities.keys().map(String::as_str).take(SHOWN);
            let known: Vec<&str> = known.collect();
            let note = format!(
                "name={name} is not used: the input names what it describes ({})",
                known.join(", ")
            );
            model.notes.push(note);
        }
        Ok(model)
    }

    /// The kind that the source is said to have.
    fn kind(&self) -> Result<Option<ContentKind>> {
        let Some(word) = &self.kind else { return Ok(None) };
        let kind =
            ContentKind::named(word).filter(|kind| TAKES.iter().any(|takes| takes.kind == *kind));
        let names: Vec<&str> = TAKES.iter().map(|takes| takes.kind.name()).collect();
        let allowed = format!("one of {}", names.join(", "));
        kind.map(Some).ok_or_else(|| bad_text("as", word, &allowed))
    }
}

/// A model in a separate field: SQL, entities, or any other content that describes data.
pub(super) fn recognised(value: &Value, name: &str, dialect: Option<SqlDialect>) -> Result<Model> {
    let model = of_content(content(value, None)?, name, dialect)?;
    check_references(&model)?;
    Ok(model)
}

/// A source as content of its kind.
fn content(value: &Value, kind: Option<ContentKind>) -> Result<Content> {
    match (value, kind) {
        (Value::String(text), Some(kind)) => recognise::as_kind(text, kind),
        (Value::String(text), None) => {
            recognise::recognise(text, &[ContentKind::Notation(Notation::Entities)])
        }
        (value, kind) => {
            let content = recognise::classified("", value.clone());
            Ok(Content { kind: kind.unwrap_or(content.kind), ..content })
        }
    }
}

fn of_content(content: Content, name: &str, dialect: Option<SqlDialect>) -> Result<Model> {
    let Content { kind, text, value } = content;
    match (kind, value) {
        (ContentKind::OpenApi, Some(value)) => openapi::read(&value, "source"),
        (ContentKind::JsonSchema, Some(value)) => json_schema::read(&value, name, "source"),
        (ContentKind::Model, Some(value)) => {
            let wrong = |error| bad("source", &value, &format!("a data model ({error})"));
            Model::deserialize(&value).map_err(wrong)
        }
        (_, Some(value)) => samples::read(&samples(value), name, "source"),
        (ContentKind::Ddl, None) => ddl::read(&text, dialect),
        (_, None) => notation(&text, name),
    }
}

/// Samples of one entity: a list of objects is several, any other value is one.
fn samples(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => items,
        one => vec![one],
    }
}

/// Reads a text that is not a document: entities, or a JSON value that is not an object.
fn notation(text: &str, name: &str) -> Result<Model> {
    if let Ok(scalar) = serde_json::from_str(text) {
        return samples::read(&[scalar], name, "source");
    }
    let mut model = text::notation(text, "source")?;
    if entities::is_nameless(text)
        && let Some(entity) = model.entities.shift_remove(NAMELESS)
    {
        model.root = Some(name.to_owned());
        model.entities.insert(name.to_owned(), entity);
    }
    Ok(model)
}

/// Most names of entities that a note lists.
const SHOWN: usize = 10;

/// Where the output of the story skills contains the data of the story.
const STORIES: [&str; 2] = ["/story/data", "/data"];

/// The model in another skill's output.
fn of_skill(before: &Upstream) -> Result<Model> {
    if let Some(model) = before.read::<Model>()? {
        return Ok(model);
    }
    let Upstream { skill, data, .. } = before;
    if let Some(lines) = STORIES.iter().find_map(|place| data.pointer(place)?.as_array()) {
        return of_story(data, lines);
    }
    Model::deserialize(data.get("model").unwrap_or(data)).map_err(|error| {
        Fault::Refused(format!("the output of {skill:?} holds no data model: {error}"))
    })
}

/// The model of a story's data; of a story without data a form: an entity with a blank.
fn of_story(data: &Value, lines: &[Value]) -> Result<Model> {
    let lines: Vec<String> = lines.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let title = data.pointer("/story/title").or_else(|| data.get("title"));
    let title = title.and_then(Value::as_str).unwrap_or("Story");
    if !lines.is_empty() {
        return story_data::model(&lines, title);
    }
    let description = Some("<which fields it has, such as email: email>".to_owned());
    let shape = Shape { types: vec![Type::Object], description, ..Shape::default() };
    let name = story_data::entity(title);
    let entity = Entity { shape, table: None };
    Ok(Model {
        open: vec![format!(
            "fields of {name}: the story has no data (add a line such as `data: email email, minutes int` to it)"
        )],
        root: Some(name.clone()),
        entities: IndexMap::from([(name, entity)]),
        ..Model::default()
    })
}

/// Refuses a model with references that lead nowhere, or that cannot be followed to an end.
fn check_references(model: &Model) -> Result<()> {
    for (name, entity) in &model.entities {
        let mut open = vec![&entity.shape];
        while let Some(shape) = open.pop() {
            let target = shape.reference.as_ref();
            if let Some(target) = target.filter(|name| !model.entities.contains_key(*name)) {
                let known: Vec<&str> = model.entities.keys().map(String::as_str).take(20).collect();
                let allowed = format!("a reference to one of: {}", known.join(", "));
                return Err(bad_given(name, format!("a reference to {target:?}"), &allowed));
            }
            open.extend(shape.in_place().chain(shape.inside()));
        }
    }
    in_place::check(model)
}
