//! Sentences about data, put into the one-line form: `A user has an email and a list of orders. Age is at least 18.`
//!
//! It knows a few ways of speaking. A sentence that it does not know becomes a question, never a guess.

use std::collections::HashSet;

use heck::ToUpperCamelCase;
use indexmap::IndexMap;

use super::recognise::singular;
use super::type_names::named;

/// What sentences say.
pub(super) struct Said {
    /// Lines of the one-line form.
    pub(super) form: String,
    /// The sentences that say nothing that is known.
    pub(super) open: Vec<String>,
}

/// Words between who has something and what that is.
const HAS: [&str; 8] =
    ["has", "have", "contains", "contain", "consists of", "consist of", "includes", "include"];
const BELONGS: [&str; 2] = ["belongs to", "belong to"];
/// Words between a field and what holds of it.
const IS: [&str; 6] = ["must be", "should be", "has to be", "have to be", "is", "are"];
const ARTICLES: [&str; 8] = ["a", "an", "the", "each", "every", "its", "their", "one"];
const LISTS: [&str; 7] =
    ["list of", "lists of", "many", "several", "set of", "any number of", "multiple"];
/// Longest name of an entity or a field, in words.
const LONGEST: usize = 4;
/// Largest text that is read as sentences, in bytes.
const LARGEST: usize = 64 << 10;
/// Most questions about sentences.
const ASKED: usize = 20;

#[derive(Default)]
struct Draft {
    /// Fields by entity: what stands behind the name, in the one-line form.
    entities: IndexMap<String, IndexMap<String, String>>,
    last: Option<String>,
}

/// Reads sentences; none when no sentence is of a known kind.
pub(super) fn read(text: &str) -> Option<Said> {
    if text.len() > LARGEST {
        return None;
    }
    let mut draft = Draft::default();
    let mut unknown = Vec::new();
    for sentence in sentences(text) {
        if draft.take(sentence).is_none() {
            unknown.push(sentence);
        }
    }
    let form = draft.form()?;
    let ask = |sentence: &&str| format!("What does {sentence:?} say of the data? It was left out.");
    let open = unknown.iter().take(ASKED).map(ask).collect();
    Some(Said { form, open })
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split(['\n', ';']).flat_map(|part| part.split(". "));
    ends.map(|part| part.trim().trim_start_matches(['-', '*']).trim().trim_end_matches('.'))
        .filter(|part| !part.is_empty())
}

/// A text in two at the first of some phrases, each between blanks.
fn cut<'a>(text: &'a str, phrases: &[&str]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let found = phrases.iter().filter_map(|phrase| {
        let at = lower.find(&format!(" {phrase} "))?;
        Some((at, phrase.len()))
    });
    let (at, length) = found.min_by_key(|(at, length)| (*at, usize::MAX - length))?;
    Some((text.get(..at)?.trim(), text.get(at + length + 2..)?.trim()))
}

/// The words without articles.
fn words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches([',', '"', '\'', '`']));
    words
        .filter(|word| !word.is_empty() && !ARTICLES.contains(&word.to_ascii_lowercase().as_str()))
        .collect()
}

fn is_name(words: &[&str]) -> bool {
    let plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    (1..=LONGEST).contains(&words.len()) && words.iter().all(plain)
}

/// The name of an entity: `order lines` is `OrderLine`.
fn entity(text: &str) -> Option<String> {
    let words = words(text);
    let (last, before) = words.split_last().filter(|_| is_name(&words))?;
    Some(format!("{} {}", before.join(" "), singular(last)).to_upper_camel_case())
}

impl Draft {
    fn take(&mut self, sentence: &str) -> Option<()> {
        if let Some((who, what)) = cut(sentence, &BELONGS) {
            // "a post has a title and belongs to an author"
            let who = match cut(who, &HAS) {
                Some((owner, _)) => {
                    self.take(who.trim_end_matches(" and").trim_end_matches([',', ' ']))?;
                    owner
                }
                None => who,
            };
            let (who, what) = (entity(who)?, entity(what)?);
            let key = heck::AsSnakeCase(&what).to_string();
            self.entities.entry(what.clone()).or_default();
            self.put(&who, &key, &format!("-> {what}"));
            return Some(());
        }
        if let Some((who, what)) = cut(sentence, &HAS) {
            let who = entity(who)?;
            for item in items(what) {
                let (key, rest) = field(item)?;
                self.put(&who, &key, &rest);
            }
            self.last = Some(who);
            return Some(());
        }
        self.rules(sentence)
    }

    /// `email is required and age is at least 18`.
    fn rules(&mut self, sentence: &str) -> Option<()> {
        // The "and" of a range parts no clauses.
        let whole = ranged(sentence);
        let clauses = items(&whole);
        let read: Vec<_> = clauses.iter().map(|clause| rule(clause)).collect::<Option<_>>()?;
        let who = self.last.clone().unwrap_or_else(|| "Root".to_owned());
        for (key, marks) in read {
            let known = self.entities.get(&who).and_then(|own| own.get(&key)).cloned();
            let joined = format!("{} {marks}", known.unwrap_or_default());
            // A type goes before the marks.
            let (types, marks): (Vec<&str>, Vec<&str>) = joined
                .split_whitespace()
                .partition(|word| ["int", "number", "string"].contains(word));
            let kind = types.first().copied().unwrap_or_default();
            self.put(&who, &key, format!("{kind} {}", marks.join(" ")).trim());
        }
        self.last = Some(who);
        Some(())
    }

    fn put(&mut self, who: &str, key: &str, rest: &str) {
        let own = self.entities.entry(who.to_owned()).or_default();
        own.insert(key.to_owned(), rest.to_owned());
    }

    /// The lines; a list of things that are described here is a list of them.
    fn form(mut self) -> Option<String> {
        self.add_keys();
        let names: HashSet<String> = self.entities.keys().cloned().collect();
        let line = |(name, fields): (&String, &IndexMap<String, String>)| {
            let fields = fields.iter().map(|(key, rest)| {
                let item = entity(key).filter(|item| names.contains(item));
                match item.filter(|_| rest.is_empty() || rest.starts_with("[]")) {
                    Some(item) => format!("{key} {item}{rest}"),
                    None if rest.starts_with("[]") => format!("{key} string{rest}"),
                    None => format!("{key} {rest}"),
                }
            });
            format!("{name}: {}", fields.collect::<Vec<_>>().join(", "))
        };
        let lines: Vec<String> = self.entities.iter().map(line).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// What something belongs to needs a key to be named by; its type is asked like any other.
    fn add_keys(&mut self) {
        let fields = self.entities.values().flat_map(IndexMap::values);
        let wanted: Vec<String> =
            fields.filter_map(|rest| rest.strip_prefix("-> ")).map(str::to_owned).collect();
        for name in wanted {
            let own = self.entities.entry(name).or_default();
            if !own.contains_key("id") {
                own.shift_insert(0, "id".to_owned(), String::new());
            }
        }
    }
}

/// The parts of a list: `a, b and c`.
fn items(text: &str) -> Vec<&str> {
    let parts = text.split(',').flat_map(|part| part.split(" and "));
    parts
        .map(str::trim)
        .map(|part| part.strip_prefix("and ").unwrap_or(part))
        .filter(|part| !part.is_empty())
        .collect()
}

/// `between 1 and 5` with another word inside.
fn ranged(sentence: &str) -> String {
    let mut is_range = false;
    let words = sentence.split_whitespace().map(|word| {
        is_range |= word.eq_ignore_ascii_case("between");
        let is_inner = is_range && word.eq_ignore_ascii_case("and");
        is_range &= !is_inner;
        if is_inner { "to" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A field and what stands behind its name: `an optional list of tags`, `an age of at least 18`, `a name (string)`.
fn field(item: &str) -> Option<(String, String)> {
    let (item, bracket) = item.split_once('(').map_or((item, ""), |(item, rest)| {
        (item, rest.trim_end().strip_suffix(')').unwrap_or(rest))
    });
    let (item, bound) = cut(item, &["of at least", "of at most", "of"])
        .filter(|(head, _)| {
            !LISTS.iter().any(|list| format!("{} of", head.to_lowercase()).ends_with(list))
        })
        .and_then(|(head, tail)| Some((head, bound(&item[head.len()..], tail)?)))
        .unwrap_or((item, String::new()));
    let lower = item.to_ascii_lowercase();
    let list = LISTS.iter().find_map(|list| {
        let at = lower.find(&format!("{list} "))?;
        item.get(at + list.len()..)
    });
    let mut words = words(list.unwrap_or(item));
    let mut marks = String::new();
    words.retain(|word| {
        let is_mark = ["optional", "unique", "required"].contains(&word.to_lowercase().as_str());
        if is_mark {
            marks.push(' ');
            marks.push_str(&word.to_lowercase());
        }
        !is_mark
    });
    if !is_name(&words) {
        return None;
    }
    let key = heck::AsSnakeCase(words.join(" ")).to_string();
    let kind = words.iter().rev().find_map(|word| named(word).map(|_| word.to_lowercase()));
    let kind = kind.filter(|kind| bracket.is_empty() && *kind != key);
    let many = if list.is_some() { "[]" } else { "" };
    let kind = format!("{}{bracket}", kind.unwrap_or_default());
    Some((key, format!("{kind}{many} {bound}{marks}").trim().to_owned()))
}

fn bound(phrase: &str, number: &str) -> Option<String> {
    let number = number.split_whitespace().next()?.trim_end_matches(['.', ',']);
    number.parse::<f64>().ok()?;
    let mark = if phrase.contains("at least") {
        "min"
    } else if phrase.contains("at most") {
        "max"
    } else {
        return None;
    };
    Some(format!("number {mark} {number}"))
}

/// `age is at least 18`: the field and its marks.
fn rule(clause: &str) -> Option<(String, String)> {
    let (who, what) = cut(clause, &IS)?;
    let who = words(who);
    let key = is_name(&who).then(|| heck::AsSnakeCase(who.join(" ")).to_string())?;
    let what = what.to_ascii_lowercase();
    let number = what.split_whitespace().find(|word| word.parse::<f64>().is_ok());
    let is_text = ["character", "letter", "long"].iter().any(|word| what.contains(word));
    let kind = if is_text { "string" } else { "number" };
    let words: Vec<&str> = words(&what);
    let marks = match (words.as_slice(), number) {
        (["required" | "mandatory"], _) => "required".to_owned(),
        (["optional"], _) => "optional".to_owned(),
        (["unique"], _) => "unique".to_owned(),
        (["integer"] | ["whole", "number"], _) => "int".to_owned(),
        (["number"], _) => "number".to_owned(),
        (["text" | "string"], _) => "string".to_owned(),
        (["at", "least", ..], Some(number)) if words.len() <= 5 => {
            format!("{kind} min {number}")
        }
        (["at", "most", ..], Some(number)) if words.len() <= 5 => format!("{kind} max {number}"),
        (["between", low, _, high, ..], Some(_)) if words.len() <= 5 => {
            format!("{kind} min {low} max {high}")
        }
        _ => return None,
    };
    Some((key, marks))
}
