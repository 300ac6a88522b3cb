//! `error-handler-template`: generates error classes, a handler with logging, and user messages in TypeScript or Python.

use std::collections::HashMap;

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::skill::{Needs, Skill};
use crate::codegen::language::quote;
use crate::input::content::ContentKind;
use crate::input::definition::{Definition, takes};
use crate::input::kind::Kind;
use crate::input::values::{Int, Line, TextOr, TextOrList, Word};
use crate::notation::errors;
use crate::notation::errors::ErrorCase;
use crate::output;
use crate::output::{Artifact, Output, Result, bad_text, missing};
use crate::runtime::engine;
use crate::text::{capital, lists};

const NAME: &str = "error-handler-template";
/// The base class of all errors.
const BASE: &str = "AppError";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Errors, "cases"), takes(ContentKind::Sample, "cases")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, _| generate(&given.read()?),
    verify: None,
};

/// Error cases, and the language of their classes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The error cases: user not found 404, payment declined 402; or a list of such lines or of objects.
    #[schemars(extend("x-labels" = ["Errors", "Error cases"]))]
    cases: TextOrList<TextOr<CaseFields>>,
    /// The language: typescript or python. Default: that of the framework, else typescript.
    #[schemars(extend("x-labels" = ["Lang"]))]
    language: Option<Word>,
    /// The framework whose handler is written too: express or fastapi.
    framework: Option<Word>,
    /// The name of the application, for the head of the file.
    #[schemars(extend("x-labels" = ["Application", "App"]))]
    service: Option<Line>,
}

/// A case: an object, or a line in the notation of errors.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CaseFields {
    /// The words that its class and its code are made of, such as `user not found`. Default: the code.
    name: Option<Line>,
    /// The code that callers see, such as `NOT_FOUND`. Default: made of the name.
    code: Option<Line>,
    /// The HTTP status of the response. Default: 500.
    #[schemars(extend("x-labels" = ["HTTP", "HTTP status", "Status code"]))]
    status: Option<Int<400, 599>>,
    /// The message for users. Default: the words of the code.
    #[schemars(extend("x-labels" = ["user_message"]))]
    message: Option<String>,
    /// Whether the same request may succeed later. Default: depends on the status.
    #[schemars(extend("x-labels" = ["retry"]))]
    retryable: Option<bool>,
}

/// An error case, with everything that is written of it.
#[derive(Debug, Serialize)]
struct Case {
    code: String,
    status: u16,
    message: String,
    retryable: bool,
    /// The class.
    name: String,
}

fn generate(input: &Input) -> Result<Output> {
    let mut notes = Vec::new();
    let (language, extension) = language(input, &mut notes)?;
    let cases = cases(input, &mut notes)?;
    check_names(&cases)?;
    let written = cases.iter().map(|case| {
        json!({
            "name": case.name, "code": quote(&case.code), "status": case.status,
            "message": quote(&case.message), "retryable": case.retryable,
        })
    });
    let service = input.service.as_deref().unwrap_or("this application");
    // It stands in a comment, which other characters could end.
    if !service.chars().all(|c| c.is_alphanumeric() || " -_.".contains(c)) {
        return Err(bad_text("service", service, "a name of letters, digits and - _ ."));
    }
    let view = json!({
        "cases": written.collect::<Vec<_>>(), "service": service, "has_framework": input.framework.is_some(),
    });
    let text = engine::render_own(NAME, &format!("assets/template.{extension}.tera"), &view)?;
    let path = format!("errors.{extension}");
    Ok(Output {
        data: json!({"language": language, "cases": output::value(&cases)?}),
        artifacts: vec![Artifact::new(path, language, text)],
        open: Vec::new(),
        notes,
    })
}

/// A language and the extension of its files.
type Language = (&'static str, &'static str);

/// The language with a name.
fn named(field: &str, word: &str) -> Result<Language> {
    match word.to_lowercase().as_str() {
        "typescript" | "ts" => Ok(("typescript", "ts")),
        "python" | "py" => Ok(("python", "py")),
        _ => Err(bad_text(field, word, "typescript or python")),
    }
}

/// The language of a framework.
fn of_framework(word: &str) -> Result<Language> {
    match word.to_lowercase().as_str() {
        "express" => named("language", "typescript"),
        "fastapi" => named("language", "python"),
        _ => Err(bad_text(
            "framework",
            word,
            "express or fastapi (without it, the handler is a function)",
        )),
    }
}

/// The language of the field, of the framework, or of the word before the cases, which must not differ.
fn language(input: &Input, notes: &mut Vec<String>) -> Result<Language> {
    let headed = match &input.cases {
        TextOrList::Text(text) => errors::headed(text).0,
        TextOrList::Value(_) => None,
    };
    let stated = [
        headed.map(|word| named("cases", word)).transpose()?,
        input.framework.as_deref().map(of_framework).transpose()?,
        input.language.as_deref().map(|word| named("language", word)).transpose()?,
    ];
    let mut stated = stated.into_iter().flatten();
    let Some(first) = stated.next() else {
        notes.push("language not given; using typescript (add language=python)".to_owned());
        return named("language", "typescript");
    };
    match stated.find(|other| *other != first) {
        Some((other, _)) => {
            let allowed = format!("{}, as the cases or the framework say", first.0);
            Err(bad_text("language", other, &allowed))
        }
        None => Ok(first),
    }
}

/// The cases with defaults for what their short forms omit.
fn cases(input: &Input, notes: &mut Vec<String>) -> Result<Vec<Case>> {
    let lines = |text: &str, field: &str| errors::read(text).map_err(|misfit| misfit.fault(field));
    let mut all = Vec::new();
    match &input.cases {
        TextOrList::Text(text) => all = lines(text, "cases")?,
        TextOrList::Value(items) => {
            for (at, item) in items.iter().enumerate() {
                let field = format!("cases[{at}]");
                match item {
                    TextOr::Value(fields) => all.push(fields.case(&field)?),
                    TextOr::Text(line) => {
                        if let (Some(word), _) = errors::headed(line) {
                            return Err(bad_text(&field, word, "left out (language=… sets it)"));
                        }
                        all.extend(lines(line, &field)?);
                    }
                }
            }
        }
    }
    if all.is_empty() {
        let expects = format!("text such as `{}`", errors::EXAMPLE);
        return Err(missing("cases", &expects, "the error cases"));
    }
    let bare = all.iter().filter(|case| case.status.is_none());
    let names: Vec<&str> = bare.map(|case| &*case.name).collect();
    if let Some(first) = names.first() {
        notes.push(format!("the status is 500 for {} (add `{first} 404`)", names.join(", ")));
    }
    all.into_iter().enumerate().map(|(at, line)| case(at, line)).collect()
}

impl CaseFields {
    fn case(&self, field: &str) -> Result<ErrorCase> {
        let code = self.code.as_ref().map(ToString::to_string);
        let name = self.name.as_ref().map(ToString::to_string).or_else(|| code.clone());
        let name = name.ok_or_else(|| missing(&format!("{field}.name"), "text", "what failed"))?;
        let status = self.status.and_then(|status| u16::try_from(status.get()).ok());
        let (message, retryable) = (self.message.clone(), self.retryable);
        Ok(ErrorCase { name, code, status, message, retryable })
    }
}

/// Whether a name is a code already, which stays as it is.
fn is_code(name: &str) -> bool {
    !name.contains(' ') && name.chars().any(char::is_uppercase)
}

/// `user not found` and `ORDER_ALREADY_PAID` as sentences.
fn sentence(name: &str) -> String {
    let words =
        if is_code(name) { name.to_snake_case().replace('_', " ") } else { name.to_owned() };
    format!("{}.", capital(&words))
}

/// A text as a code, which it may be already.
fn code_of(field: &str, text: &str) -> Result<String> {
    let code = if is_code(text) {
        text.to_owned()
    } else {
        text.replace(['\'', '’'], "").to_shouty_snake_case()
    };
    let is_valid = code.starts_with(|c: char| c.is_ascii_alphabetic())
        && code.len() <= 100
        && code.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let allowed = "a letter and then letters, digits, _ - or .";
    if is_valid { Ok(code) } else { Err(bad_text(field, text, allowed)) }
}

fn case(at: usize, line: ErrorCase) -> Result<Case> {
    let ErrorCase { name, code, status, message, retryable } = line;
    let field = format!("cases[{at}].code");
    let words = code_of(&field, &name)?;
    let code = code.map_or_else(|| Ok(words.clone()), |code| code_of(&field, &code))?;
    let status = status.unwrap_or(500);
    Ok(Case {
        message: message.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| sentence(&name)),
        retryable: retryable.unwrap_or(matches!(status, 408 | 425 | 429 | 502 | 503 | 504)),
        name: class(&words),
        code,
        status,
    })
}

/// Class names that a language defines.
const TAKEN: &str = include_str!("error_handler_template/names.txt");

/// Refuses cases whose classes would have the same name.
fn check_names(cases: &[Case]) -> Result<()> {
    let mut known: HashMap<&str, u16> = HashMap::new();
    for (at, Case { name, code, status, .. }) in cases.iter().enumerate() {
        let allowed = match known.insert(name, *status) {
            None => continue,
            Some(other) if other != *status => {
                format!(
                    "given with one status, and another case of {name} has {other}, this one {status}"
                )
            }
            Some(_) => format!("a code of another name: {name} is another case's class"),
        };
        return Err(bad_text(&format!("cases[{at}].code"), code, &allowed));
    }
    Ok(())
}

fn class(code: &str) -> String {
    let camel = code.to_upper_camel_case();
    let stem = camel.strip_suffix("Error").unwrap_or(&camel);
    let name = format!("{stem}Error");
    let is_taken = lists(TAKEN, &name) || name == BASE;
    if is_taken { format!("{stem}CaseError") } else { name }
}
