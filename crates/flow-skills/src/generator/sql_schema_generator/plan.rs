//! Plans the tables of a model in terms of one database, before any SQL is written.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::dialect::{Dialect, Kind, TableName};
use super::flatten::{Flat, flatten};
use super::tables::{Check, Column, Plan, Table};
use super::{column, lists, naming};
use crate::data::{Generated, KeyKind, Model, Relation, Shape, SqlType, Table as Keys, inherited};
use crate::output::{Fault, Result};
use crate::text::{self, first};

pub(super) fn plan(model: &Model, dialect: Dialect) -> Result<Plan> {
    let model = &inherited::listed(model);
    let tables = naming::tables(model);
    let mut plan = Plan::default();
    let model = &lists::lift_lists(model, &tables, &mut plan.notes);
    let tables = naming::tables(model);
    let names = naming::names(model, &tables, dialect);
    let used = HashSet::new();
    let (remarks, referred) = (IndexMap::new(), referred(model));
    let mut planner = Planner { model, dialect, names, referred, used, remarks, plan };
    for (entity, name) in planner.names.clone() {
        dialect.check_name(&format!("table {entity}"), &name.name)?;
        let scope = planner.scope(&name.key(), &name.name, None);
        if !planner.used.insert(scope) {
            let text = format!("two tables are named {:?} but for case", name.key());
            return Err(Fault::Refused(text));
        }
    }
    for (entity, name) in planner.names.clone() {
        let table = planner.table(&entity, name)?;
        planner.plan.tables.insert(table.key.clone(), table);
    }
    let mut plan = planner.plan;
    let remarks = planner.remarks.iter();
    plan.notes.extend(
        remarks.map(|(what, columns)| format!("{}: {what}", first(columns, NAMED, " and "))),
    );
    super::tables::check(&plan.tables)?;
    Ok(plan)
}

/// Types of one database whose values another one compares, keeps or forms otherwise.
const OF_ONE_DATABASE: &str = "citext timestamptz timetz money inet cidr macaddr interval xml tsvector bit varbit hstore point geometry \
    year set";
/// The length that a text of MySQL gets where it needs one.
const LENGTH: u64 = 255;
/// Largest number of columns in a note.
const NAMED: usize = 20;

struct Property<'a> {
    name: &'a str,
    shape: &'a Shape,
    is_required: bool,
}

pub(super) struct Planner<'a> {
    model: &'a Model,
    pub(super) dialect: Dialect,
    pub(super) names: IndexMap<String, TableName>,
    /// Entities and their columns that foreign keys refer to.
    referred: HashSet<(&'a str, &'a str)>,
    /// Used names of tables and constraints, in lower case.
    pub(super) used: HashSet<String>,
    /// What is said of columns, each with these.
    remarks: IndexMap<String, Vec<String>>,
    plan: Plan,
}

impl Planner<'_> {
    pub(super) fn note(&mut self, note: String) {
        self.plan.notes.push(note);
    }

    /// Notes what holds for a column, in one note with the others for which it does.
    fn remark(&mut self, place: &str, what: impl Into<String>) {
        self.remarks.entry(what.into()).or_default().push(place.to_owned());
    }

    fn table(&mut self, entity_name: &str, name: TableName) -> Result<Table> {
        let model = self.model;
        let entity = model.entities.get(entity_name).cloned().unwrap_or_default();
        let mut keys = entity.table.clone().unwrap_or_default();
        let key = name.key();
        let has_id = entity.shape.object.properties.contains_key("id");
        if keys.primary_key.is_empty() && keys.name.is_none() && has_id {
            keys.primary_key.push("id".into());
            self.note(format!("{key}: no primary key given; using id"));
        }
        self.rename_keys(entity_name, &mut keys);
        let mut table = Table {
            primary_name: self.key_name(&key, KeyKind::Primary, &keys.primary_key, &keys),
            key,
            name,
            primary_key: keys.primary_key.clone(),
            comment: entity.shape.description.clone(),
            is_own: keys.source.as_ref().is_some_and(|source| source.dialect == self.dialect),
            ..Table::default()
        };
        self.columns(&mut table, &mut keys, entity_name, &entity.shape)?;
        self.add_keys(entity_name, &mut table, &keys)?;
        Ok(table)
    }

    fn columns(
        &mut self,
        table: &mut Table,
        keys: &mut Keys,
        entity: &str,
        shape: &Shape,
    ) -> Result<()> {
        let object = &shape.object;
        for (property, shape) in &object.properties {
            let is_required = object.required.iter().any(|name| name == property);
            let property = Property { name: property, shape, is_required };
            self.column(table, keys, entity, &property)?;
        }
        let is_conditional = shape.in_place().count() > shape.all_of.len();
        if is_conditional || !shape.unchecked.is_empty() || object.property_names.is_some() {
            let note = "rules over several columns and on the names of members are not checked";
            self.note(format!("{}: {note}", table.key));
        }
        Ok(())
    }

    fn rename_keys(&self, entity: &str, keys: &mut Keys) {
        let rename = |column: &mut String| {
            *column = naming::column(self.model, entity, column, self.dialect);
        };
        keys.primary_key.iter_mut().for_each(rename);
        keys.unique.iter_mut().chain(&mut keys.indexes).flatten().for_each(rename);
        for relation in &mut keys.relations {
            relation.columns.iter_mut().for_each(rename);
            let to = relation.to.clone();
            for column in &mut relation.to_columns {
                *column = naming::column(self.model, &to, column, self.dialect);
            }
        }
    }

    /// Adds a column, whose name for a reference to another table differs from the property's.
    fn column(
        &mut self,
        table: &mut Table,
        keys: &mut Keys,
        entity: &str,
        property: &Property<'_>,
    ) -> Result<()> {
        let (name, Flat { shape, is_nullable }) = self.resolved(keys, entity, property);
        let place = format!("{}.{name}", table.key);
        self.dialect.check_name(&format!("column {place}"), &name)?;
        let is_key = is_in_key(keys, &name) || self.referred.contains(&(entity, property.name));
        let kind = column::kind(&shape);
        let generated = keys.generated.get(property.name).copied();
        let exact = self.exact(&place, keys, property.name, is_key);
        let has_default =
            shape.default.as_ref().is_some_and(|value| !value.is_null()) || generated.is_some();
        let is_required = keys.primary_key.contains(&name)
            || (property.is_required && (!is_nullable || exact.is_some()))
            || (!is_nullable && has_default && exact.is_none());
        let labels = labels(shape.enumeration.as_deref());
        let sql = match &exact {
            Some(exact) if exact.is_enumeration => self.enumeration(exact, &shape),
            Some(exact) => exact.sql.clone(),
            None => {
                self.note_kind(&place, &kind, is_key);
                self.note_conversion(&place, keys, property.name);
                let unzoned = self.without_zone(keys, property.name);
                let sized = self.sized(&place, &shape, &kind, is_key);
                unzoned.unwrap_or_else(|| self.dialect.kind(&sized, is_key))
            }
        };
        self.conditions(
            table,
            keys,
            &name,
            column::Source { shape: &shape, kind: &kind, sql: &sql, exact: exact.as_ref() },
        );
        let default = self.default_value(&place, &shape, &kind, generated, &sql);
        let is_identity = generated == Some(Generated::Identity);
        let comment = shape.description;
        let column = Column { sql, is_required, default, is_identity, comment, labels };
        if table.columns.insert(name.clone(), column).is_some() {
            return Err(Fault::Refused(format!(
                "two properties are the column {place}; rename one of them"
            )));
        }
        Ok(())
    }

    /// The type of a column in its source, if that is SQL of the same dialect.
    fn exact(&mut self, place: &str, keys: &Keys, property: &str, is_key: bool) -> Option<SqlType> {
        let source = keys.source.as_ref().filter(|source| source.dialect == self.dialect)?;
        let exact = source.columns.get(property)?.clone();
        if !exact.is_plain() {
            self.note(format!("{place}: {:?} is not a type: left out", exact.sql));
            return None;
        }
        let is_long = exact.sql.ends_with("text") || exact.sql.ends_with("blob");
        // A key of MySQL needs a length.
        (!(is_key && is_long && self.dialect == Dialect::MySql)).then_some(exact)
    }

    /// Notes a type of the source that this database does not have.
    fn note_conversion(&mut self, place: &str, keys: &Keys, property: &str) {
        let source = keys.source.as_ref().filter(|source| source.dialect != self.dialect);
        let Some(exact) = source.and_then(|source| source.columns.get(property)) else { return };
        let kind = exact.sql.split(['(', ' ', '[']).next().unwrap_or_default().to_lowercase();
        if text::lists(OF_ONE_DATABASE, &kind) {
            self.remark(
                place,
                format!(
                    "there is no {kind} here; the type written compares or keeps values otherwise"
                ),
            );
        }
    }

    /// MySQL's `datetime` as PostgreSQL's `timestamp`: neither has a time zone.
    fn without_zone(&self, keys: &Keys, property: &str) -> Option<String> {
        let source = keys.source.as_ref().filter(|source| source.dialect == Dialect::MySql)?;
        let exact = source.columns.get(property).filter(|exact| exact.is_plain())?;
        let digits = exact.sql.strip_prefix("datetime")?;
        (self.dialect == Dialect::Postgres).then(|| format!("timestamp{digits}"))
    }

    /// The type of an enumeration, which PostgreSQL creates by itself.
    fn enumeration(&mut self, exact: &SqlType, shape: &Shape) -> String {
        let item = shape.array.items.as_deref().unwrap_or(shape);
        let labels = labels(item.enumeration.as_deref()).unwrap_or_default();
        if self.dialect == Dialect::MySql {
            let labels: Vec<String> = labels.iter().map(|label| self.dialect.text(label)).collect();
            return format!("enum({})", labels.join(","));
        }
        self.plan.types.insert(exact.sql.trim_end_matches("[]").to_owned(), labels);
        exact.sql.clone()
    }

    fn conditions(
        &mut self,
        table: &mut Table,
        keys: &Keys,
        name: &str,
        source: column::Source<'_>,
    ) {
        let conditions = column::conditions(self.dialect, name, source);
        if !conditions.lost.is_empty() {
            let lost = conditions.lost.join(", ");
            let place = format!("{}.{name}", table.key);
            self.remark(&place, format!("{lost} is not checked by the database"));
        }
        if !conditions.all.is_empty() {
            let name = self.key_name(&table.key, KeyKind::Check, &[name.to_owned()], keys);
            table.checks.push(Check { name, condition: conditions.all.join(" AND ") });
        }
    }

    /// The name and shape of a property's column; a reference to another table becomes a relation and the shape of its
    /// key.
    fn resolved(&self, keys: &mut Keys, entity: &str, property: &Property<'_>) -> (String, Flat) {
        let is_table = |name: &str| self.names.contains_key(name);
        let mut flat = flatten(property.shape, self.model, &is_table);
        let mut name = naming::column(self.model, entity, property.name, self.dialect);
        if let Some(other) = flat.shape.reference.take() {
            match self.target(&other) {
                Some((id, target)) => {
                    name = format!("{name}_{id}");
                    let (columns, to_columns) = (vec![name.clone()], vec![id]);
                    keys.relations.push(Relation {
                        columns,
                        to: other,
                        to_columns,
                        ..Relation::default()
                    });
                    let shape = flatten(&target, self.model, &|_| false).shape;
                    let description = flat.shape.description;
                    flat.shape = Shape { description, default: None, ..shape };
                }
                None => flat.shape.reference = Some(other),
            }
        }
        (name, flat)
    }

    fn default_value(
        &mut self,
        place: &str,
        shape: &Shape,
        kind: &Kind,
        generated: Option<Generated>,
        sql: &str,
    ) -> Option<String> {
        match generated {
            Some(Generated::Identity) => return None,
            Some(generated) => {
                let expression = self.dialect.generated(generated, kind, sql);
                if expression.is_none() {
                    let what = format!("the database cannot make its value ({generated:?})");
                    self.note(format!("{place}: {what}"));
                }
                return expression;
            }
            None => {}
        }
        let value = shape.default.as_ref().filter(|value| !value.is_null())?;
        let text = match value.as_array().map(Vec::as_slice) {
            Some([]) if sql.ends_with("[]") => Some(format!("ARRAY[]::{sql}")),
            _ if sql.ends_with("[]") => None,
            _ => self.dialect.literal(value, kind),
        };
        let Some(text) = text else {
            self.note(format!("{place}: the default {value} does not fit the column: left out"));
            return None;
        };
        // MySQL accepts a default of a long type as an expression only.
        let is_long = sql.ends_with("text") || *kind == Kind::Json && !sql.starts_with("enum");
        Some(if self.dialect == Dialect::MySql && is_long { format!("({text})") } else { text })
    }

    /// A text of MySQL with a length where it needs one: a long one has no default, no key and no short list of values.
    fn sized(&mut self, place: &str, shape: &Shape, kind: &Kind, is_key: bool) -> Kind {
        if self.dialect != Dialect::MySql || *kind != Kind::Text(None) {
            return kind.clone();
        }
        let listed = shape.enumeration.iter().flatten().chain(&shape.constant);
        let is_listed = listed.clone().next().is_some();
        let texts = listed.chain(&shape.default).filter_map(Value::as_str);
        let longest = texts.map(|text| text.chars().count() as u64).max();
        if longest.is_none() && !is_key {
            self.remark(place, "no length given; using longtext (for varchar(255) add max 255)");
            return kind.clone();
        }
        let length = longest.unwrap_or_default().max(LENGTH);
        if !is_listed {
            self.remark(place, needs_length(length));
        }
        Kind::Text(Some(length))
    }

    fn note_kind(&mut self, place: &str, kind: &Kind, is_key: bool) {
        match (self.dialect, kind) {
            (Dialect::MySql, Kind::Bytes) if is_key => {
                self.remark(place, needs_length(LENGTH));
            }
            (Dialect::Sqlite, Kind::Decimal(_)) => {
                self.remark(place, "SQLite has no decimals; REAL is not exact");
            }
            _ => {}
        }
    }

    /// The column and shape for a reference to a table: its primary key, if that is one column.
    fn target(&self, table: &str) -> Option<(String, Shape)> {
        let entity = self.model.entities.get(table)?;
        let id = naming::key(entity)?;
        let shape = entity.shape.object.properties.get(id)?.clone();
        Some((naming::column(self.model, table, id, self.dialect), shape))
    }
}

/// What is said of a text of MySQL that gets a length.
fn needs_length(length: u64) -> String {
    format!("a key or a default needs a length in MySQL; using {length}")
}

/// Listed values, if all are texts.
fn labels(values: Option<&[Value]>) -> Option<Vec<String>> {
    let labels = values?.iter().filter(|value| !value.is_null());
    labels.map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The entities and columns that foreign keys refer to.
fn referred(model: &Model) -> HashSet<(&str, &str)> {
    let tables = model.entities.values().filter_map(|entity| entity.table.as_ref());
    let mut targets = HashSet::new();
    for relation in tables.flat_map(|keys| &keys.relations) {
        targets.extend(relation.to_columns.iter().map(|column| (&*relation.to, &**column)));
    }
    targets
}

/// Whether one of the table's own keys contains the column.
fn is_in_key(keys: &Keys, column: &String) -> bool {
    keys.primary_key.contains(column)
        || keys.unique.iter().chain(&keys.indexes).flatten().any(|key| key == column)
        || keys.relations.iter().any(|relation| relation.columns.contains(column))
}
