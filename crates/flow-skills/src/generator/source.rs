//! Reads a data model from a field or from the output of another skill.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::data::ddl::{self, Reading};
use crate::data::{Entity, Model, Shape, Type, in_place, text};
use crate::input::kind::Upstream;
use crate::input::recognise::is_sql;
use crate::output::{Fault, Result, bad, bad_given};
use crate::story::data as story_data;
use crate::text::yaml;

/// Where the output of the story skills contains the data of the story.
const STORIES: [&str; 2] = ["/story/data", "/data"];

/// The beginnings of generated code, which is not a text about data, with `|` between them.
const CODE: &str =
    "export interface |export type |export const |import |from __future__ |from pydantic ";

/// A model, with the notes of its reader on what could not be preserved.
pub(super) struct Read {
    pub(super) model: Model,
    pub(super) notes: Vec<String>,
}

impl From<Model> for Read {
    fn from(model: Model) -> Self {
        Self { model, notes: Vec::new() }
    }
}

/// The model of SQL.
pub(super) fn of_ddl(text: &str, reading: Reading) -> Result<Read> {
    ddl::read_as(text, reading).map(|(model, notes)| Read { model, notes })
}

/// The model in a field: in the model's own format, or as SQL or entities.
pub(super) fn from_value(field: &str, value: &Value, reading: Reading) -> Result<Read> {
    if let Some(text) = value.as_str() {
        if is_sql(text) {
            return of_ddl(text, reading);
        }
        refuse_code(text)?;
        return text::notation(text, field).map(Read::from);
    }
    Model::deserialize(value)
        .map(Read::from)
        .map_err(|error| bad(field, value, &format!("a data model ({error})")))
}

/// A value given as JSON, or as a text that contains JSON or YAML.
pub(super) fn parsed(value: &Value, field: &str) -> Result<Value> {
    let Value::String(text) = value else { return Ok(value.clone()) };
    serde_json::from_str(text).or_else(|_| yaml::read(text)).map_err(|error| {
        Fault::Unreadable(format!("the field {field:?} is neither JSON nor YAML: {error}"))
    })
}

/// The model in another skill's output.
pub(super) fn of_skill(before: &Upstream) -> Result<Model> {
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

/// Refuses code that skills generate.
pub(super) fn refuse_code(text: &str) -> Result<()> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if CODE.split('|').any(|word| first.starts_with(word)) {
        return Err(Fault::Refused(
            "this is code, from which the data is not read back; the skill that wrote it passes on its envelope with --json".into(),
        ));
    }
    Ok(())
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
pub(super) fn check_references(model: &Model) -> Result<()> {
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
