//! Endpoints: `GET /users/{id} -> User`, on lines or between commas and semicolons.

use std::collections::HashSet;

use super::entities::TYPES;
use super::line::split;
use super::line::{Misfit, lines};
use crate::text::lists;

/// An example of the form, for errors and help.
pub(crate) const EXAMPLE: &str =
    "POST /users?notify=bool {email: email, age?: int} -> User 201 409: creates a user";
/// What stands behind a path.
const BEHIND: &str = "the path is followed by its query as ?limit=int, a body as <- Type or {name: type}, -> Type, statuses, public, and : summary";

/// The methods that OpenAPI has.
pub const METHODS: [&str; 8] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];
/// Largest number of endpoints.
const MOST: usize = 2_000;

/// An endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// Its method, in upper case.
    pub method: String,
    /// Its path, such as `/users/{id}`; `:id` is read as `{id}`.
    pub path: String,
    /// The parameters of its query string, such as `?limit=int&q`.
    pub query: Vec<Parameter>,
    /// The request body: `<- User`, `takes User`, or `{email, password}` behind the path.
    pub request: Option<Body>,
    /// The response body: `-> User[]`, or `returns User[]`.
    pub response: Option<Body>,
    /// The status of the response, if one below 400 is given.
    pub status: Option<u16>,
    /// The statuses of its errors, 400 and above.
    pub errors: Vec<u16>,
    /// Whether it requires no authentication: `public`.
    pub is_public: bool,
    /// The text after a colon or a dash, or directly behind the path.
    pub summary: Option<String>,
}

/// Endpoints, each with the number of its line.
pub type Numbered = Vec<(usize, Endpoint)>;

/// A body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// The name of its type, which may end in `[]`.
    Named(String),
    /// Its fields in the notation of entities: `{email, password}` without the braces.
    Fields(String),
}

/// A parameter of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, after `=`, in the notation of entities.
    pub kind: Option<String>,
}

/// Whether the first word is a method or a path.
pub(crate) fn is_likely(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().trim_start_matches(['-', '*']);
    METHODS.contains(&first.to_uppercase().as_str()) && text.contains('/') || first.starts_with('/')
}

/// Reads endpoints, each with the number of its line.
///
/// # Errors
/// The first part that does not fit the notation.
pub fn read(text: &str) -> Result<Numbered, Misfit> {
    let parts = lines(text).flat_map(|(line, text)| {
        let parts = split(text, ';').into_iter().flat_map(|part| commas(part));
        parts.map(move |part| (line, part))
    });
    let read = |(line, part)| {
        let endpoint = endpoint(part).map_err(|why| Misfit::new(line, part, why, EXAMPLE))?;
        Ok((line, endpoint))
    };
    parts.map(read).collect()
}

/// Checks that there are endpoints, not too many, and each once.
pub(crate) fn check(endpoints: &[(usize, Endpoint)]) -> Result<(), Misfit> {
    if endpoints.is_empty() {
        return Err(Misfit::new(1, "", "has no endpoint", EXAMPLE));
    }
    let mut known = HashSet::new();
    for (line, Endpoint { method, path, .. }) in endpoints {
        let why = if !known.insert((method, path)) {
            "is given twice".to_owned()
        } else if known.len() > MOST {
            format!("is over the limit of {MOST} endpoints")
        } else {
            continue;
        };
        return Err(Misfit::new(*line, &format!("{method} {path}"), why, EXAMPLE));
    }
    Ok(())
}

/// The parts between commas, if each begins with a method: a summary may contain commas.
fn commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(',') {
        // Up to the next comma: the rest of the text may be one word.
        let next = text[at + 1..].split(',').next().unwrap_or_default();
        let next = next.split_whitespace().next().unwrap_or_default();
        if METHODS.contains(&next.to_uppercase().as_str()) {
            parts.push(text[start..at].trim());
            start = at + 1;
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn endpoint(part: &str) -> Result<Endpoint, String> {
    let bare = part.trim_start_matches(['-', '*']).trim();
    let (method, rest) = bare.split_once(char::is_whitespace).unwrap_or((bare, ""));
    let method = self::method(method)?;
    let rest = rest.trim();
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    // A colon directly behind the path begins the summary.
    let end = if rest[..end].ends_with(':') { end - 1 } else { end };
    let (path, rest) = rest.split_at(end);
    let (form, summary) = parts(rest);
    let (form, body, query) = labelled(form);
    let (text, form) = text_in_front(&form);
    if !text.is_empty() && !summary.is_empty() {
        return Err(format!("has {text:?} behind its path; {BEHIND}"));
    }
    let (path, parameters) = self::path(path)?;
    let query = self::query(parameters.into_iter().chain(query))?;
    let request = body.map(Body::Fields);
    let mut endpoint = Endpoint { method, path, query, request, ..Endpoint::default() };
    endpoint.marks(&words(form), summary)?;
    let summary = if text.is_empty() { summary } else { text };
    let mut words = summary.split(' ').zip(summary.split(' ').skip(1));
    if words.any(|(word, next)| METHODS.contains(&word) && next.starts_with('/')) {
        return Err("has another endpoint in its summary: put it on a line of its own".to_owned());
    }
    endpoint.summary = Some(summary.to_owned()).filter(|summary| !summary.is_empty());
    Ok(endpoint)
}

/// A form without `(body: …)` and `(query: …)`, the fields of the body, and the parameters of the query as `name=type`.
fn labelled(text: &str) -> (String, Option<String>, Vec<String>) {
    let (mut rest, mut body, mut query) = (Vec::new(), None, Vec::new());
    for word in split(text, ' ') {
        let inside = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
        match inside.and_then(|inside| inside.split_once(':')) {
            Some(("body", fields)) if body.is_none() => body = Some(fields.trim().to_owned()),
            Some(("query", names)) => query.extend(split(names, ',')),
            _ => rest.push(word),
        }
    }
    // `page int` and `page: int` are `page=int`.
    let query = query.into_iter().map(|parameter| match parameter.split_once([' ', ':', '=']) {
        Some((name, kind)) => format!("{name}={}", kind.trim_start_matches([' ', ':', '='])),
        None => parameter.to_owned(),
    });
    (rest.join(" "), body, query.collect())
}

/// The plain words that a form begins with, which are a summary, and the rest. Words that are half a mark are none.
fn text_in_front(form: &str) -> (&str, &str) {
    let is_plain = |word: &str| !word.contains(['<', '>', '=', '{', '}', '[', ']', '|', ':']);
    let words: Vec<&str> = form.split_whitespace().collect();
    let count = (0..words.len()).find(|at| is_mark(&words, *at)).unwrap_or(words.len());
    let text = &words[..count];
    // A type alone is a body, and one behind a word is not read.
    let has_type = text.iter().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let is_type_alone = count == 1 && text.iter().any(|word| word.starts_with(char::is_uppercase));
    if has_type || is_type_alone || !text.iter().all(|word| is_plain(word)) {
        return ("", form);
    }
    let mut pieces = form.trim_start().split_inclusive(char::is_whitespace);
    let words = pieces.by_ref().filter(|piece| !piece.trim().is_empty()).take(count);
    let length = words.map(str::len).sum();
    let (text, rest) = form.trim_start().split_at_checked(length).unwrap_or((form, ""));
    (text.trim(), rest)
}

/// Whether a word behind a path is a mark. `returns` and `takes` before words that name no type belong to a text, and so
/// does `public` behind other words.
fn is_mark(words: &[&str], at: usize) -> bool {
    let is_status = |word: &str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |word: &str| word.chars().all(char::is_lowercase);
    let word = |at: usize| words.get(at).map(|word| word.trim_end_matches(','));
    match word(at).unwrap_or_default() {
        "returns" | "takes" => match (word(at + 1), word(at + 2)) {
            (Some(kind), Some(next)) => lists(TYPES, kind) || !(is_word(kind) && is_word(next)),
            _ => true,
        },
        "public" => at == 0,
        word => lists("-> <-", word) || word.starts_with('{') || is_status(word),
    }
}

/// Whether a word is the name of a type: with a capital, or of a list.
fn is_type(word: &str) -> bool {
    !word.contains(' ') && (word.ends_with("[]") || word.starts_with(char::is_uppercase))
}

/// Sets what an endpoint has at most one of.
fn set<T>(place: &mut Option<T>, value: T, several: &str) -> Result<(), String> {
    if place.replace(value).is_some() { Err(format!("has two {several}")) } else { Ok(()) }
}

/// The form of an endpoint, and its summary: the text after a colon or a dash that is outside of brackets.
fn parts(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let is_end = rest.is_empty() || rest.starts_with(char::is_whitespace);
        let is_dash = matches!(c, '-' | '–' | '—') && text[..at].ends_with(char::is_whitespace);
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_end && (c == ':' || is_dash) => {
                return (&text[..at], rest.trim());
            }
            _ => {}
        }
    }
    (text, "")
}

/// The words of a form, of which `{email, password}` is one.
fn words(form: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in form.split_whitespace() {
        match words.last_mut().filter(|last| last.starts_with('{') && !last.ends_with('}')) {
            Some(open) => open.extend([" ", word]),
            None if word.starts_with('{') => words.push(word.to_owned()),
            // `-> Ticket, 404, 409` is `-> Ticket 404 409`.
            None => words.push(word.trim_end_matches(',').to_owned()),
        }
    }
    words
}

/// A body: the name of a type, or fields in braces.
pub(crate) fn body(text: &str) -> Result<Body, String> {
    let Some(fields) = text.strip_prefix('{') else { return type_name(text).map(Body::Named) };
    let fields = fields.strip_suffix('}').ok_or("has { without }")?;
    // `{method:string}` is `{method: string}`.
    Ok(Body::Fields(fields.replace(':', ": ")))
}

/// A method in upper case.
pub(crate) fn method(word: &str) -> Result<String, String> {
    let known = METHODS.into_iter().find(|method| method.eq_ignore_ascii_case(word));
    let why = || format!("does not begin with a method ({})", METHODS.join(", "));
    known.map(str::to_owned).ok_or_else(why)
}

/// A path with `:id` as `{id}`, and its query, if its parameters are names.
pub(crate) fn path(path: &str) -> Result<(String, Vec<String>), String> {
    if !path.starts_with('/') {
        return Err("has no path after its method; a path begins with /".to_owned());
    }
    if path.contains(['<', '>']) {
        return Err("has a parameter as <name>; it is written {name} or :name".to_owned());
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let is_open = |segment: &str| segment.matches('{').count() != segment.matches('}').count();
    if let Some(segment) = path.split('/').find(|segment| is_open(segment)) {
        return Err(format!(
            "has a brace without the other in {segment}; a parameter is written {{id}}"
        ));
    }
    let mut names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    if let Some(name) = names.find(|name| name.contains(':')) {
        return Err(format!("has the parameter {{{name}}}; it is written as a name alone, {{id}}"));
    }
    Ok((braces(path), parameters(query)))
}

/// The parts of a query string: `limit=int` and `q` of `limit=int&q`.
pub(crate) fn parameters(query: &str) -> Vec<String> {
    query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned).collect()
}

/// The parameters of a query: `limit=int` and `q`.
pub(crate) fn query(pairs: impl IntoIterator<Item = String>) -> Result<Vec<Parameter>, String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']'))
    };
    let parameter = |pair: String| {
        let (name, kind) =
            pair.split_once('=').map_or((&*pair, None), |(name, kind)| (name, Some(kind)));
        if is_name(name) && kind.is_none_or(|kind| !kind.is_empty()) {
            Ok(Parameter { name: name.to_owned(), kind: kind.map(str::to_owned) })
        } else {
            Err(format!("has {pair:?} in its query, which is neither a name nor name=type"))
        }
    };
    let parameters: Vec<Parameter> = pairs.into_iter().map(parameter).collect::<Result<_, _>>()?;
    let mut seen = HashSet::new();
    match parameters.iter().find(|parameter| !seen.insert(&parameter.name)) {
        Some(Parameter { name, .. }) => Err(format!("has two parameters {name:?} in its query")),
        None => Ok(parameters),
    }
}

impl Endpoint {
    /// Reads the bodies and the statuses behind the path.
    fn marks(&mut self, words: &[String], summary: &str) -> Result<(), String> {
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            match word {
                "->" | "returns" => {
                    // `-> 201 User` is `-> User 201`, and `-> 204` has no body.
                    if let Some(status) = words.next_if(|word| word.parse::<u16>().is_ok()) {
                        self.add_status(status)?;
                        if words.peek().is_none() && is_type(summary) {
                            return Err(format!(
                                "has a colon between {status} and {summary}; a body is written -> {status} {summary}"
                            ));
                        }
                        if words.peek().is_none_or(|word| *word == "public" || body(word).is_err())
                        {
                            continue;
                        }
                    }
                    let name =
                        words.next().ok_or_else(|| format!("has {word:?} without a type"))?;
                    set(&mut self.response, body(name)?, "bodies of the response")?;
                }
                "<-" | "takes" => {
                    let name =
                        words.next().ok_or_else(|| format!("has {word:?} without a type"))?;
                    set(&mut self.request, body(name)?, "bodies of the request")?;
                }
                "public" => self.is_public = true,
                // Directly behind the path stands what is sent; other methods send nothing.
                _ if self.has_path_alone()
                    && (word.starts_with('{') || is_type(word) && self.sends()) =>
                {
                    self.request = Some(body(word)?);
                }
                _ => self.add_status(word)?,
            }
        }
        Ok(())
    }

    /// Whether nothing is known but the method and the path.
    fn has_path_alone(&self) -> bool {
        self.request.is_none()
            && self.response.is_none()
            && self.status.is_none()
            && self.errors.is_empty()
    }

    /// Whether its method is one that sends a body.
    fn sends(&self) -> bool {
        matches!(self.method.as_str(), "POST" | "PUT" | "PATCH")
    }

    /// Adds a status of the response, or of an error.
    fn add_status(&mut self, word: &str) -> Result<(), String> {
        match word.parse::<u16>() {
            Ok(status) if self.status == Some(status) || self.errors.contains(&status) => {}
            Ok(status) if (100..400).contains(&status) => {
                set(&mut self.status, status, "statuses below 400")?;
            }
            Ok(status) if (400..600).contains(&status) => self.errors.push(status),
            _ => {
                return Err(format!("has {word:?}; {BEHIND}"));
            }
        }
        Ok(())
    }
}

/// A path with `:id` as `{id}`.
fn braces(path: &str) -> String {
    let segment = |segment: &str| match segment.strip_prefix(':') {
        Some(name) if !name.is_empty() => format!("{{{name}}}"),
        _ => segment.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn type_name(text: &str) -> Result<String, String> {
    let bare = text.strip_suffix("[]").unwrap_or(text);
    let is_name = !bare.is_empty()
        && bare.starts_with(char::is_alphabetic)
        && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if is_name {
        Ok(text.to_owned())
    } else {
        Err(format!("has {text:?}, which is not a type's name"))
    }
}
