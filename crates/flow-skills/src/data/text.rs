//! Reads the one-line form of entities into the model, and sentences that say the same:
//! `User: id uuid pk, email string unique, age int min 0 optional, role enum(admin|user), posts Post[]; Order: user -> User`.

use indexmap::IndexSet;
use serde_json::{Number, Value};

use super::sentence;
use super::split::split;
use super::type_names::{TYPES, named};
use super::unsaid::{self, Unsaid};
use super::{Entity, Model, Relation, Shape, Table, Type};
use crate::fields::bad_text;
use crate::output::Result;

/// What the form looks like, for the reader of a fault.
const FORM: &str = "lines such as `User: id uuid pk, email string unique, age int min 0 optional, \
                    role enum(admin|user), posts Post[]`, or sentences such as `a user has an email and an age`";

/// Most entities of a text.
const ENTITIES: usize = 2_000;
/// Most fields of an entity.
const MOST: usize = 1_000;
/// What stands behind a type.
const MARKS: [&str; 18] = [
    "pk",
    "primary",
    "key",
    "required",
    "unique",
    "index",
    "indexed",
    "optional",
    "null",
    "nullable",
    "min",
    "max",
    "pattern",
    "format",
    "default",
    "ref",
    "references",
    "->",
];

/// Reads entities that were given in `field`: one on each line or between semicolons, else sentences.
///
/// # Errors
/// When a line is not of the form, or a type is not known.
pub fn read(text: &str, field: &str) -> Result<Model> {
    let fault = match form(text, field) {
        Err(fault) => fault,
        model => return model,
    };
    let said = sentence::read(text).ok_or(fault)?;
    let mut model = form(&said.form, field)?;
    model.open.extend(said.open);
    Ok(model)
}

fn form(text: &str, field: &str) -> Result<Model> {
    let lines = lines(text, field)?;
    let names: IndexSet<String> = lines.iter().map(|(name, _)| name.clone()).collect();
    let mut model =
        Model { root: names.first().filter(|_| names.len() == 1).cloned(), ..Model::default() };
    let mut open = Vec::new();
    for (name, rest) in &lines {
        let reader = Reader { field, names: &names, entity: name };
        let (entity, unsaid) = reader.entity(rest)?;
        open.extend(unsaid.into_iter().map(|key| Unsaid { entity: name.clone(), key }));
        model.entities.insert(name.clone(), entity);
    }
    unsaid::complete(&mut model, &open).map_err(|missing| {
        bad_text(&format!("{field}.{}", missing.place), &missing.given, &missing.allowed)
    })?;
    Ok(model)
}

/// The entities by name, each with its fields.
fn lines<'a>(text: &'a str, field: &str) -> Result<Vec<(String, &'a str)>> {
    let mut lines: Vec<(String, &str)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let all = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    for line in all.flat_map(|line| split(line, ';')) {
        let head = line
            .split_once(':')
            .map(|(name, rest)| (name.trim().trim_start_matches(['-', '*']).trim(), rest));
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        let Some((name, rest)) = head.filter(|(name, _)| is_name(name)) else {
            return Err(bad_text(field, line, FORM));
        };
        if !seen.insert(name) {
            return Err(bad_text(field, line, "an entity that is described once"));
        }
        lines.push((name.to_owned(), rest));
    }
    if lines.is_empty() {
        return Err(bad_text(field, text, FORM));
    }
    if lines.len() > ENTITIES {
        let given = format!("{} entities", lines.len());
        return Err(bad_text(field, &given, &format!("at most {ENTITIES} entities")));
    }
    Ok(lines)
}

struct Reader<'a> {
    field: &'a str,
    names: &'a IndexSet<String>,
    entity: &'a str,
}

impl Reader<'_> {
    /// The entity, and its fields whose type is not said.
    fn entity(&self, text: &str) -> Result<(Entity, Vec<String>)> {
        let mut shape = Shape::of(Type::Object);
        let mut table = Table::default();
        let mut unsaid = Vec::new();
        let parts = split(text, ',');
        if parts.len() > MOST {
            let given = format!("{} fields", parts.len());
            let place = format!("{}.{}", self.field, self.entity);
            return Err(bad_text(&place, &given, &format!("at most {MOST} fields")));
        }
        for part in parts {
            let words = split(part, ' ');
            let [key, rest @ ..] = words.as_slice() else { continue };
            let key = key.trim_end_matches(':');
            let (key, asked) = key.strip_suffix('?').map_or((key, false), |key| (key, true));
            let (kind, marks) = self.said(rest);
            let (kind, asked) = kind
                .map(|kind| kind.strip_suffix('?').map_or((kind, asked), |kind| (kind, true)))
                .map_or((None, asked), |(kind, asked)| (Some(kind), asked));
            let mut property = match kind {
                Some(kind) => self.kind(kind, key)?,
                None => named(key).unwrap_or_default(),
            };
            if kind.is_none() && property == Shape::default() {
                unsaid.push(key.to_owned());
            }
            let needed = self.marks(key, marks, (&mut property, &mut table))?;
            if needed && !asked {
                shape.object.required.push(key.to_owned());
            }
            if shape.object.properties.insert(key.to_owned(), property).is_some() {
                return Err(bad_text(&self.place(key), part, "a field that is described once"));
            }
        }
        let is_empty = table == Table::default();
        Ok((Entity { shape, table: (!is_empty).then_some(table) }, unsaid))
    }

    /// The type, where there is one before the marks.
    fn said<'a, 'b>(&self, words: &'b [&'a str]) -> (Option<&'a str>, &'b [&'a str]) {
        match words {
            [first, marks @ ..] => {
                let is_entity = self.names.contains(*first);
                let is_mark = MARKS.contains(&first.to_ascii_lowercase().as_str());
                if is_mark && !is_entity { (None, words) } else { (Some(*first), marks) }
            }
            [] => (None, words),
        }
    }

    /// Some of the entities that there are.
    fn known(&self) -> String {
        self.names.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, key: &str) -> String {
        format!("{}.{}.{key}", self.field, self.entity)
    }

    fn kind(&self, kind: &str, key: &str) -> Result<Shape> {
        if let Some(item) = kind.strip_suffix("[]") {
            let mut list = Shape::of(Type::Array);
            list.array.items = Some(Box::new(self.kind(item, key)?));
            return Ok(list);
        }
        let (head, inside) = match kind.split_once(['(', '<']) {
            Some((head, rest)) => (head, rest.trim_end_matches([')', '>'])),
            None => (kind, ""),
        };
        let lower = head.to_ascii_lowercase();
        match lower.as_str() {
            "any" | "json" => return Ok(Shape::default()),
            "enum" => return self.words(inside, kind, key),
            "map" => {
                let mut map = Shape::of(Type::Object);
                map.object.additional =
                    Some(Box::new(self.kind(if inside.is_empty() { "any" } else { inside }, key)?));
                return Ok(map);
            }
            _ => {}
        }
        if self.names.contains(kind) {
            return Ok(Shape::reference(kind));
        }
        let Some((_, own, format)) = TYPES.iter().find(|(name, ..)| *name == lower) else {
            let known: Vec<&str> = TYPES.iter().map(|(name, ..)| *name).collect();
            let allowed = format!(
                "{}, enum(a|b), map<type>, any, or an entity: {}",
                known.join(", "),
                self.known()
            );
            return Err(bad_text(&self.place(key), kind, &allowed));
        };
        let mut shape = Shape::of(*own);
        if *own == Type::String && !inside.is_empty() {
            shape.string.max_length = Some(self.count(inside, key)?);
        }
        if !format.is_empty() {
            let size = if lower == "decimal" && !inside.is_empty() {
                format!("({inside})")
            } else {
                String::new()
            };
            shape.string.format = Some(format!("{format}{size}"));
        }
        Ok(shape)
    }

    fn words(&self, inside: &str, given: &str, key: &str) -> Result<Shape> {
        let words: Vec<Value> = inside
            .split('|')
            .map(|word| word.trim().trim_matches(['"', '\'']))
            .filter(|word| !word.is_empty())
            .map(Value::from)
            .collect();
        if words.is_empty() {
            return Err(bad_text(
                &self.place(key),
                given,
                "an enum with its words, such as enum(admin|user)",
            ));
        }
        Ok(Shape { enumeration: Some(words), ..Shape::of(Type::String) })
    }

    fn count(&self, text: &str, key: &str) -> Result<u64> {
        text.parse().map_err(|_| bad_text(&self.place(key), text, "a whole number from 0"))
    }

    /// What stands behind the type; gives whether the field must be there.
    fn marks(
        &self,
        key: &str,
        marks: &[&str],
        (shape, table): (&mut Shape, &mut Table),
    ) -> Result<bool> {
        let mut needed = true;
        let mut marks = marks.iter();
        while let Some(mark) = marks.next() {
            let mut next = || {
                let missing = || bad_text(&self.place(key), mark, "a mark with its value");
                marks.next().copied().ok_or_else(missing)
            };
            match mark.to_ascii_lowercase().as_str() {
                "pk" | "primary" => table.primary_key.push(key.to_owned()),
                "key" | "required" => {}
                "unique" => table.unique.push(vec![key.to_owned()]),
                "index" | "indexed" => table.indexes.push(vec![key.to_owned()]),
                "optional" => needed = false,
                "null" | "nullable" => nullable(shape),
                "min" => self.bound(key, next()?, (shape, true))?,
                "max" => self.bound(key, next()?, (shape, false))?,
                "pattern" => {
                    let text = next()?;
                    let bare = text
                        .strip_prefix('/')
                        .and_then(|text| text.strip_suffix('/'))
                        .unwrap_or(text);
                    shape.string.pattern = Some(unquoted(bare).to_owned());
                }
                "format" => shape.string.format = Some(next()?.to_owned()),
                "default" => shape.default = Some(literal(next()?, &shape.types)),
                "ref" | "references" | "->" => table.relations.push(self.relation(key, next()?)?),
                _ => {
                    let allowed = "pk, unique, index, optional, nullable, min N, max N, pattern /…/, format F, \
                                   default V or ref Entity.field";
                    return Err(bad_text(&self.place(key), mark, allowed));
                }
            }
        }
        Ok(needed)
    }

    fn relation(&self, key: &str, target: &str) -> Result<Relation> {
        let (to, column) = target.split_once('.').unwrap_or((target, "id"));
        if !self.names.contains(to) {
            let allowed = format!("a reference to one of: {}", self.known());
            return Err(bad_text(&self.place(key), target, &allowed));
        }
        Ok(Relation {
            columns: vec![key.to_owned()],
            to: to.to_owned(),
            to_columns: vec![column.to_owned()],
            on_delete: super::OnDelete::default(),
        })
    }

    /// A bound of a number, or of the length of a text or a list.
    fn bound(&self, key: &str, given: &str, (shape, is_least): (&mut Shape, bool)) -> Result<()> {
        if shape.types.iter().any(|kind| matches!(kind, Type::Integer | Type::Number)) {
            let number: Number = serde_json::from_str(given)
                .map_err(|_| bad_text(&self.place(key), given, "a number"))?;
            let place =
                if is_least { &mut shape.number.minimum } else { &mut shape.number.maximum };
            *place = Some(number);
            return Ok(());
        }
        let count = Some(self.count(given, key)?);
        let place = match (shape.types.contains(&Type::Array), is_least) {
            (true, true) => &mut shape.array.min_items,
            (true, false) => &mut shape.array.max_items,
            (false, true) => &mut shape.string.min_length,
            (false, false) => &mut shape.string.max_length,
        };
        *place = count;
        Ok(())
    }
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
