//! Endpoints as text: lines such as `GET /users?limit=int: list users -> User[] ; 404`, the schemas between them in the
//! one-line form, and sentences such as `list users and create orders`.

use serde_json::{Map, Value, json};

use super::endpoint::METHODS;
use super::spoken;
use crate::data::recognise::singular;
use crate::data::text;
use crate::input::notation::split;

/// What a text says of an API.
#[derive(Default)]
pub(super) struct Told {
    /// Endpoints as objects.
    pub(super) endpoints: Vec<Value>,
    /// Schemas, in the one-line form.
    pub(super) schemas: Vec<String>,
    pub(super) open: Vec<String>,
}

/// Words before what an endpoint gives back.
const RETURNS: [&str; 11] = [
    "->",
    "=>",
    "→",
    "returns",
    "return",
    "gives",
    "answers",
    "responds",
    "yields",
    "returning",
    "sends",
];
/// Words before what an endpoint is sent.
const TAKES: [&str; 6] = ["takes", "take", "accepts", "expects", "needs", "<-"];
/// More statuses than there are.
const CODES: usize = 600;
/// Words that say nothing of a body.
const EMPTY: [&str; 12] =
    ["a", "an", "the", "with", "body", "list", "array", "of", "one", "and", "all", "json"];

/// Reads a text; `knows` tells the schemas that are given beside it.
pub(super) fn read(own: &str, knows: &dyn Fn(&str) -> bool) -> Told {
    let mut told = Told::default();
    let mut sentences = Vec::new();
    for part in own.lines().flat_map(|line| split::split(line, ';')) {
        let part = part.trim_start_matches(['-', '*']).trim();
        if is_endpoint(part) {
            let endpoint = Line::default().read(part, knows, &mut told);
            told.endpoints.push(Value::Object(endpoint));
        } else if let Some(codes) = statuses(part) {
            add_errors(&mut told, &codes);
        } else if is_schema(part) {
            told.schemas.push(part.to_owned());
        } else if !part.is_empty() {
            sentences.push(part);
        }
    }
    spoken::add(&sentences, &mut told);
    told
}

/// Whether a part begins as an endpoint does: a word, and a path; a wrong word is the endpoint reader's to refuse.
fn is_endpoint(part: &str) -> bool {
    let mut words = part.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_method = METHODS.contains(&first.to_ascii_lowercase().as_str());
    let has_path = words.next().is_some_and(|word| word.starts_with('/'));
    let is_upper = first.len() > 2 && first.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_method && has_path) || (is_upper && (is_method || has_path))
}

/// `404, 409`: statuses of the endpoint before.
fn statuses(part: &str) -> Option<Vec<u64>> {
    let words = part.split([',', ' ', '/']).filter(|word| !word.is_empty() && *word != "or");
    let codes: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    (!codes.is_empty()).then_some(codes)
}

fn add_errors(told: &mut Told, codes: &[u64]) {
    let Some(last) = told.endpoints.last_mut() else { return };
    if !last["errors"].is_array() {
        last["errors"] = json!([]);
    }
    let Some(all) = last["errors"].as_array_mut() else { return };
    for code in codes.iter().map(|code| json!(code)) {
        // More than there are have a wrong one among them, which is refused later.
        if all.len() < CODES && !all.contains(&code) {
            all.push(code);
        }
    }
}

fn is_schema(part: &str) -> bool {
    let name = part.split_once(':').map(|(name, _)| name.trim());
    name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    })
}

/// Which part of an endpoint's line a word belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Head,
    Request,
    Response,
    Summary,
}

#[derive(Default)]
struct Line<'a> {
    place: Place,
    head: Vec<&'a str>,
    request: Vec<&'a str>,
    response: Vec<&'a str>,
    summary: Vec<&'a str>,
    status: Option<u64>,
    errors: Vec<u64>,
}

impl<'a> Line<'a> {
    fn read(
        mut self,
        part: &'a str,
        knows: &dyn Fn(&str) -> bool,
        told: &mut Told,
    ) -> Map<String, Value> {
        let mut words = part.split_whitespace();
        let method = words.next().unwrap_or_default();
        let place = words.next().unwrap_or_default();
        let (bare, is_said) = place.strip_suffix(':').map_or((place, false), |bare| (bare, true));
        let (path, query) = bare.split_once('?').unwrap_or((bare, ""));
        let mut map = Map::new();
        map.insert("method".into(), method.into());
        map.insert("path".into(), path.into());
        if is_said {
            self.place = Place::Summary;
        }
        let mut at = part.find(place).unwrap_or_default() + place.len();
        for word in words {
            let start = at + part.get(at..).and_then(|rest| rest.find(word)).unwrap_or_default();
            at = start + word.len();
            let rest = part.get(at..).unwrap_or_default();
            if self.inline(word, rest, told) {
                break;
            }
            self.word(word);
        }
        let parameters = parameters(query, (method, path), told);
        if !parameters.is_empty() {
            map.insert("parameters".into(), Value::Array(parameters));
        }
        self.finish(&mut map, knows, told);
        map
    }

    /// A schema that begins where it is named: `takes User: id uuid pk, email string`.
    fn inline(&mut self, word: &'a str, rest: &str, told: &mut Told) -> bool {
        let is_body = matches!(self.place, Place::Request | Place::Response);
        let Some(name) = word.strip_suffix(':').filter(|name| is_body && !name.is_empty()) else {
            return false;
        };
        let first = split::split(rest, ',').first().map(|field| format!("{name}: {field}"));
        let model = first.and_then(|line| text::read(&line, "endpoints").ok());
        let is_schema = model.is_some_and(|model| model.open.is_empty());
        self.word(name);
        if is_schema {
            told.schemas.push(format!("{name}:{rest}"));
        } else {
            self.place = Place::Summary;
        }
        is_schema
    }

    fn word(&mut self, word: &'a str) {
        let lower = word.to_ascii_lowercase();
        let is_arrow = !word.starts_with(|c: char| c.is_alphanumeric());
        let is_open = self.place != Place::Summary || is_arrow;
        if word == ":" {
            self.place = Place::Summary;
        } else if is_open && RETURNS.contains(&lower.as_str()) {
            self.place = Place::Response;
        } else if is_open && TAKES.contains(&lower.as_str()) {
            self.place = Place::Request;
        } else {
            self.add(word);
        }
    }

    fn add(&mut self, word: &'a str) {
        let bare = word.trim_end_matches([',', '.', ':']);
        match self.place {
            Place::Head => self.head.push(word),
            Place::Summary => self.summary.push(word),
            Place::Request => self.request.push(bare),
            Place::Response => match bare.parse() {
                Ok(code) if (100..400).contains(&code) => self.status = Some(code),
                Ok(code) => self.errors.push(code),
                Err(_) if bare != "or" => self.response.push(bare),
                Err(_) => {}
            },
        }
    }

    fn finish(
        mut self,
        map: &mut Map<String, Value>,
        knows: &dyn Fn(&str) -> bool,
        told: &mut Told,
    ) {
        match self.head.as_slice() {
            [one] if self.request.is_empty() => self.request.push(one),
            _ if self.summary.is_empty() => self.summary.append(&mut self.head),
            _ => {}
        }
        for (field, words) in [("request", &self.request), ("response", &self.response)] {
            match body(words, knows) {
                Ok(Some(name)) => _ = map.insert(field.into(), name.into()),
                Ok(None) => {}
                Err(said) => told.open.push(format!(
                    "Which schema is {said:?}, the {field} of {}?",
                    map["path"].as_str().unwrap_or_default()
                )),
            }
        }
        if !self.summary.is_empty() {
            map.insert("summary".into(), self.summary.join(" ").into());
        }
        if let Some(status) = self.status {
            map.insert("status".into(), status.into());
        }
        if !self.errors.is_empty() {
            map.insert("errors".into(), json!(self.errors));
        }
    }
}

/// The name of a body's schema: `a list of users` is `User[]`.
fn body(words: &[&str], knows: &dyn Fn(&str) -> bool) -> Result<Option<String>, String> {
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let is_list = lower.iter().any(|word| word == "list" || word == "array");
    let named: Vec<&str> = words
        .iter()
        .zip(&lower)
        .filter(|(word, lower)| knows(word) || !EMPTY.contains(&lower.as_str()))
        .map(|(word, _)| *word)
        .collect();
    match named.as_slice() {
        [] | ["nothing"] | ["no", "content"] => Ok(None),
        [one] => Ok(Some(schema(one, is_list, knows))),
        _ => Err(words.join(" ")),
    }
}

fn schema(word: &str, is_list: bool, knows: &dyn Fn(&str) -> bool) -> String {
    let bare = word.strip_suffix("[]").unwrap_or(word);
    let is_marked = bare.len() < word.len();
    let is_own = knows(bare) || !bare.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    if is_own && (!is_list || knows(bare)) {
        let many = if is_marked || is_list { "[]" } else { "" };
        return format!("{bare}{many}");
    }
    let one = singular(bare);
    let many = if is_marked || is_list || one != bare { "[]" } else { "" };
    format!("{}{many}", heck::AsUpperCamelCase(one))
}

/// `limit=int&q=string` as parameters.
fn parameters(query: &str, (method, path): (&str, &str), told: &mut Told) -> Vec<Value> {
    let mut found = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, kind) = pair.split_once('=').unwrap_or((pair, ""));
        let shape = text::read(&format!("Q: q {kind}"), "endpoints").ok();
        let shape = shape.filter(|model| model.open.is_empty()).and_then(|model| {
            super::schema::schemas(&model).get("Q")?.get("properties")?.get("q").cloned()
        });
        if shape.is_none() {
            let operation = format!("{} {path}", method.to_ascii_uppercase());
            told.open.push(format!(
                "Which type has the query parameter {name} of {operation}? It is a text meanwhile."
            ));
        }
        let shape = shape.unwrap_or_else(|| json!({ "type": "string" }));
        found.push(json!({ "name": name, "in": "query", "schema": shape }));
    }
    found
}
