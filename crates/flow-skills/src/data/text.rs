//! Converts entities in the notation ([`entities`]) to the model, with the meanings of their types and marks.

use std::collections::HashMap;

use indexmap::IndexSet;
use serde_json::{Number, Value};

use super::decimal::Decimal;
use super::infer::{self, Untyped};
use super::type_names;
use super::{Entity, Generated, Model, Relation, Shape, Table, Type};
use crate::notation::entities::{self, Mark};
use crate::notation::split;
use crate::output::{Fault, Result, bad_text};
use crate::text::lists;

/// Number of entities that an error lists.
const SHOWN: usize = 20;
/// Deepest nesting of lists and maps in a type; each level is a recursive call.
const DEEPEST: usize = 32;
/// Types whose arguments may be in square brackets, as in Python.
const GENERIC: &str = "array list set optional map record dict";
/// Defaults of a date or time that are the time of the insertion, not a value.
const NOW: &str = "now now() today current_timestamp current_date current_time";

/// The model of entities in the text of `field`; fields without an entity are those of one with the name `nameless`.
pub(crate) fn notation(text: &str, nameless: &str, field: &str) -> Result<Model> {
    let mut lines = entities::read(text).map_err(|misfit| misfit.fault(field))?;
    if let Some(entity) = lines.iter_mut().find(|entity| entity.name.is_empty()) {
        nameless.clone_into(&mut entity.name);
    }
    let names: IndexSet<&str> = lines.iter().map(|entity| entity.name.as_str()).collect();
    let mut model = Model {
        root: names.first().filter(|_| names.len() == 1).map(|name| (*name).to_owned()),
        ..Model::default()
    };
    let mut open = Vec::new();
    for entity in &lines {
        let reader = Reader { field, names: &names, entity };
        let (described, untyped) = reader.entity()?;
        open.extend(untyped.into_iter().map(|key| Untyped { entity: entity.name.clone(), key }));
        model.entities.insert(entity.name.clone(), described);
    }
    refer_to_keys(&mut model);
    infer::complete(&mut model, &open, field)?;
    adopt_widths(&mut model);
    model.notes.extend(days(&lines, &names));
    Ok(model)
}

/// A note on a type that is spelt `Date`, which in TypeScript is a point in time; here it is a day, as in SQL.
fn days(lines: &[entities::Entity], names: &IndexSet<&str>) -> Option<String> {
    let is_day = |kind: &str| kind.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Date");
    let mut fields = lines.iter().flat_map(|entity| &entity.fields);
    let has_day = fields.any(|field| field.kind.as_deref().is_some_and(is_day));
    (has_day && !names.contains("Date")).then(|| {
        "Date is read as a day without a time; for a point in time write datetime".to_owned()
    })
}

/// Gives each integer without a width that refers to another one the width of that: `doctor_id int references doctor` beside
/// `id serial`.
fn adopt_widths(model: &mut Model) {
    let format = |entity: &str, key: &str| {
        let shape = model.entities.get(entity)?.shape.object.properties.get(key)?;
        Some(shape.string.format.clone()).filter(|_| shape.types == [Type::Integer])
    };
    let mut widths = Vec::new();
    for (name, entity) in &model.entities {
        for relation in entity.table.iter().flat_map(|table| &table.relations) {
            if let ([key], [other]) = (relation.columns.as_slice(), relation.to_columns.as_slice())
                && format(name, key) == Some(None)
                && let Some(Some(width)) = format(&relation.to, other)
            {
                widths.push((name.clone(), key.clone(), width));
            }
        }
    }
    for (name, key, width) in widths {
        if let Some(entity) = model.entities.get_mut(&name)
            && let Some(shape) = entity.shape.object.properties.get_mut(&key)
        {
            shape.string.format = Some(width);
        }
    }
}

struct Reader<'a> {
    field: &'a str,
    names: &'a IndexSet<&'a str>,
    entity: &'a entities::Entity,
}

impl Reader<'_> {
    /// The entity, and its fields without a type.
    fn entity(&self) -> Result<(Entity, Vec<String>)> {
        let mut shape = Shape::of(Type::Object);
        let mut table = Table::default();
        let mut untyped = Vec::new();
        for field in &self.entity.fields {
            let key = field.name.as_str();
            let mut property = self.property(field)?;
            let kind = field.kind.as_deref().unwrap_or_default().to_ascii_lowercase();
            if type_names::is_numbered(&kind) {
                table.generated.insert(key.to_owned(), Generated::Identity);
            }
            if field.kind.is_none() && property == Shape::default() {
                untyped.push(key.to_owned());
                // The type that is found for it is added.
                property.types.extend(field.marks.contains(&Mark::Nullable).then_some(Type::Null));
            }
            for mark in &field.marks {
                self.mark(key, mark, &mut property, &mut table)?;
            }
            if !field.is_optional {
                shape.object.required.push(key.to_owned());
            }
            shape.object.properties.insert(key.to_owned(), property);
        }
        let is_empty = table == Table::default();
        Ok((Entity { shape, table: (!is_empty).then_some(table) }, untyped))
    }

    /// The type of a field: the one that is given, a list for a reference to many, or what its name implies.
    fn property(&self, field: &entities::Field) -> Result<Shape> {
        if let Some(kind) = &field.kind {
            return self.kind(kind, &field.name, 0);
        }
        for mark in &field.marks {
            if let Mark::Reference { entity, is_many: true, .. } = mark {
                return self.kind(&format!("{entity}[]"), &field.name, 0);
            }
        }
        Ok(type_names::implied(&field.name).unwrap_or_default())
    }

    fn entity_names(&self) -> String {
        self.names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ")
    }

    fn bad(&self, key: &str, given: &str, allowed: &str) -> Fault {
        bad_text(&format!("{}.{}.{key}", self.field, self.entity.name), given, allowed)
    }

    /// A type within `depth` lists and maps.
    fn kind(&self, kind: &str, key: &str, depth: usize) -> Result<Shape> {
        if depth > DEEPEST {
            let allowed = format!("of at most {DEEPEST} lists and maps inside of each other");
            return Err(self.bad(key, kind, &allowed));
        }
        if let Some(item) = list_item(kind) {
            let mut list = Shape::of(Type::Array);
            list.array.items = Some(Box::new(self.kind(item, key, depth + 1)?));
            return Ok(list);
        }
        let parts = split(kind, '|');
        if parts.len() > 1 && parts.contains(&"null") {
            let others: Vec<&str> = parts.into_iter().filter(|part| *part != "null").collect();
            let mut shape = self.kind(&others.join("|"), key, depth + 1)?;
            nullable(&mut shape);
            return Ok(shape);
        }
        // Of types, such as in `string|int`, it is refused below.
        let is_type = |word: &&str| {
            self.names.contains(*word)
                || type_names::of_notation(&word.to_ascii_lowercase()).is_some()
        };
        if kind.contains('|') && !kind.contains(['(', '<']) && !parts.iter().any(is_type) {
            return self.words(kind, kind, key);
        }
        let (head, inside) = match kind.split_once(['(', '<', '[']) {
            Some((head, rest)) => (head, rest.strip_suffix([')', '>', ']']).unwrap_or(rest)),
            None => (kind, ""),
        };
        let lower = head.to_ascii_lowercase();
        if kind.contains('[') && !lists(GENERIC, &lower) {
            return self.named(kind, "", inside, key);
        }
        if lower == "enum" {
            return self.words(inside, kind, key);
        }
        if lists("array list set", &lower) && !inside.is_empty() {
            return self.kind(&format!("{inside}[]"), key, depth);
        }
        if lower == "optional" && !inside.is_empty() {
            let mut shape = self.kind(inside, key, depth + 1)?;
            nullable(&mut shape);
            return Ok(shape);
        }
        if lists("map record dict", &lower) {
            let mut map = Shape::of(Type::Object);
            // The keys of JSON are texts.
            let pair = inside.split_once(',');
            let pair =
                pair.filter(|(key, _)| lists("string str", &key.trim().to_ascii_lowercase()));
            let inside = pair.map_or(inside, |(_, values)| values.trim());
            let inside = if inside.is_empty() { "any" } else { inside };
            map.object.additional = Some(Box::new(self.kind(inside, key, depth + 1)?));
            return Ok(map);
        }
        if self.names.contains(kind) {
            return Ok(Shape::reference(kind));
        }
        self.named(kind, &lower, inside, key)
    }

    /// A type that is known by its name in small letters; `inside` are its arguments.
    fn named(&self, kind: &str, lower: &str, inside: &str, key: &str) -> Result<Shape> {
        let Some(mut shape) = type_names::of_notation(lower) else {
            let allowed = format!(
                "{}, enum(a|b), map<type>, any, or an entity: {}",
                type_names::EXAMPLES,
                self.entity_names()
            );
            return Err(self.bad(key, kind, &allowed));
        };
        if inside.is_empty() {
            return Ok(shape);
        }
        let is_width = kind.ends_with(')') && inside.bytes().all(|byte| byte.is_ascii_digit());
        match shape.string.format.as_deref() {
            Some("decimal") => {
                let digits = Decimal::read(inside).filter(|_| kind.ends_with(')'));
                let allowed = "decimal with its digits, such as decimal(10,2)";
                let digits = digits.ok_or_else(|| self.bad(key, kind, allowed))?;
                shape.string.format = Some(Decimal::format(Some(digits)));
            }
            // The digits of a fraction of a second, which no value in JSON has to have.
            Some("date-time" | "time" | "duration") if is_width && inside.len() == 1 => {}
            format if shape.types == [Type::String] && !format.is_some_and(has_length) => {
                shape.string.max_length = Some(self.count(inside, key)?);
            }
            // A width for display, as in int(11).
            _ if is_width && matches!(shape.types[..], [Type::Integer | Type::Number]) => {}
            _ => {
                let allowed = format!(
                    "{lower} without ({inside}); bounds are written 1..5, digits decimal(10,2), and words enum(a|b)"
                );
                return Err(self.bad(key, kind, &allowed));
            }
        }
        Ok(shape)
    }

    fn words(&self, inside: &str, given: &str, key: &str) -> Result<Shape> {
        let words: Vec<Value> = split(inside, '|')
            .into_iter()
            .flat_map(|part| split(part, ','))
            .map(|word| word.trim_matches(['"', '\'']))
            .filter(|word| !word.is_empty())
            .map(Value::from)
            .collect();
        if words.is_empty() {
            return Err(self.bad(key, given, "an enum with its words, such as enum(admin|user)"));
        }
        Ok(Shape { enumeration: Some(words), ..Shape::of(Type::String) })
    }

    fn count(&self, text: &str, key: &str) -> Result<u64> {
        text.parse().map_err(|_| self.bad(key, text, "a whole number from 0"))
    }

    fn mark(&self, key: &str, mark: &Mark, shape: &mut Shape, table: &mut Table) -> Result<()> {
        match mark {
            Mark::Pk => table.primary_key.push(key.to_owned()),
            Mark::Unique => table.unique.push(vec![key.to_owned()]),
            Mark::Index => table.indexes.push(vec![key.to_owned()]),
            Mark::Nullable => nullable(shape),
            Mark::Min(least) => self.bound(key, least, shape, true)?,
            Mark::Max(most) => self.bound(key, most, shape, false)?,
            Mark::Pattern(text) => {
                self.require_types(key, &format!("pattern {text}"), shape, &[Type::String])?;
                let bare = text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
                shape.string.pattern = Some(unquoted(bare.unwrap_or(text)).to_owned());
            }
            Mark::Format(format) => {
                let kinds = [Type::String, Type::Integer, Type::Number];
                self.require_types(key, &format!("format {format}"), shape, &kinds)?;
                shape.string.format = Some(format.clone());
            }
            Mark::Default(value) if is_time(shape) && lists(NOW, &value.to_ascii_lowercase()) => {
                table.generated.insert(key.to_owned(), Generated::Now);
            }
            Mark::Default(value) => shape.default = Some(literal(value, &shape.types)),
            Mark::OnDelete(words) => {
                let own = table.relations.last_mut().filter(|relation| relation.columns == [key]);
                let action = serde_json::from_value(words.replace(' ', "_").into()).ok();
                let (Some(relation), Some(action)) = (own, action) else {
                    let allowed = "on delete cascade, set null, restrict or no action, behind a reference `-> Entity`";
                    return Err(self.bad(key, &format!("on delete {words}"), allowed));
                };
                relation.on_delete = action;
            }
            // A list of another entity is a key of that entity's table, which the writer of tables creates.
            Mark::Reference { is_many: true, .. } => {}
            Mark::Reference { entity, field, .. } => {
                table.relations.push(self.relation(key, entity, field.as_deref())?);
            }
        }
        Ok(())
    }

    fn relation(&self, key: &str, to: &str, column: Option<&str>) -> Result<Relation> {
        if !self.names.contains(to) {
            let allowed = format!("a reference to one of: {}", self.entity_names());
            return Err(self.bad(key, &format!("-> {to}"), &allowed));
        }
        Ok(Relation {
            columns: vec![key.to_owned()],
            to: to.to_owned(),
            to_columns: column.map(str::to_owned).into_iter().collect(),
            ..Relation::default()
        })
    }

    /// Refuses a mark on a type whose values it says nothing about. One that is not known may have any of them.
    fn require_types(&self, key: &str, mark: &str, shape: &Shape, kinds: &[Type]) -> Result<()> {
        let is_open =
            shape.types.is_empty() && shape.reference.is_none() && shape.any_of.is_empty();
        if is_open || shape.types.iter().any(|kind| kinds.contains(kind)) {
            return Ok(());
        }
        let allowed = "left out, as the type of the field has no such rule";
        Err(self.bad(key, mark, allowed))
    }

    /// Applies a bound on a number, or on the length of a text or list.
    fn bound(&self, key: &str, given: &str, shape: &mut Shape, is_least: bool) -> Result<()> {
        if shape.types.iter().any(|kind| matches!(kind, Type::Integer | Type::Number)) {
            let number: Number =
                serde_json::from_str(given).map_err(|_| self.bad(key, given, "a number"))?;
            let rules = &mut shape.number;
            *(if is_least { &mut rules.minimum } else { &mut rules.maximum }) = Some(number);
            return Ok(());
        }
        let mark = format!("{} {given}", if is_least { "min" } else { "max" });
        self.require_types(key, &mark, shape, &[Type::String, Type::Array])?;
        let count = self.count(given, key)?;
        let place = match (shape.types.contains(&Type::Array), is_least) {
            (true, true) => &mut shape.array.min_items,
            (true, false) => &mut shape.array.max_items,
            (false, true) => &mut shape.string.min_length,
            (false, false) => &mut shape.string.max_length,
        };
        // As in `string(80) max 90`.
        if let Some(known) = place.replace(count).filter(|known| *known != count) {
            return Err(self.bad(
                key,
                given,
                &format!("{known}, the length of the type, or left out"),
            ));
        }
        Ok(())
    }
}

/// The type of the items of `text[]`, or `text[3]`, whose number no database checks.
fn list_item(kind: &str) -> Option<&str> {
    let (item, count) = kind.strip_suffix(']')?.rsplit_once('[')?;
    (!item.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())).then_some(item)
}

/// Whether the values of a format have a length by their form, so that a type of it has none as its argument.
fn has_length(format: &str) -> bool {
    matches!(format, "date-time" | "date" | "time" | "duration" | "uuid")
}

fn is_time(shape: &Shape) -> bool {
    matches!(shape.string.format.as_deref(), Some("date-time" | "date" | "time"))
}

fn nullable(shape: &mut Shape) {
    if shape.types.is_empty() && *shape != Shape::default() {
        let inner = std::mem::take(shape);
        shape.any_of = vec![inner, Shape::of(Type::Null)];
    } else if !shape.types.is_empty() && !shape.types.contains(&Type::Null) {
        shape.types.insert(0, Type::Null);
    }
    if let Some(values) = &mut shape.enumeration {
        values.push(Value::Null);
    }
}

fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

fn literal(text: &str, types: &[Type]) -> Value {
    if types.contains(&Type::String) {
        return Value::from(unquoted(text));
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(unquoted(text)))
}

/// Lets references that name no field refer to the primary key, or to `id`.
fn refer_to_keys(model: &mut Model) {
    let keys: HashMap<String, String> = model
        .entities
        .iter()
        .filter_map(|(name, entity)| match entity.table.as_ref()?.primary_key.as_slice() {
            [key] => Some((name.clone(), key.clone())),
            _ => None,
        })
        .collect();
    let tables = model.entities.values_mut().filter_map(|entity| entity.table.as_mut());
    for relation in tables.flat_map(|table| &mut table.relations) {
        if relation.to_columns.is_empty() {
            let key = keys.get(&relation.to).cloned().unwrap_or_else(|| "id".to_owned());
            relation.to_columns.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, notation};

    #[test]
    fn words_with_bars_are_an_enum_and_types_with_bars_are_refused() {
        let kinds = |text: &str| notation(text, "Root", "source").map(|model| model.entities);
        assert_eq!(
            kinds("A: b open|'in progress'|2").ok(),
            kinds("A: b enum(open|in progress|2)").ok()
        );
        for text in ["A: b string|null|int", "A: b int|uuid", "A: b a|A", "A: b |"] {
            let fault = kinds(text).unwrap_err().to_string();
            assert!(fault.contains("enum("), "{fault}");
        }
    }

    #[test]
    fn a_type_that_nests_without_end_is_refused() {
        let list = |depth: usize| format!("User: tags string{}", "[]".repeat(depth));
        let map = |depth: usize| {
            format!("User: tags {}string{}", "map<".repeat(depth), ">".repeat(depth))
        };
        for text in [list(DEEPEST), map(DEEPEST)] {
            assert!(notation(&text, "Root", "source").is_ok(), "{text}");
        }
        for text in [list(DEEPEST + 1), map(DEEPEST + 1), list(200_000), map(200_000)] {
            let fault = notation(&text, "Root", "source").unwrap_err().to_string();
            assert!(
                fault.contains("at most 32 lists and maps inside of each other"),
                "{fault:.300}"
            );
        }
    }
}
