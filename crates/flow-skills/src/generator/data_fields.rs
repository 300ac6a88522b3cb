//! The fields that describe data, shared by the skills over the data model: `#[serde(flatten)] data: DataFields` in
//! their input, and [`TAKES`] in their row.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::data::{
    Entity, Generated, Model, Shape, SqlDialect, Type, ddl, in_place, json_schema, openapi,
    samples, text,
};
use crate::input::content::{Content, ContentKind};
use crate::input::definition::{Definition, Takes, takes};
use crate::input::forms::is_dotenv;
use crate::input::given::Given;
use crate::input::kind::{Kind, Upstream};
use crate::input::values::Line;
use crate::notation::entities::NAMELESS;
use crate::output::{Fault, Result, bad, missing};
use crate::story::data as story_data;
use crate::text::first;

/// The field for content that describes data.
const SOURCE: &str = "source";

/// The content that describes data.
const TAKES: &[Takes] = &[
    takes(ContentKind::Entities, "source"),
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
    Definition { takes: TAKES, contents: &[SOURCE], accepts: ACCEPTS, ..Definition::of::<T>() }
}

/// A description of the data, unless that is the output of another skill.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct DataFields {
    /// A description of the data: entities (`User: id uuid pk, email string unique`), JSON, YAML, a JSON Schema, an
    /// OpenAPI document or SQL; its kind is recognised.
    // It and its kind are here for the schema: [`Given::contents`] has what they give.
    #[serde(rename = "source")]
    #[schemars(extend("x-labels" = ["samples", "schema", "openapi", "ddl", "model"]))]
    _source: Option<Value>,
    /// The kind of the source, if it is not recognised (`--as KIND`).
    #[serde(rename = "as")]
    _kind: Option<SourceKind>,
    /// The name of the main entity, if the input does not contain one. Default: Root.
    name: Option<Line>,
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SourceKind {
    Entities,
    Sample,
    JsonSchema,
    Openapi,
    Ddl,
    Model,
}

/// Whether there is a source.
pub(super) fn is_given(given: &Given) -> bool {
    given.contents.contains_key(SOURCE)
}

/// The first sample in the source.
pub(super) fn sample(given: &Given) -> Option<&Value> {
    let content = given.contents.get(SOURCE)?;
    let value = content.value.as_ref().filter(|_| content.kind == ContentKind::Sample)?;
    samples(value).first()
}

/// Largest number of columns that a note names.
const NAMED: usize = 5;

/// A note on what a database alone keeps of a model: unique columns, and times and ids that it generates.
pub(super) fn only_in_database(model: &Model) -> Option<String> {
    let (mut unique, mut generated) = (Vec::new(), Vec::new());
    for (name, entity) in &model.entities {
        let Some(table) = &entity.table else { continue };
        unique.extend(table.unique.iter().map(|columns| format!("{name}.{}", columns.join("+"))));
        let columns = table.generated.iter().filter(|(_, value)| **value != Generated::Identity);
        generated.extend(columns.map(|(column, _)| format!("{name}.{column}")));
    }
    let parts = [("unique", unique), ("the generated default of", generated)];
    let parts = parts.into_iter().filter(|(_, columns)| !columns.is_empty());
    let parts: Vec<String> =
        parts.map(|(what, columns)| format!("{what} {}", first(columns, NAMED, " and "))).collect();
    (!parts.is_empty())
        .then(|| format!("left out, as only a database has it: {}", parts.join("; ")))
}

impl DataFields {
    /// The model of the source, else of the previous skill's output.
    pub(super) fn read(&self, given: &Given) -> Result<Model> {
        let model = self.read_any(given, None)?;
        if model.entities.is_empty() {
            return Err(Fault::Refused(
                "the input describes no entity: give at least one, with its fields".into(),
            ));
        }
        Ok(model)
    }

    /// Like [`Self::read`], but a model without entities is allowed, and SQL has a dialect.
    pub(super) fn read_any(&self, given: &Given, dialect: Option<SqlDialect>) -> Result<Model> {
        let name = self.name.as_deref().unwrap_or(NAMELESS);
        let mut model = match (given.contents.get(SOURCE), &given.upstream) {
            (Some(content), _) => of_content(content, name, dialect)?,
            (None, Some(upstream)) => of_skill(upstream)?,
            (None, None) => {
                let expects =
                    "TEXT such as `User: id uuid pk, email string unique`, or --input FILE";
                return Err(missing(SOURCE, expects, "what describes the data"));
            }
        };
        let is_used = |name: &&str| model.entities.contains_key(*name);
        if let Some(name) = self.name.as_deref().filter(|name| !is_used(name)) {
            let known = first(model.entities.keys(), SHOWN, " and ");
            let note =
                format!("name={name} is not used: the input names what it describes ({known})");
            model.notes.push(note);
        }
        Ok(model)
    }
}

/// The model that content describes; what has no name in it gets `name`.
pub(super) fn of_content(
    content: &Content,
    name: &str,
    dialect: Option<SqlDialect>,
) -> Result<Model> {
    let text = content.text.as_str();
    let model = match (content.kind, &content.value) {
        (ContentKind::OpenApi, Some(value)) => openapi::read(value, SOURCE)?,
        (ContentKind::JsonSchema, Some(value)) => json_schema::read(value, name, SOURCE)?,
        (ContentKind::Model, Some(value)) => {
            let wrong = |error| bad(SOURCE, value, &format!("a data model ({error})"));
            Model::deserialize(value).map_err(wrong)?
        }
        (_, Some(value)) if is_postman(value) => return Err(not_read("a Postman collection")),
        (_, Some(value)) => samples::read(samples(value), name, SOURCE)?,
        (ContentKind::Ddl, None) => ddl::read(text, dialect)?,
        (_, None) => match serde_json::from_str(text) {
            Ok(scalar) => samples::read(&[scalar], name, SOURCE)?,
            Err(_) => text::notation(text, name, SOURCE).map_err(|fault| match () {
                () if is_prisma(text) => not_read("a Prisma schema"),
                () if is_dotenv(text) => not_read("a file of variables without types"),
                () => fault,
            })?,
        },
    };
    in_place::check(&model)?;
    Ok(model)
}

/// The fault of a form of another tool that is recognised.
fn not_read(what: &str) -> Fault {
    let instead = "entities such as `User: id uuid pk`, samples, a JSON Schema, OpenAPI or SQL";
    Fault::Refused(format!("the input is {what}, which is not read; give {instead}"))
}

fn is_postman(value: &Value) -> bool {
    let schema = value.pointer("/info/schema").and_then(Value::as_str);
    schema.is_some_and(|schema| schema.contains("getpostman.com"))
}

fn is_prisma(text: &str) -> bool {
    text.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words.as_slice(), ["model" | "datasource" | "generator", _, "{"])
    })
}

/// Samples of one entity: a list of objects is several, any other value is one.
fn samples(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => items,
        one => std::slice::from_ref(one),
    }
}

/// Most names of entities that a note lists.
const SHOWN: usize = 10;

/// Where the output of the story skills contains the data of the story.
const STORIES: [&str; 2] = ["/story/data", "/data"];

/// The model in another skill's output.
fn of_skill(before: &Upstream) -> Result<Model> {
    let Upstream { skill, data, .. } = before;
    let story = STORIES.iter().find_map(|place| data.pointer(place)?.as_array());
    let model = match (before.read::<Model>()?, story) {
        (Some(model), _) => model,
        (None, Some(lines)) => of_story(data, lines)?,
        (None, None) => Model::deserialize(data.get("model").unwrap_or(data)).map_err(|error| {
            Fault::Refused(format!("the output of {skill:?} holds no data model: {error}"))
        })?,
    };
    in_place::check(&model)?;
    Ok(model)
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
