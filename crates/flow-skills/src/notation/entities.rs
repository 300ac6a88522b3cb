//! Entities: `User: id uuid pk, email string unique, orders -> Order[]`, one per line or between semicolons. The fields may
//! be in brackets or braces, as in `User(id, email)` and `interface User { id: number; email: string }`, and on lines below
//! the name; those of one entity may be without a name.
//!
//! It reads the form only; the data model defines what types mean.

use std::mem::discriminant;

use super::line::split;
use super::line::{Misfit, lines, numbered};
use crate::text::lists;

/// An example of the form, for errors and help.
pub(crate) const EXAMPLE: &str = "User: id uuid pk, email string unique, orders -> Order[]";

/// Largest number of entities.
pub const MOST_ENTITIES: usize = 2_000;
/// Largest number of fields of an entity.
pub const MOST_FIELDS: usize = 1_000;

/// An entity with its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its name; empty if the text is the fields of one entity alone.
    pub name: String,
    /// Where its fields stand.
    pub layout: Layout,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// Where the fields of an entity stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Behind the name and a colon, or in brackets.
    Line,
    /// On lines below the name, as in YAML.
    Block,
    /// In braces, as in programming languages.
    Braces,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Whether it is optional: a question mark after the name or the type, or the mark `optional`.
    pub is_optional: bool,
    /// Its type as written, such as `string(80)`, `enum(a|b)` or `Post[]`.
    pub kind: Option<String>,
    /// Its other properties.
    pub marks: Vec<Mark>,
}

/// A property of a field, after its type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the words of the notation")]
pub enum Mark {
    Pk,
    Unique,
    Index,
    Nullable,
    Min(String),
    Max(String),
    Pattern(String),
    Format(String),
    Default(String),
    /// `on delete cascade`, behind a reference
    OnDelete(String),
    /// `-> Entity`, `-> Entity.field`, `-> Entity[]`
    Reference {
        entity: String,
        field: Option<String>,
        is_many: bool,
    },
}

/// The name of an entity that has none, unless the input gives one.
pub const NAMELESS: &str = "Root";
/// The words for types, by which `id: number` is a field and `User: name` an entity. The data model has what they mean.
pub const TYPES: &str = "str email uri url ipv4 ipv6 date-time int integer number object bool boolean tinyint smallint int2 \
    int16 smallserial year int4 int32 mediumint serial serial4 bigint int8 int64 bigserial serial8 decimal numeric dec money \
    fixed real float float4 float8 double char character varchar nvarchar bpchar nchar string varchar2 nvarchar2 text \
    tinytext mediumtext longtext clob citext inet uuid uniqueidentifier date time timetz datetime timestamp timestamptz \
    interval bytes bytea blob tinyblob mediumblob longblob binary varbinary json jsonb any enum";

/// The words that begin a mark; the word before them is the type.
const MARKS: &str = "pk primary required not unique index indexed optional null nullable min max minlength maxlength \
    pattern format default = ref references -> on";
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$'))
}

/// Words of programming languages that may stand before the name of an entity.
const KEYWORDS: &str = "export declare public abstract interface type class dataclass struct record table entity model";

/// An entity as written.
struct Head<'a> {
    line: usize,
    text: &'a str,
    /// Its name; `None` where the text does not begin with one and a mark of its fields.
    name: Option<&'a str>,
    layout: Layout,
    /// Whether its fields may follow: nothing stands behind its name, or a brace is open.
    is_open: bool,
    /// The parts that are its fields, each with its line.
    fields: Vec<(usize, &'a str)>,
}

impl<'a> Head<'a> {
    fn new(line: usize, text: &'a str) -> Self {
        let head = named_fields(bare(text));
        let head = head.filter(|(name, _, rest)| is_name(name) && !rest.starts_with("//"));
        let (name, layout, rest) = head
            .map_or((None, Layout::Line, ""), |(name, layout, rest)| (Some(name), layout, rest));
        let is_closed = layout == Layout::Braces && bare(text).ends_with('}');
        let is_open = name.is_some() && rest.is_empty() && !is_closed;
        let mut new = Self { line, text, name, layout, is_open, fields: Vec::new() };
        new.add(line, rest);
        new
    }

    /// Adds the fields on a line.
    fn add(&mut self, line: usize, text: &'a str) {
        let separators: &[char] = if self.layout == Layout::Braces { &[';', ','] } else { &[','] };
        let mut parts = vec![text];
        for separator in separators {
            parts = parts.into_iter().flat_map(|part| split(part, *separator)).collect();
        }
        self.fields.extend(parts.into_iter().map(|field| (line, field)));
    }
}

/// A name, and the fields behind its colon, in its brackets or in its braces, which a later line may close.
fn named_fields(text: &str) -> Option<(&str, Layout, &str)> {
    let (name, rest) = text.split_at(text.find([':', '(', '{'])?);
    let (mark, inside) = rest.split_at(1);
    let inside = inside.trim();
    Some(match mark {
        "(" => (plain_name(name), Layout::Line, inside.strip_suffix(')')?),
        "{" if inside.is_empty() => (plain_name(name), Layout::Braces, ""),
        "{" => (plain_name(name), Layout::Braces, inside.strip_suffix('}')?),
        _ => match inside.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')) {
            Some(inside) => (plain_name(name), Layout::Braces, inside),
            None => (plain_name(name), Layout::Line, inside),
        },
    })
}

/// A name without the keywords before it and the equals sign behind it: `export type User =`.
fn plain_name(text: &str) -> &str {
    let mut name = text.trim().trim_end_matches('=').trim_end();
    while let Some((word, rest)) = name.split_once(' ')
        && lists(KEYWORDS, word)
    {
        name = rest.trim_start();
    }
    name
}

/// A part of a text without the mark of a list item.
fn bare(part: &str) -> &str {
    part.trim_start_matches(['-', '*']).trim()
}

/// The entities as written. Lines below a name without fields are its fields: indented as in YAML, items of a list, or up to a
/// brace that closes those of a programming language.
fn heads(text: &str) -> Vec<Head<'_>> {
    let mut heads: Vec<Head<'_>> = Vec::new();
    let mut lines = numbered(text).peekable();
    while let Some((number, line)) = lines.next() {
        let trimmed = line.trim();
        let is_indented = |line: &str| line.starts_with([' ', '\t']);
        let is_item = |line: &str| line.starts_with(['-', '*']);
        if let Some(head) = heads.last_mut().filter(|head| head.is_open) {
            if head.layout == Layout::Braces {
                let last = trimmed.trim_end_matches([';', ',']).strip_suffix('}');
                head.is_open = last.is_none();
                head.add(number, last.unwrap_or(trimmed));
                continue;
            }
            // An item after a name in a list is the next entity.
            if is_indented(line) || is_item(line) && !is_item(head.text) {
                head.layout = Layout::Block;
                head.add(number, bare(trimmed));
                continue;
            }
            head.is_open = false;
        }
        let parts = split(trimmed, ';').into_iter().flat_map(several);
        heads.extend(parts.map(|part| Head::new(number, part)));
        let is_title = is_name(trimmed);
        if let Some(head) = heads.last_mut().filter(|_| is_title)
            && lines.peek().is_some_and(|(_, next)| is_indented(next) || is_item(next))
        {
            (head.name, head.is_open) = (Some(trimmed), true);
        }
    }
    heads
}

/// The parts of `users(id, name), orders(id)`, and the sentences of `User: id, name. Order: id`.
fn several(text: &str) -> Vec<&str> {
    let are_heads = |parts: &[&str]| {
        let is_head = |part: &&str| named_fields(part).is_some_and(|(name, ..)| is_name(name));
        parts.len() > 1 && parts.iter().all(is_head)
    };
    let calls = split(text, ',');
    if calls.iter().all(|part| part.ends_with(')')) && are_heads(&calls) {
        return calls;
    }
    let sentences: Vec<&str> = text.trim_end_matches('.').split(". ").collect();
    // A quoted default may have a stop.
    if !text.contains(['"', '\'']) && are_heads(&sentences) { sentences } else { vec![text] }
}

fn is_mark(word: &str) -> bool {
    lists(MARKS, &word.to_ascii_lowercase())
}

/// Whether a word is that of a type: `string`, `varchar(80)`, `int[]`, `a|b`.
fn is_type(word: &str) -> bool {
    let word = word.trim_end_matches(['?', '[', ']']);
    let name = word.split(['(', '<']).next().unwrap_or_default().to_ascii_lowercase();
    lists(TYPES, &name) || word.contains('|')
}

/// The fields of a text that names no entity, such as `id: number, name: string`: each is a name and a type.
fn nameless(text: &str) -> Option<Vec<(usize, &str)>> {
    let commas =
        |(number, part)| split(part, ',').into_iter().map(move |part| (number, bare(part)));
    let parts = lines(text)
        .flat_map(|(number, line)| split(line, ';').into_iter().map(move |part| (number, part)))
        .flat_map(commas);
    let parts: Vec<(usize, &str)> = parts.collect();
    let is_bound = |c: char| c.is_ascii_digit() || matches!(c, '<' | '>' | '=');
    let is_field = |(_, part): &(usize, &str)| {
        let Some((name, rest)) = part.split_once(':').or_else(|| part.split_once(' ')) else {
            return false;
        };
        let words = split(rest, ' ');
        // `Event: date` is an entity with a date, and `title: text of the page` is a value of YAML.
        name.starts_with(char::is_lowercase)
            && is_name(name.trim_end_matches('?'))
            && words.first().is_some_and(|word| is_type(word))
            && words.get(1).is_none_or(|word| is_mark(word) || word.starts_with(is_bound))
    };
    (!parts.is_empty() && parts.iter().all(is_field)).then_some(parts)
}

/// Whether a text is unambiguously this notation: it is valid, and each entity has a capital, a type or several fields.
/// Below names, as in YAML, each field has a type: `port: 8080` is a value. Fields without an entity are this notation even
/// if one does not fit.
pub(crate) fn is_unambiguous(text: &str) -> bool {
    if nameless(text).is_some() {
        return true;
    }
    let Ok(entities) = named(text) else { return false };
    let is_type = |field: &Field| field.kind.as_deref().is_some_and(is_type);
    let is_block = entities.iter().any(|entity| entity.layout == Layout::Block);
    entities.iter().all(|entity| {
        if entity.fields.is_empty() {
            return false;
        }
        if entity.layout == Layout::Braces {
            return true;
        }
        if is_block {
            return entity.fields.iter().all(is_type);
        }
        let is_typed = |field: &Field| field.kind.is_some() || !field.marks.is_empty();
        entity.fields.len() > 1 && entity.fields.iter().any(is_typed)
            || entity.fields.iter().all(is_typed)
            || entity.name.starts_with(char::is_uppercase)
    })
}

/// Whether the first line begins like an entity: a name, and a field with a type or a mark.
pub(crate) fn is_likely(text: &str) -> bool {
    let heads = heads(text);
    let first = heads.first().and_then(|head| head.fields.first());
    first
        .and_then(|(_, part)| field(part).ok())
        .is_some_and(|field| field.kind.is_some() || !field.marks.is_empty())
}

/// Reads entities.
///
/// # Errors
/// The first part that does not fit the notation.
pub fn read(text: &str) -> Result<Vec<Entity>, Misfit> {
    if let Some(parts) = nameless(text) {
        let fields = fields(NAMELESS, &parts)?;
        return Ok(vec![Entity { name: String::new(), layout: Layout::Line, fields }]);
    }
    named(text)
}

/// Reads entities that have names.
fn named(text: &str) -> Result<Vec<Entity>, Misfit> {
    let mut entities: Vec<Entity> = Vec::new();
    for head in heads(text) {
        let misfit = |part: &str, why: &str| Misfit::new(head.line, part, why, EXAMPLE);
        let Some(name) = head.name else {
            return Err(misfit(head.text, "is not an entity: a name, a colon, and its fields"));
        };
        if head.is_open && head.layout == Layout::Braces {
            return Err(misfit(head.text, "has a brace that nothing closes"));
        }
        let fields = fields(name, &head.fields)?;
        if entities.len() == MOST_ENTITIES {
            return Err(misfit(name, &format!("is over the limit of {MOST_ENTITIES} entities")));
        }
        if entities.iter().any(|known| known.name == name) {
            return Err(misfit(name, "is defined twice"));
        }
        entities.push(Entity { name: name.to_owned(), layout: head.layout, fields });
    }
    if entities.is_empty() {
        return Err(Misfit::new(1, "", "has no entity", EXAMPLE));
    }
    Ok(entities)
}

/// The fields of an entity, from their parts and lines.
fn fields(entity: &str, parts: &[(usize, &str)]) -> Result<Vec<Field>, Misfit> {
    let mut fields: Vec<Field> = Vec::new();
    for (line, part) in parts {
        let misfit = |part: &str, why: &str| Misfit::new(*line, part, why, EXAMPLE);
        // Each field is compared with those before it, so that their number is limited here.
        if fields.len() == MOST_FIELDS {
            let why = format!("is over the limit of {MOST_FIELDS} fields");
            return Err(misfit(entity, &why));
        }
        let field = field(part).map_err(|why| misfit(part, &why))?;
        if fields.iter().any(|known| known.name == field.name) {
            return Err(misfit(part, &format!("repeats the field {} of {entity}", field.name)));
        }
        fields.push(field);
    }
    Ok(fields)
}

/// The words of a field, in which the types of a union are one: `'a' | 'b'` is `'a'|'b'`.
fn union_words(words: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut is_union = false;
    for word in words {
        // Behind the name alone there is no type yet.
        let is_behind_type = joined.len() > 1;
        match joined.last_mut().filter(|_| is_behind_type && (is_union || *word == "|")) {
            Some(last) => last.push_str(word),
            None => joined.push((*word).to_owned()),
        }
        is_union = *word == "|";
    }
    joined
}

fn field(part: &str) -> Result<Field, String> {
    let words = union_words(&split(part, ' '));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [first, rest @ ..] = words.as_slice() else { return Err("is not a field".to_owned()) };
    let bare = first.trim_end_matches(':');
    let (name, asked) = bare.strip_suffix('?').map_or((bare, false), |name| (name, true));
    if !is_name(name) {
        return Err("does not begin with a field's name".to_owned());
    }
    let list;
    let (kind, marks) = match rest {
        // `tags array of string` is `tags string[]`.
        ["array" | "list", "of", item, marks @ ..] => {
            list = format!("{item}[]");
            (Some(list.as_str()), marks)
        }
        [kind, marks @ ..] if !is_mark(kind) => (Some(*kind), marks),
        marks => (None, marks),
    };
    // `age (number)` is `age number`.
    let kind = kind.map(|kind| {
        let inside = kind.strip_prefix('(').and_then(|kind| kind.strip_suffix(')'));
        inside.filter(|kind| is_type(kind)).unwrap_or(kind)
    });
    let (kind, kind_asked) =
        kind.map(|kind| kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true))).unzip();
    let mut field = Field {
        name: name.to_owned(),
        is_optional: asked || kind_asked.unwrap_or_default(),
        kind: None,
        marks: Vec::new(),
    };
    if let Some(kind) = kind {
        set_kind(&mut field, kind);
    }
    add_marks(&mut field, marks)?;
    Ok(field)
}

/// Sets the type. In a union, `null` and `undefined` say that the value may be null or absent.
fn set_kind(field: &mut Field, kind: &str) {
    let is_nothing = |word: &&str| matches!(*word, "null" | "undefined" | "None");
    let words = split(kind, '|');
    if !words.iter().any(is_nothing) || words.iter().all(is_nothing) {
        field.kind = Some(kind.to_owned());
        return;
    }
    field.is_optional |= words.contains(&"undefined");
    if words.iter().any(|word| is_nothing(word) && *word != "undefined") {
        field.marks.push(Mark::Nullable);
    }
    let types: Vec<&str> = words.into_iter().filter(|word| !is_nothing(word)).collect();
    field.kind = Some(types.join("|"));
}

/// The marks whose value may have a unit.
const BOUNDS: &str = "min max minlength maxlength >= <=";

/// The words of marks: `min=8`, `min: 8` and `min 8 chars` are `min 8`.
fn mark_words<'a>(marks: &[&'a str]) -> Vec<&'a str> {
    let words = |word: &&'a str| match word.split_once(['=', ':']) {
        Some((mark, value)) if is_mark(mark) => vec![mark, value],
        _ => vec![*word],
    };
    let all = marks.iter().flat_map(words).filter(|word| !word.is_empty());
    let mut words: Vec<&str> = Vec::new();
    for word in all {
        let is_bound = words.iter().nth_back(1).is_some_and(|mark| lists(BOUNDS, mark));
        if !(is_bound && lists("chars characters", word)) {
            words.push(word);
        }
    }
    words
}

/// Types of texts that may follow `string` as marks.
const FORMATS: &str = "email url uri uuid date datetime date-time ipv4 ipv6";

fn add_marks(field: &mut Field, marks: &[&str]) -> Result<(), String> {
    let marks = mark_words(marks);
    let mut words = marks.iter();
    let mut required = None;
    let mut default: Option<String> = None;
    while let Some(word) = words.next() {
        let mut value = || {
            let value = words.next().map(|value| (*value).to_owned());
            value.ok_or_else(|| format!("has {word:?} without a value"))
        };
        let mark = match word.to_ascii_lowercase().as_str() {
            "pk" => Mark::Pk,
            "primary" if value()?.eq_ignore_ascii_case("key") => Mark::Pk,
            "not" if value()?.eq_ignore_ascii_case("null") => {
                required = Some("not null");
                continue;
            }
            "required" => {
                required = required.or(Some("required"));
                continue;
            }
            "optional" => {
                field.is_optional = true;
                continue;
            }
            format
                if lists(FORMATS, format)
                    && field.kind.as_deref().is_some_and(|kind| lists("string str text", kind)) =>
            {
                field.kind = Some(format.to_owned());
                continue;
            }
            "unique" => Mark::Unique,
            "index" | "indexed" => Mark::Index,
            "null" | "nullable" => Mark::Nullable,
            "min" | "minlength" | ">=" => Mark::Min(value()?),
            "max" | "maxlength" | "<=" => Mark::Max(value()?),
            "pattern" => Mark::Pattern(without_flags(value()?)?),
            "format" => Mark::Format(value()?),
            "default" | "=" => {
                let value = value()?;
                if let Some(other) = default.replace(value.clone()).filter(|other| *other != value)
                {
                    return Err(format!("has two defaults, {other} and {value}"));
                }
                // Python's words are those of JSON.
                match value.as_str() {
                    "None" => Mark::Nullable,
                    "True" | "False" => Mark::Default(value.to_lowercase()),
                    _ if value.eq_ignore_ascii_case("null") => Mark::Nullable,
                    _ => Mark::Default(value),
                }
            }
            "ref" | "references" | "->" => {
                let target = value()?;
                let bare = target.strip_suffix('?');
                field.is_optional |= bare.is_some();
                reference(bare.unwrap_or(&target))?
            }
            "on" if value()?.eq_ignore_ascii_case("delete") => {
                let action = value()?.to_ascii_lowercase();
                match action.as_str() {
                    "set" | "no" => Mark::OnDelete(action + " " + &value()?.to_ascii_lowercase()),
                    _ => Mark::OnDelete(action),
                }
            }
            _ if range(word).is_some() => {
                range(word).into_iter().flatten().try_for_each(|mark| add(field, mark))?;
                continue;
            }
            _ => {
                return Err(format!(
                    "has the unknown mark {word:?}; marks are pk, unique, index, optional, nullable, min N, max N, N..M, pattern /…/, format F, default V, -> Entity, on delete cascade"
                ));
            }
        };
        add(field, mark)?;
    }
    check(field, required)
}

/// Adds a mark to those of a field. Several references may stand beside each other, but of other marks one would win.
fn add(field: &mut Field, mark: Mark) -> Result<(), String> {
    let is_other = |known: &&Mark| discriminant(*known) == discriminant(&mark) && **known != mark;
    let known = field.marks.iter().find(is_other).and_then(valued);
    if let (Some((word, known)), Some((_, value))) = (known, valued(&mark)) {
        return Err(format!("has {word} twice, with {known} and {value}"));
    }
    field.marks.push(mark);
    Ok(())
}

/// The word of a mark that has a value of which there is one, and the value.
fn valued(mark: &Mark) -> Option<(&'static str, &str)> {
    match mark {
        Mark::Min(value) => Some(("min", value)),
        Mark::Max(value) => Some(("max", value)),
        Mark::Pattern(value) => Some(("pattern", value)),
        Mark::Format(value) => Some(("format", value)),
        Mark::Default(value) => Some(("default", value)),
        Mark::OnDelete(value) => Some(("on delete", value)),
        // The type of the field is the list.
        Mark::Reference { entity, is_many: true, .. } => Some(("an arrow to a list", entity)),
        Mark::Pk | Mark::Unique | Mark::Index | Mark::Nullable | Mark::Reference { .. } => None,
    }
}

/// Checks the marks of a field against each other. `required` is the mark that says so, as written.
fn check(field: &Field, required: Option<&str>) -> Result<(), String> {
    if let Some(word) = required.filter(|_| field.is_optional) {
        return Err(format!("is both {word} and optional"));
    }
    if required == Some("not null") && field.marks.contains(&Mark::Nullable) {
        return Err("is both not null and nullable".to_owned());
    }
    let is_emptied = field.marks.contains(&Mark::OnDelete("set null".to_owned()));
    if is_emptied && !field.is_optional && !field.marks.contains(&Mark::Nullable) {
        return Err("becomes null on a deletion, and is not optional".to_owned());
    }
    let bound = |of: fn(&Mark) -> Option<&String>| {
        field.marks.iter().filter_map(of).find_map(|bound| bound.parse::<f64>().ok())
    };
    let least = bound(|mark| if let Mark::Min(least) = mark { Some(least) } else { None });
    let most = bound(|mark| if let Mark::Max(most) = mark { Some(most) } else { None });
    match (least, most) {
        (Some(least), Some(most)) if least > most => {
            Err(format!("allows no value: its least, {least}, is more than its greatest, {most}"))
        }
        _ => Ok(()),
    }
}

/// The bounds of `18..120`, `18..`, `(18..120)`, `>=18` or `<=120`.
fn range(word: &str) -> Option<Vec<Mark>> {
    let is_number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let bound = |text: &str, mark: fn(String) -> Mark| mark(text.to_owned());
    if let Some(least) = word.strip_prefix(">=").filter(is_number) {
        return Some(vec![bound(least, Mark::Min)]);
    }
    if let Some(most) = word.strip_prefix("<=").filter(is_number) {
        return Some(vec![bound(most, Mark::Max)]);
    }
    let bare = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
    let (least, most) = bare.split_once("..")?;
    let least = (!least.is_empty()).then_some(least);
    let most = (!most.is_empty()).then_some(most);
    let given = || least.into_iter().chain(most);
    if given().count() == 0 || !given().all(|text| is_number(&text)) {
        return None;
    }
    let marks =
        [least.map(|least| bound(least, Mark::Min)), most.map(|most| bound(most, Mark::Max))];
    Some(marks.into_iter().flatten().collect())
}

fn reference(target: &str) -> Result<Mark, String> {
    let (target, is_many) =
        target.strip_suffix("[]").map_or((target, false), |target| (target, true));
    let (entity, field) =
        target.split_once('.').map_or((target, None), |(entity, field)| (entity, Some(field)));
    if !is_name(entity) {
        return Err(format!("refers to {target:?}, which is not an entity's name"));
    }
    Ok(Mark::Reference { entity: entity.to_owned(), field: field.map(str::to_owned), is_many })
}

/// A pattern, which has no flags behind its last slash: the targets differ in what they mean.
fn without_flags(pattern: String) -> Result<String, String> {
    match pattern.rsplit_once('/') {
        Some((start, flags))
            if start.starts_with('/')
                && !flags.is_empty()
                && flags.chars().all(|flag| "dgimsuvy".contains(flag)) =>
        {
            let meant = "write their meaning into the pattern, such as [Aa] for either case";
            Err(format!("has the flags {flags:?} behind its pattern; {meant}"))
        }
        _ => Ok(pattern),
    }
}
