//! Renders a model as TypeScript: interfaces and types. JSON values are not converted: a date is a `string`.

use indexmap::IndexSet;
use serde_json::Value;

use super::kind::{Extra, Kind, Member};
use super::language::{Names, TargetLanguage, is_identifier, quote};
use super::lower;
use super::order::Ordered;
use super::unchecked::{OF_TYPES, Unchecked};
use crate::data::{Model, Shape};
use crate::text::lists;

/// The types, and notes on what they leave out.
pub(crate) fn write(model: &Model) -> (String, Vec<String>) {
    let names = Names::of(model);
    let unchecked = Unchecked::default();
    let ordered = Ordered::new(lower::entities(model, &unchecked));
    let types = Types { names: &names };
    let declared = model.entities.iter().filter_map(|(entity, definition)| {
        Some(types.entity(entity, &definition.shape, ordered.kinds.get(entity.as_str())?))
    });
    let text = declared.collect::<Vec<_>>().join("\n\n") + "\n";
    (text, unchecked.notes(|keyword| lists(OF_TYPES, keyword)))
}

/// Renders kinds as types.
#[derive(Debug, Clone, Copy)]
pub(super) struct Types<'n> {
    pub(super) names: &'n Names,
}

impl Types<'_> {
    /// An entity as an interface or a type.
    pub(super) fn entity(self, entity: &str, shape: &Shape, kind: &Kind) -> String {
        let name = self.names.upper(entity);
        let comment = describe(shape.description.as_deref(), "");
        let text = self.kind(kind, 0);
        match kind {
            Kind::Object { fields, .. } if !fields.is_empty() => {
                format!("{comment}export interface {name} {text}")
            }
            _ => format!("{comment}export type {name} = {text};"),
        }
    }

    /// A kind as a type, indented by `depth` levels.
    pub(super) fn kind(self, kind: &Kind, depth: usize) -> String {
        match kind {
            Kind::Null => "null".to_owned(),
            Kind::Boolean => "boolean".to_owned(),
            Kind::Number { .. } => "number".to_owned(),
            Kind::String(_) => "string".to_owned(),
            Kind::Literal(values) => literals(values),
            Kind::Array { item, .. } => {
                let is_union = match &**item {
                    Kind::Literal(values) => values.len() > 1,
                    item => matches!(item, Kind::Nullable(_) | Kind::Union(_)),
                };
                let item = self.kind(item, depth);
                if is_union { format!("({item})[]") } else { format!("{item}[]") }
            }
            Kind::Tuple(items) => {
                let items = items.iter().map(|item| self.kind(item, depth));
                format!("[{}]", items.collect::<Vec<_>>().join(", "))
            }
            Kind::Object { fields, extra } => self.object(fields, *extra, depth),
            Kind::Map(value) => self.map(value, depth),
            Kind::Reference(entity) => self.names.upper(entity).to_owned(),
            Kind::Nullable(inner) => {
                format!("{} | null", self.kind(inner, depth))
            }
            Kind::Union(all) => {
                let each: IndexSet<String> =
                    all.iter().map(|kind| self.kind(kind, depth)).collect();
                each.into_iter().collect::<Vec<_>>().join(" | ")
            }
            Kind::Any => "unknown".to_owned(),
        }
    }

    fn map(self, value: &Kind, depth: usize) -> String {
        let value_text = self.kind(value, depth);
        let mut named = Vec::new();
        value.references(&mut named);
        // A type may refer to itself in an index signature, but not as an argument of `Record`.
        if named.is_empty() {
            format!("Record<string, {value_text}>")
        } else {
            format!("{{ [key: string]: {value_text} }}")
        }
    }

    fn object(self, fields: &[Member], extra: Extra, depth: usize) -> String {
        if fields.is_empty() {
            let value = if extra == Extra::Forbidden { "never" } else { "unknown" };
            return format!("Record<string, {value}>");
        }
        let mut body = self.members(fields, depth);
        if extra == Extra::Allowed {
            // The types of named members must be assignable to the index signature.
            let pad = "  ".repeat(depth + 1);
            body = format!("{body}{pad}[key: string]: unknown;\n");
        }
        format!("{{\n{body}{}}}", "  ".repeat(depth))
    }

    fn members(self, fields: &[Member], depth: usize) -> String {
        let pad = "  ".repeat(depth + 1);
        let mut body = String::new();
        for field in fields {
            let key = &field.key;
            let name = if is_identifier(key) { key.clone() } else { quote(key) };
            let mark = if field.required { "" } else { "?" };
            let about = describe(field.description.as_deref(), &pad);
            let kind = self.kind(&field.kind, depth + 1);
            body = format!("{body}{about}{pad}{name}{mark}: {kind};\n");
        }
        body
    }
}

fn literals(values: &[Value]) -> String {
    let literal = |value: &Value| match value {
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        other => TargetLanguage::TypeScript.value(other),
    };
    let distinct: IndexSet<String> = values.iter().map(literal).collect();
    distinct.into_iter().collect::<Vec<_>>().join(" | ")
}

/// A description as a comment.
pub(super) fn describe(text: Option<&str>, indent: &str) -> String {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return String::new();
    };
    let safe = text.replace("*/", "*\u{200b}/");
    let lines: Vec<&str> = safe.lines().map(str::trim_end).collect();
    if let [one] = lines.as_slice() {
        return format!("{indent}/** {one} */\n");
    }
    let line = |line: &str| format!("{indent} * {line}").trim_end().to_owned() + "\n";
    let body: String = lines.into_iter().map(line).collect();
    format!("{indent}/**\n{body}{indent} */\n")
}
