//! The table of names as JSON Schema (draft 2020-12): the files, for editors and validators, and the members of the API's
//! answers.
//!
//! A file's schema rejects only what is reported as a problem whatever else the file contains. Other spellings are patterns
//! and no properties, so that an editor offers the documented names only.

use serde_json::{Map, Value as Json, json};

use super::exchange;
use super::name::{Name, Value};
use super::record::{Kind, STORY_STATUSES, TASK_STATES};
use super::suspicions::is_name_of_time;
use super::time;

/// What identifies the schema of a file.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The name of the file, which ends its URN.
    pub name: &'a str,
    /// The title.
    pub title: &'a str,
}

/// The schema of a document with the collections of these kinds.
pub fn document(about: About<'_>, kinds: &[Kind]) -> Json {
    let schema = json!({
        "type": "string",
        "description": "Names this schema for editors; it is not read",
    });
    let mut properties = Map::from_iter([("$schema".to_owned(), schema)]);
    let mut strays = Map::new();
    let mut definitions = definitions();
    for kind in kinds {
        properties.insert(kind.collection().to_owned(), collection(*kind));
        definitions.insert(kind.noun().to_owned(), record(*kind));
        if !kind.prefixes().is_empty() {
            strays.insert(format!("^(?:{})", kind.prefixes().join("|")), reference(*kind));
        }
    }
    let mut schema = head(about);
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !strays.is_empty() {
        schema.insert("patternProperties".to_owned(), strays.into());
    }
    schema.insert("additionalProperties".to_owned(), true.into());
    schema.insert("$defs".to_owned(), definitions.into());
    schema.into()
}

/// The schema of a line of the log.
pub fn line(about: About<'_>) -> Json {
    let mut schema = head(about);
    if let Json::Object(record) = record(Kind::Message) {
        schema.extend(record);
    }
    schema.insert("$defs".to_owned(), definitions().into());
    schema.into()
}

/// The documented members of a record in an answer. Records are served as they are on disk, so that any value is possible.
pub fn members_of_answer(kind: Kind) -> Map<String, Json> {
    let member = |row: &Name| {
        let is_filled = kind.filled().iter().any(|filled| filled.documented() == row.documented());
        let mut described = description(row);
        if is_filled {
            described.push_str("; also where the file has ");
            described.push_str(&quoted(row.others()));
        }
        let member = json!({"description": described, "examples": examples(kind, row)});
        (row.documented().to_owned(), member)
    };
    kind.names().iter().map(member).collect()
}

fn head(about: About<'_>) -> Map<String, Json> {
    Map::from_iter([
        ("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into()),
        ("$id".to_owned(), format!("urn:flow:schema:{}", about.name).into()),
        ("title".to_owned(), about.title.into()),
    ])
}

fn definitions() -> Map<String, Json> {
    Map::from_iter([("time".to_owned(), time_value())])
}

fn reference(kind: Kind) -> Json {
    json!({"$ref": format!("#/$defs/{}", kind.noun())})
}

/// A collection: a map by id, or an array.
fn collection(kind: Kind) -> Json {
    json!({
        "description": format!("{}: a map by id, or an array of objects with an id", kind.collection()),
        "type": ["object", "array", "null"],
        "additionalProperties": reference(kind),
        "items": element(kind),
    })
}

/// A record in an array.
fn element(kind: Kind) -> Json {
    json!({
        "$ref": format!("#/$defs/{}", kind.noun()),
        "type": "object",
        "properties": {"id": {"type": ["string", "number"], "minLength": 1}},
        "required": ["id"],
    })
}

/// The stories in the record of an epic: what is not an object there is an id, or a figure of the writer.
fn stories_of_epic() -> Json {
    let objects = |schema: Json| json!({"if": {"type": "object"}, "then": schema});
    json!({
        "additionalProperties": objects(reference(Kind::Story)),
        "items": objects(element(Kind::Story)),
    })
}

fn record(kind: Kind) -> Json {
    let mut properties = Map::new();
    let mut patterns = Map::new();
    if kind != Kind::Message {
        let id = json!({
            "description": "Its id; in a map, the key takes its place",
            "type": ["string", "number", "null"],
        });
        properties.insert("id".to_owned(), id);
    }
    for row in kind.names() {
        properties.insert(row.documented().to_owned(), documented(kind, row));
        add_other_spellings(kind, row, &mut patterns);
        if !row.synonyms.is_empty() {
            let advice = format!("Not read; write `{}`", row.documented());
            patterns
                .insert(any_of(row.synonyms), json!({"description": advice, "deprecated": true}));
        }
    }
    let computed = [kind.computed(), kind.computed_of_dependencies()].concat();
    if !computed.is_empty() {
        let advice = "Computed; a value here is replaced";
        patterns.insert(any_of(&computed), json!({"description": advice, "deprecated": true}));
    }
    json!({
        "description": kind.one(),
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": true,
    })
}

/// A documented member. Its type is fixed only where another one is reported in every record.
fn documented(kind: Kind, row: &Name) -> Json {
    let name = row.documented();
    let mut schema = json!({"description": description(row), "examples": examples(kind, row)});
    let is_checked_status = row.value == Value::Status && kind != Kind::Session;
    if is_checked_status {
        schema["type"] = json!(["string", "null"]);
    }
    if is_checked_time(kind, name) {
        schema["$ref"] = "#/$defs/time".into();
    }
    if let (Kind::Epic, "stories", Json::Object(nested)) = (kind, name, stories_of_epic())
        && let Json::Object(schema) = &mut schema
    {
        schema.extend(nested);
    }
    schema
}

/// Whether an unreadable time in a member is reported, whatever else the record has.
fn is_checked_time(kind: Kind, name: &str) -> bool {
    if kind == Kind::Message { name == "timestamp" } else { is_name_of_time(name) }
}

fn add_other_spellings(kind: Kind, row: &Name, patterns: &mut Map<String, Json>) {
    let is_own_row = |name: &&&str| kind.name(name).is_none();
    let others = row.others().iter().filter(is_own_row).copied();
    let (times, others): (Vec<&str>, Vec<&str>) =
        others.partition(|name| is_checked_time(kind, name));
    let described = format!("Read as `{}`", row.documented());
    if !others.is_empty() {
        patterns.insert(any_of(&others), json!({"description": described}));
    }
    if !times.is_empty() {
        let schema = json!({"description": described, "$ref": "#/$defs/time"});
        patterns.insert(any_of(&times), schema);
    }
}

/// A pattern of these names, which contain letters and `_` only.
fn any_of(names: &[&str]) -> String {
    format!("^(?:{})$", names.join("|"))
}

/// The use and type of a member.
fn description(row: &Name) -> String {
    let mut rest = row.purpose.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{} ({})", rest.as_str(), row.value.noun())
}

/// Names in backquotes: `a`, `b`.
fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Examples of a member's value, which editors offer.
fn examples(kind: Kind, row: &Name) -> Vec<Json> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).into()).collect();
    match (row.value, kind) {
        (Value::Status, Kind::Story | Kind::Epic) => words(&STORY_STATUSES),
        (Value::Status, Kind::Task) => words(&TASK_STATES),
        (Value::Status, _) => words(&["active", "ended"]),
        (_, Kind::Message) if row.documented() == "type" => words(&exchange::TYPES),
        // A test parses each example.
        _ => serde_json::from_str(row.example).into_iter().collect(),
    }
}

impl Value {
    /// What a value of this type is.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Id => "an id",
            Self::Text | Self::Status => "a text",
            Self::Time => "a time",
            Self::Ids => "a list of ids",
            Self::Texts => "a list of texts",
            Self::Names => "a name",
            Self::Amount => "a text or a number",
            Self::Any => "any value",
        }
    }
}

/// A time, or what stands for none. Of a text only the form is checked.
fn time_value() -> Json {
    let date = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
    let clock = "[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]+)?";
    let zone = "(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?";
    let none: Vec<String> = time::PLACEHOLDERS.into_iter().map(in_any_case).collect();
    let form = format!("{date}(?:[Tt ]{clock}{zone})?");
    json!({
        "description": "A time in RFC 3339, also without a zone (UTC) or with a space for the T; a date; or a number of 10 \
                        or 13 digits, seconds or milliseconds since 1970",
        "anyOf": [
            {"type": "string", "pattern": format!(r"^\s*(?:{form}|{})?\s*$", none.join("|"))},
            {"type": "integer", "minimum": 1_000_000_000_i64, "maximum": 9_999_999_999_i64},
            {"type": "integer", "minimum": 1_000_000_000_000_i64, "maximum": 9_999_999_999_999_i64},
            {"type": ["null", "boolean"]},
        ],
    })
}

/// A pattern of a text in upper and lower case.
fn in_any_case(text: &str) -> String {
    let letter = |c: char| match c {
        'a'..='z' => format!("[{}{c}]", c.to_ascii_uppercase()),
        other => format!("[{other}]"),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_synonym_is_read() {
        for kind in Kind::ALL {
            let synonyms = kind.names().iter().flat_map(|row| row.synonyms);
            for synonym in synonyms {
                let is_read = kind.names().iter().any(|row| row.read.contains(synonym));
                assert!(!is_read, "{kind:?} {synonym}");
            }
        }
    }

    #[test]
    fn each_other_spelling_is_in_one_pattern() {
        for kind in Kind::ALL {
            let schema = record(kind);
            let patterns = schema["patternProperties"].as_object().unwrap();
            let names = kind.names();
            for name in names.iter().flat_map(|row| row.others().iter().chain(row.synonyms)) {
                let words = |pattern: &&String| {
                    let words = pattern.trim_start_matches("^(?:").trim_end_matches(")$");
                    words.split('|').any(|word| word == *name)
                };
                let count = patterns.keys().filter(words).count();
                let expect = usize::from(kind.name(name).is_none());
                assert_eq!(count, expect, "{kind:?} {name}");
            }
        }
    }
}
