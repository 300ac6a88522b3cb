//! The environment variables of a service. The value of a secret is never shown, in an error neither.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::input::values::Line;
use crate::output::{Result, bad_text};
use crate::text::is_variable;

/// The ends of the names of secrets.
const SECRETS: &str =
    "PASSWORD PASSWD _PASS _PWD PASSPHRASE SECRET TOKEN KEY KEY_BASE CREDENTIALS DSN DATABASE_URL";

/// An environment variable.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) description: Option<String>,
    #[serde(skip)]
    pub(super) value: Option<String>,
    /// Whether its value must not be shown.
    pub(super) secret: bool,
    /// An example of its value, if that is not given.
    pub(super) example: Option<String>,
}

/// The variables of a field: a list of `NAME`, `NAME=value`, `NAME: description` or `NAME=value: description`, or an object
/// with their values by name.
pub(super) fn read(field: &Value) -> Result<Vec<Variable>> {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for item in field.as_array().into_iter().flatten() {
        if let Value::Object(members) = item {
            rows.push(of_object(members)?);
            continue;
        }
        let line = text(item);
        let (head, description) = line.split_once(": ").unwrap_or((&line, ""));
        let (name, value) = head.split_once('=').unwrap_or((head, ""));
        // Commas and "and" separate variables, so that this may be a part of the value before it, even of a secret.
        let is_part = value.is_empty() && name.contains(char::is_lowercase);
        if let Some([before, value, _]) = rows.last()
            && is_part
            && !value.is_empty()
        {
            let allowed = "a value without a comma and \"and\", or a member of an object: env='{\"NAME\": \"a,b\"}'";
            return Err(bad_text(
                &format!("env[{}]", rows.len() - 1),
                &format!("{before}=…, …"),
                allowed,
            ));
        }
        rows.push([name, value, description].map(str::to_owned));
    }
    for (name, value) in field.as_object().into_iter().flatten() {
        rows.push([name.clone(), text(value), String::new()]);
    }
    let mut known = HashSet::new();
    let mut variables = Vec::new();
    for (at, [name, value, description]) in rows.iter().enumerate() {
        let name = name.trim().trim_end_matches(':');
        let shown = name.split(':').next().unwrap_or_default();
        let wrong = |allowed| bad_text(&format!("env[{at}]"), shown, allowed);
        variables.push(Variable::new(name, value, description).map_err(wrong)?);
        if value.contains('\n') {
            return Err(wrong("a variable whose value is one line"));
        }
        if !known.insert(name) {
            return Err(wrong("a name that no other variable has"));
        }
    }
    Ok(variables)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The name, the value and the description of an item that is an object: its members name, value and description; or what
/// YAML makes of the line `NAME=value: description`. A text behind a name alone describes it, a number is its value.
fn of_object(members: &Map<String, Value>) -> Result<[String; 3]> {
    let get = |name: &str| {
        members.get(name).filter(|value| !value.is_null()).map(text).unwrap_or_default()
    };
    let is_member = |name: &String| ["name", "value", "description"].contains(&name.as_str());
    if members.contains_key("name") && members.keys().all(is_member) {
        return Ok(["name", "value", "description"].map(get));
    }
    match members.iter().next().filter(|_| members.len() == 1) {
        Some((head, rest)) if rest.is_string() => {
            let (name, value) = head.split_once('=').unwrap_or((head, ""));
            Ok([name.to_owned(), value.to_owned(), text(rest)])
        }
        Some((name, value)) if !value.is_array() && !value.is_object() => {
            Ok([name.clone(), text(value), String::new()])
        }
        _ => {
            let names: Vec<&str> = members.keys().map(String::as_str).collect();
            let allowed = "NAME, NAME=value, NAME: description, or an object with name, value and description";
            Err(bad_text("env", &names.join(", "), allowed))
        }
    }
}

impl Variable {
    fn new(name: &str, value: &str, description: &str) -> Result<Self, &'static str> {
        if !is_variable(name) {
            return Err("names of letters, digits and _, not a digit first");
        }
        let upper = name.to_uppercase();
        let is_named_so = SECRETS.split(' ').any(|end| upper.ends_with(end));
        let secret = is_named_so || has_password(value);
        let is_word = description.split_whitespace().count() == 1;
        if is_word && (secret || has_password(description)) {
            return Err(
                "NAME=value, or a description of several words: what follows the colon is printed, and this may be a secret",
            );
        }
        let [description, value] =
            [description, value].map(|text| Line::new(text).ok().map(Line::into_inner));
        Ok(Self { name: name.to_owned(), description, value, secret, example: None })
    }
}

/// Whether a text is a URL with a password.
fn has_password(text: &str) -> bool {
    let login = text.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    login.is_some_and(|(login, _)| login.contains(':'))
}
