//! Endpoints: `GET /users/{id} -> User`, on lines or between commas and semicolons.

use super::line::split;
use super::line::{Misfit, lines};

/// An example of the form, for errors and help.
pub(super) const EXAMPLE: &str = "GET /users/{id} -> User";

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
    /// The text after a colon or a dash.
    pub summary: Option<String>,
}

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
pub(super) fn is_likely(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().trim_start_matches(['-', '*']);
    METHODS.contains(&first.to_uppercase().as_str()) && text.contains('/') || first.starts_with('/')
}

/// Reads endpoints.
///
/// # Errors
/// The first part that does not fit the notation.
pub fn read(text: &str) -> Result<Vec<Endpoint>, Misfit> {
    let mut endpoints: Vec<Endpoint> = Vec::new();
    for (line, text) in lines(text) {
        let parts = split(text, ';').into_iter().flat_map(|part| commas(part));
        for part in parts {
            let read = endpoint(part).and_then(|endpoint| {
                let is_same = |known: &Endpoint| {
                    known.method == endpoint.method && known.path == endpoint.path
                };
                if endpoints.iter().any(is_same) {
                    Err("is given twice".to_owned())
                } else if endpoints.len() == MOST {
                    Err(format!("is over the limit of {MOST} endpoints"))
                } else {
                    Ok(endpoint)
                }
            });
            endpoints.push(read.map_err(|why| Misfit::new(line, part, why, EXAMPLE))?);
        }
    }
    if endpoints.is_empty() {
        return Err(Misfit::new(1, "", "has no endpoint", EXAMPLE));
    }
    Ok(endpoints)
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
    let mut words = bare.split_whitespace();
    let method = words.next().unwrap_or_default().to_uppercase();
    if !METHODS.contains(&method.as_str()) {
        return Err(format!("does not begin with a method ({})", METHODS.join(", ")));
    }
    let path = words.next().unwrap_or_default();
    let (path, ends) = split_colon(path);
    let mut summary = if ends { words.next() } else { None };
    let (path, parameters) = checked(path)?;
    let mut endpoint =
        Endpoint { method, path: braces(path), query: query(parameters)?, ..Endpoint::default() };
    while summary.is_none() {
        let Some(word) = words.next() else { break };
        let is_body = word.starts_with('{');
        let (word, mut ends) = if is_body { (word, false) } else { split_colon(word) };
        // `-> 201 User` is `-> User 201`, and `-> 204` has no body.
        if matches!(word, "->" | "returns")
            && let Some(status) = words.clone().next().filter(|next| is_status(next))
        {
            words.next();
            let (status, is_last) = split_colon(status);
            endpoint.add_status(status)?;
            if is_last {
                let is_type =
                    |word: &&str| word.ends_with("[]") || word.starts_with(char::is_uppercase);
                if let [only] = words.clone().collect::<Vec<_>>().as_slice()
                    && is_type(only)
                {
                    return Err(format!(
                        "has a colon between {status} and {only}; a body is written -> {status} {only}"
                    ));
                }
                summary = words.next();
                break;
            }
            if !words.clone().next().is_some_and(is_body_name) {
                continue;
            }
        }
        let mut body = |first: Option<&str>| -> Result<Body, String> {
            let first = first.or_else(|| words.next());
            let first = first.ok_or_else(|| format!("has {word:?} without a type"))?;
            let mut fields = first.to_owned();
            while first.starts_with('{') && !split_colon(&fields).0.ends_with('}') {
                let more = words.next().ok_or("has { without }")?;
                fields = format!("{fields} {more}");
            }
            let (body, colon) = split_colon(&fields);
            ends |= colon;
            match body.strip_prefix('{').and_then(|body| body.strip_suffix('}')) {
                // `{method:string}` is `{method: string}`.
                Some(fields) => Ok(Body::Fields(fields.replace(':', ": "))),
                None => type_name(body).map(Body::Named),
            }
        };
        match word {
            "->" | "returns" => endpoint.response = Some(body(None)?),
            "<-" | "takes" => endpoint.request = Some(body(None)?),
            // Directly behind the path stands what is sent.
            _ if is_body && endpoint.has_path_alone() => {
                endpoint.request = Some(body(Some(word))?);
            }
            "" => {}
            "-" | "–" | "—" => ends = true,
            _ => endpoint.add_status(word)?,
        }
        if ends {
            summary = words.next();
            break;
        }
    }
    let more: Vec<&str> = summary.into_iter().chain(words).collect();
    endpoint.summary = (!more.is_empty()).then(|| more.join(" "));
    Ok(endpoint)
}

/// A path and its query, if its parameters are names.
fn checked(path: &str) -> Result<(&str, &str), String> {
    if !path.starts_with('/') {
        return Err("has no path after its method; a path begins with /".to_owned());
    }
    if path.contains(['<', '>']) {
        return Err("has a parameter as <name>; it is written {name} or :name".to_owned());
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    if let Some(name) = names.find(|name| name.contains(':')) {
        return Err(format!("has the parameter {{{name}}}; it is written as a name alone, {{id}}"));
    }
    Ok((path, query))
}

/// Whether a word is a status, optionally with a colon.
fn is_status(word: &str) -> bool {
    split_colon(word).0.parse::<u16>().is_ok()
}

/// Whether a word names a body, or begins its fields.
fn is_body_name(word: &str) -> bool {
    word.starts_with('{') || type_name(split_colon(word).0).is_ok()
}

/// The parameters of a query string: `limit=int&q`.
fn query(text: &str) -> Result<Vec<Parameter>, String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']'))
    };
    let parameter = |pair: &str| {
        let (name, kind) =
            pair.split_once('=').map_or((pair, None), |(name, kind)| (name, Some(kind)));
        if is_name(name) && kind.is_none_or(|kind| !kind.is_empty()) {
            Ok(Parameter { name: name.to_owned(), kind: kind.map(str::to_owned) })
        } else {
            Err(format!("has {pair:?} in its query, which is neither a name nor name=type"))
        }
    };
    text.split('&').filter(|pair| !pair.is_empty()).map(parameter).collect()
}

impl Endpoint {
    /// Whether nothing is known but the method and the path.
    fn has_path_alone(&self) -> bool {
        self.request.is_none()
            && self.response.is_none()
            && self.status.is_none()
            && self.errors.is_empty()
    }

    /// Adds a status of the response, or of an error.
    fn add_status(&mut self, word: &str) -> Result<(), String> {
        match word.parse::<u16>() {
            Ok(status) if (100..400).contains(&status) => self.status = Some(status),
            Ok(status) if self.errors.contains(&status) => {}
            Ok(status) if (400..600).contains(&status) => self.errors.push(status),
            _ => {
                return Err(format!(
                    "has {word:?}; the path is followed by <- Type, -> Type, a status, and : summary"
                ));
            }
        }
        Ok(())
    }
}

/// A word without a colon at its end, and whether it has one.
fn split_colon(word: &str) -> (&str, bool) {
    word.strip_suffix(':').map_or((word, false), |word| (word, true))
}

/// A path with `:id` as `{id}`.
pub fn braces(path: &str) -> String {
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
