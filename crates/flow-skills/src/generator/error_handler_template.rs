//! `error-handler-template`: error classes, a handler, logging and messages for users, in one of four languages.

mod spoken;

use std::collections::HashSet;

use heck::ToUpperCamelCase;
use serde::Serialize;
use serde_json::{Value, json};

use super::status_texts;
use crate::fields::{self, bad, bad_text, missing};
use crate::input::Input;
use crate::output::{self, Artifact, Output, Result};
use crate::project_state::Context;
use crate::runtime::engine;

/// The skill's name.
pub(super) const NAME: &str = "error-handler-template";
const DESCRIPTION: &str = "the error cases, each with a code and an HTTP status";
/// Names that a class of ours must not take from the language or from the template.
const TAKEN: [&str; 58] = [
    "Error",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
    "AggregateError",
    "InternalError",
    "SuppressedError",
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "ChildProcessError",
    "ConnectionError",
    "ConnectionAbortedError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "EOFError",
    "EnvironmentError",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "IOError",
    "ImportError",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "RuntimeError",
    "SystemError",
    "TabError",
    "TimeoutError",
    "UnboundLocalError",
    "UnicodeError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "ValueError",
    "ZeroDivisionError",
    "Exception",
    "BaseException",
    "DOMException",
    "StandardError",
];
/// A language: its name, other words for it, the file's extension and its kind.
struct Language {
    name: &'static str,
    others: &'static [&'static str],
    extension: &'static str,
    template: &'static str,
}

const LANGUAGES: [Language; 4] = [
    Language {
        name: "typescript",
        others: &["ts"],
        extension: "ts",
        template: "assets/template.ts.tera",
    },
    Language {
        name: "javascript",
        others: &["js", "node"],
        extension: "mjs",
        template: "assets/template.mjs.tera",
    },
    Language {
        name: "python",
        others: &["py"],
        extension: "py",
        template: "assets/template.py.tera",
    },
    Language {
        name: "rust",
        others: &["rs"],
        extension: "rs",
        template: "assets/template.rs.tera",
    },
];

#[derive(Debug, Serialize)]
struct Case {
    code: String,
    status: u16,
    message: String,
    retryable: bool,
    /// The class, or the kind in Rust.
    name: String,
}

/// Makes the file.
///
/// # Errors
/// When there is no case, or a part cannot be used.
pub(super) fn generate(input: &Input, _context: &Context) -> Result<Output> {
    let mut notes = Vec::new();
    let language = language(input, &mut notes)?;
    let base = base(input)?;
    let mut cases = match input.fields.get("cases") {
        Some(Value::String(text)) => lines(text, &mut notes)?,
        Some(Value::Array(items)) => records(items, &mut notes)?,
        None | Some(Value::Null) => Vec::new(),
        Some(other) => {
            return Err(bad("cases", other, "a list of {code, status, message, retryable}"));
        }
    };
    if cases.is_empty() {
        return Err(missing("cases", "a list of {code, status, message, retryable}", DESCRIPTION));
    }
    name_all(&mut cases, language, &base)?;
    let quote = if language.name == "rust" { quote_rust } else { quote_json };
    let written: Vec<Value> = cases
        .iter()
        .map(|case| {
            json!({
                "name": case.name, "code": quote(&case.code), "status": case.status,
                "message": quote(&case.message), "retryable": case.retryable,
            })
        })
        .collect();
    let text =
        engine::render_own(NAME, language.template, &json!({"base": base, "cases": written}))?;
    let data = json!({"language": language.name, "name": base, "cases": output::value(&cases)?});
    let path = format!("errors.{}", language.extension);
    Ok(Output {
        data,
        artifacts: vec![Artifact::new(path, language.name, text)],
        open: Vec::new(),
        notes,
    })
}

fn language(input: &Input, notes: &mut Vec<String>) -> Result<&'static Language> {
    let Some(word) = fields::line(input, "language")? else {
        notes.push("The language is typescript; language=… sets another.".to_owned());
        return Ok(&LANGUAGES[0]);
    };
    let lower = word.to_lowercase();
    let is_meant =
        |language: &&Language| language.name == lower || language.others.contains(&lower.as_str());
    let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    LANGUAGES
        .iter()
        .find(is_meant)
        .ok_or_else(|| bad_text("language", word, &format!("one of {}", names.join(", "))))
}

/// The name of the class that all errors are of.
fn base(input: &Input) -> Result<String> {
    let Some(name) = fields::line(input, "name")? else { return Ok("AppError".to_owned()) };
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && ["Error", "Exception", "Failure"].iter().any(|end| name.ends_with(end))
        && name.len() <= 60
        && !TAKEN.contains(&name);
    if is_name {
        Ok(name.to_owned())
    } else {
        Err(bad_text(
            "name",
            name,
            "a class name that ends in Error, Exception or Failure, such as ShopError, and that no language has",
        ))
    }
}

fn records(items: &[Value], notes: &mut Vec<String>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let path = format!("cases[{at}]");
        if let Value::String(text) = item {
            cases.push(line(&path, text, notes)?);
            continue;
        }
        let code = fields::member(item, &path, "code")?.ok_or_else(|| {
            missing(&format!("{path}.code"), "text", "the error's code, such as NOT_FOUND")
        })?;
        let status = match item.get("status") {
            None | Some(Value::Null) => return Err(no_status(&path)),
            Some(given) => given
                .as_u64()
                .and_then(|status| u16::try_from(status).ok())
                .ok_or_else(|| bad(&format!("{path}.status"), given, ALLOWED_STATUS))?,
        };
        let retryable = match item.get("retryable") {
            None | Some(Value::Null) => None,
            Some(Value::Bool(flag)) => Some(*flag),
            Some(other) => return Err(bad(&format!("{path}.retryable"), other, "true or false")),
        };
        let message = fields::member(item, &path, "message")?;
        cases.push(case(&path, (code, status), (message, retryable), notes)?);
    }
    Ok(cases)
}

const ALLOWED_STATUS: &str = "an HTTP status of an error, 400 to 599";

fn no_status(path: &str) -> crate::output::Fault {
    missing(&format!("{path}.status"), "a number", ALLOWED_STATUS)
}

/// Lines such as `NOT_FOUND 404 The book is not there.`, or phrases such as `book not found 404`; `retryable` at the end
/// says that.
fn lines(text: &str, notes: &mut Vec<String>) -> Result<Vec<Case>> {
    let parts = spoken::parts(text).into_iter().enumerate();
    parts.map(|(at, text)| line(&format!("cases[{at}]"), text, notes)).collect()
}

fn line(path: &str, text: &str, notes: &mut Vec<String>) -> Result<Case> {
    if let Some(said) = spoken::phrase(text).filter(|_| !spoken::is_form(text)) {
        let status = said.status.ok_or_else(|| no_status(path))?;
        let retryable = said.is_retryable.then_some(true);
        return case(path, (&said.code, status), (Some(&said.message), retryable), notes);
    }
    let mut words = text.splitn(3, char::is_whitespace);
    let code = words.next().unwrap_or_default().trim_end_matches([':', ',']);
    let status = words.next().ok_or_else(|| no_status(path))?.trim_end_matches([':', ',']);
    let status =
        status.parse().map_err(|_| bad_text(&format!("{path}.status"), status, ALLOWED_STATUS))?;
    let rest = words.next().unwrap_or_default().trim();
    let told = rest.strip_suffix("retryable").or_else(|| rest.strip_suffix("(retryable)"));
    let message = told.unwrap_or(rest).trim();
    let message = Some(message).filter(|message| !message.is_empty());
    case(path, (code, status), (message, told.map(|_| true)), notes)
}

fn case(
    path: &str,
    (code, status): (&str, u16),
    (message, retryable): (Option<&str>, Option<bool>),
    notes: &mut Vec<String>,
) -> Result<Case> {
    let is_code = code.starts_with(|c: char| c.is_ascii_alphabetic())
        && code.len() <= 100
        && code.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if !is_code {
        let allowed = "a letter and then letters, digits, _ - or .";
        return Err(bad_text(&format!("{path}.code"), code, allowed));
    }
    if !(400..600).contains(&status) {
        return Err(bad(&format!("{path}.status"), &json!(status), ALLOWED_STATUS));
    }
    let message = message.map_or_else(
        || {
            let text = status_texts::message(status);
            notes.push(format!("{code} has no message; its users read {text:?}"));
            text.to_owned()
        },
        str::to_owned,
    );
    let retryable = retryable.unwrap_or_else(|| status_texts::is_retryable(status));
    Ok(Case { code: code.to_owned(), status, message, retryable, name: String::new() })
}

/// Gives each case a class name of its own.
fn name_all(cases: &mut [Case], language: &Language, base: &str) -> Result<()> {
    let (mut codes, mut names) = (HashSet::new(), HashSet::new());
    for (at, case) in cases.iter_mut().enumerate() {
        let path = format!("cases[{at}].code");
        if !codes.insert(case.code.clone()) {
            return Err(bad_text(&path, &case.code, "a code that no other case has"));
        }
        let camel = case.code.to_upper_camel_case();
        let stem = camel.strip_suffix("Error").unwrap_or(&camel);
        case.name = if language.name == "rust" {
            if stem.is_empty() || stem == "Self" { format!("{stem}Case") } else { stem.to_owned() }
        } else {
            let name = format!("{stem}Error");
            let is_taken = TAKEN.contains(&name.as_str()) || name == base;
            if is_taken { format!("{stem}CaseError") } else { name }
        };
        if !names.insert(case.name.clone()) {
            let allowed = format!("a code of another name: {} is another case's class", case.name);
            return Err(bad_text(&path, &case.code, &allowed));
        }
    }
    Ok(())
}

/// A literal that TypeScript, JavaScript and Python read alike. Characters that are not seen are written as escapes.
fn quote_json(text: &str) -> String {
    use std::fmt::Write as _;
    let mut quoted = String::new();
    for c in Value::from(text).to_string().chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            _ => quoted.push(c),
        }
    }
    quoted
}

fn quote_rust(text: &str) -> String {
    format!("{text:?}")
}
