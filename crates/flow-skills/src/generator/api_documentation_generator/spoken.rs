//! Sentences about an API, `list users and create orders`, as endpoints of the usual form. The text names no path, so
//! that is asked.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::text::Told;
use crate::data::recognise::singular;

/// A verb: its method, whether its path ends in an id, and whether it is sent and gives back the thing.
struct Verb {
    words: &'static [&'static str],
    method: &'static str,
    place: Place,
    is_sent: bool,
    gives: Gives,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    All,
    One,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Many,
    One,
    Nothing,
}

const VERBS: [Verb; 5] = [
    Verb {
        words: &["list", "search", "find", "browse"],
        method: "get",
        place: Place::All,
        is_sent: false,
        gives: Gives::Many,
    },
    Verb {
        words: &["get", "show", "read", "fetch", "view"],
        method: "get",
        place: Place::One,
        is_sent: false,
        gives: Gives::One,
    },
    Verb {
        words: &["create", "add", "register", "place"],
        method: "post",
        place: Place::All,
        is_sent: true,
        gives: Gives::One,
    },
    Verb {
        words: &["update", "change", "edit", "replace"],
        method: "put",
        place: Place::One,
        is_sent: true,
        gives: Gives::One,
    },
    Verb {
        words: &["delete", "remove", "cancel"],
        method: "delete",
        place: Place::One,
        is_sent: false,
        gives: Gives::Nothing,
    },
];
/// Words that mean every verb.
const ALL: [&str; 3] = ["crud", "manage", "manages"];
/// Words that are never the thing.
const SKIPPED: [&str; 11] =
    ["for", "of", "a", "an", "the", "all", "one", "new", "every", "each", "existing"];
/// Most questions about sentences.
const ASKED: usize = 20;

/// Adds the endpoints of sentences, or asks what they say.
pub(super) fn add(sentences: &[&str], told: &mut Told) {
    let mut paths = Vec::new();
    let name = |own: &Value| Some(format!("{} {}", own["method"].as_str()?, own["path"].as_str()?));
    let known = told.endpoints.iter().filter_map(name).map(|name| name.to_lowercase());
    let mut known: HashSet<String> = known.collect();
    for sentence in sentences {
        let found = endpoints(sentence);
        if found.is_empty() && told.open.len() < ASKED {
            told.open.push(format!("What does {sentence:?} say of the API? It was left out."));
        }
        for endpoint in found {
            let name = format!(
                "{} {}",
                endpoint["method"].as_str().unwrap_or_default().to_uppercase(),
                endpoint["path"].as_str().unwrap_or_default()
            );
            if known.insert(name.to_lowercase()) {
                paths.push(name);
                told.endpoints.push(Value::Object(endpoint));
            }
        }
    }
    if !paths.is_empty() {
        let shown: Vec<&str> = paths.iter().take(ASKED).map(String::as_str).collect();
        told.open.push(format!("Are these the paths: {}? The text names none.", shown.join(", ")));
    }
}

fn endpoints(sentence: &str) -> Vec<Map<String, Value>> {
    let lower = sentence.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|w| !w.is_empty())
        .collect();
    let mut found = Vec::new();
    let mut waiting: Vec<&Verb> = Vec::new();
    for word in words {
        if ALL.contains(&word) {
            waiting.extend(&VERBS);
        } else if let Some(verb) = verb(word) {
            waiting.push(verb);
        } else if !waiting.is_empty() && !SKIPPED.contains(&word) && word != "and" && word != "or" {
            found.extend(waiting.drain(..).map(|verb| endpoint(verb, word)));
        }
    }
    found
}

fn verb(word: &str) -> Option<&'static Verb> {
    let bare = word.strip_suffix('s').unwrap_or(word);
    VERBS.iter().find(|verb| verb.words.contains(&word) || verb.words.contains(&bare))
}

fn endpoint(verb: &Verb, thing: &str) -> Map<String, Value> {
    let one = singular(thing);
    let many = plural(&one);
    let name = heck::AsUpperCamelCase(&one).to_string();
    let place = if verb.place == Place::One { "/{id}" } else { "" };
    let mut map = Map::new();
    map.insert("method".into(), verb.method.into());
    map.insert("path".into(), format!("/{many}{place}").into());
    let what = if verb.gives == Gives::Many { &many } else { &one };
    let word = verb.words.first().copied().unwrap_or_default();
    map.insert("summary".into(), format!("{word} {what}").into());
    if verb.is_sent {
        map.insert("request".into(), json!(name));
    }
    match verb.gives {
        Gives::Many => _ = map.insert("response".into(), json!(format!("{name}[]"))),
        Gives::One => _ = map.insert("response".into(), json!(name)),
        Gives::Nothing => {}
    }
    map
}

fn plural(word: &str) -> String {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if word.ends_with('y') && !ends(&["ay", "ey", "oy", "uy"]) {
        format!("{}ies", word.trim_end_matches('y'))
    } else if ends(&["s", "x", "ch", "sh"]) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}
