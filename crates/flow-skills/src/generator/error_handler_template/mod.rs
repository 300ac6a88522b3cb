//! `error-handler-template`: generates error classes, a handler with logging, and user messages in one of four
//! languages.

mod language;
mod names;

use heck::{ToShoutySnakeCase, ToSnakeCase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use language::Language;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::notation::Notation;
use crate::input::notation::errors::{self, ErrorCase};
use crate::input::values::{Int, Line, LineOr, TextOr, TextOrList};
use crate::output::{self, Artifact, Fault, Output, Result, bad_text};
use crate::runtime::engine;
use crate::text::capital;

const NAME: &str = "error-handler-template";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Notation(Notation::Errors), "cases")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Errors,
    run: |given, _| generate(&given.read()?),
    verify: None,
};

/// Error cases, and the language of their classes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The error cases: user not found 404, payment declined 402; or a list of such lines or of objects.
    #[schemars(extend("x-labels" = ["Errors", "Error cases"]))]
    cases: TextOrList<TextOr<LineOr<CaseFields>>>,
    /// The language: typescript, javascript, python or rust. Default: typescript.
    language: Option<Language>,
    /// The name of the base class of all errors. Default: `AppError`.
    name: Option<Line>,
}

/// A case: an object, or a line in the notation of errors.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CaseFields {
    /// The code that callers see, such as `NOT_FOUND`.
    code: Line,
    /// The HTTP status of the response.
    status: Int<400, 599>,
    /// The message for users. Default: the words of the code.
    message: Option<String>,
    /// Whether the same request may succeed later. Default: depends on the status.
    retryable: Option<bool>,
}

/// An error case, with everything that is written of it.
#[derive(Debug, Serialize)]
struct Case {
    code: String,
    status: u16,
    message: String,
    retryable: bool,
    /// The class, or the variant in Rust.
    name: String,
}

fn generate(input: &Input) -> Result<Output> {
    let mut notes = Vec::new();
    let language = language(input, &mut notes)?;
    let base = input.name.as_deref().unwrap_or("AppError");
    names::base(base)?;
    let mut cases = cases(input, &mut notes)?;
    names::name_all(&mut cases, language, base)?;
    let written = cases.iter().map(|case| {
        json!({
            "name": case.name, "code": language.quote(&case.code), "status": case.status,
            "message": language.quote(&case.message), "retryable": case.retryable,
        })
    });
    let view = json!({"base": base, "cases": written.collect::<Vec<_>>()});
    let template = format!("assets/template.{}.tera", language.extension());
    let text = engine::render_own(NAME, &template, &view)?;
    let path = format!("errors.{}", language.extension());
    Ok(Output {
        data: json!({"language": language.name(), "name": base, "cases": output::value(&cases)?}),
        artifacts: vec![Artifact::new(path, language.name(), text)],
        open: Vec::new(),
        notes,
    })
}

/// The language of the field, or of the word before the cases.
fn language(input: &Input, notes: &mut Vec<String>) -> Result<Language> {
    let word = match &input.cases {
        TextOrList::Text(text) => errors::headed(text).0,
        TextOrList::Items(_) => None,
    };
    let named = |word| {
        let allowed = format!("cases, or before them one of {}", Language::all());
        Language::named(word).ok_or_else(|| bad_text("cases", word, &allowed))
    };
    let headed = word.map(named).transpose()?;
    match (input.language, headed) {
        (Some(field), Some(word)) if field != word => {
            let allowed = format!("{}, which comes before the cases", word.name());
            Err(bad_text("language", field.name(), &allowed))
        }
        (Some(language), _) | (None, Some(language)) => Ok(language),
        (None, None) => {
            notes.push("language not given; using typescript (add language=python)".to_owned());
            Ok(Language::TypeScript)
        }
    }
}

/// The cases with defaults for what their short forms omit.
fn cases(input: &Input, notes: &mut Vec<String>) -> Result<Vec<Case>> {
    let (mut found, mut bare) = (Vec::new(), Vec::new());
    let mut add = |path: &str, mut fields: CaseFields| -> Result<()> {
        fields.message = fields.message.filter(|message| !message.trim().is_empty());
        if fields.message.is_none() {
            bare.push(fields.code.to_string());
        }
        found.push(case(path, fields)?);
        Ok(())
    };
    match &input.cases {
        TextOrList::Text(text) => {
            for (at, own) in lines(text, "cases")?.into_iter().enumerate() {
                add(&format!("cases[{at}]"), own)?;
            }
        }
        TextOrList::Items(items) => {
            for (at, item) in items.iter().enumerate() {
                let path = format!("cases[{at}]");
                let all = match &item.0 {
                    LineOr::Fields(fields) => vec![fields.clone()],
                    LineOr::Line(line) => lines(line, &path)?,
                };
                all.into_iter().try_for_each(|own| add(&path, own))?;
            }
        }
    }
    if found.is_empty() {
        return Err(Fault::Missing {
            field: "cases".to_owned(),
            expects: format!("text such as `{}`", Notation::Errors.example()),
            description: "the error cases".to_owned(),
        });
    }
    if let Some(first) = bare.first() {
        notes.push(format!(
            "message not given for {}; using the words of the code (add `{first} 404: text`)",
            bare.join(", ")
        ));
    }
    Ok(found)
}

fn lines(text: &str, field: &str) -> Result<Vec<CaseFields>> {
    let read = errors::read(text).map_err(|misfit| misfit.fault(field))?;
    read.into_iter().enumerate().map(|(at, own)| of_notation(own, field, at)).collect()
}

/// `user not found 404` has the code `USER_NOT_FOUND` and the message `User not found.`; a code is kept.
fn of_notation(own: ErrorCase, field: &str, at: usize) -> Result<CaseFields> {
    let ErrorCase { name, status, message } = own;
    let is_code = !name.contains(' ') && name.chars().any(char::is_uppercase);
    let code =
        if is_code { name.clone() } else { name.replace(['\'', '’'], "").to_shouty_snake_case() };
    let told = (!is_code).then(|| sentence(&name));
    let wrong = |_| bad_text(&format!("{field}[{at}]"), &name, "a name with letters");
    let bad_status = |_| bad_text(&format!("{field}[{at}].status"), &name, "400 to 599");
    let status = serde_json::from_value(status.into()).map_err(bad_status)?;
    Ok(CaseFields {
        code: Line::new(&code).map_err(wrong)?,
        status,
        message: message.or(told),
        retryable: None,
    })
}

/// The message of a case without one: `ORDER_ALREADY_PAID` is `Order already paid.`
fn sentence(words: &str) -> String {
    format!("{}.", capital(words))
}

fn case(path: &str, fields: CaseFields) -> Result<Case> {
    let CaseFields { code, status, message, retryable } = fields;
    let is_code = code.starts_with(|c: char| c.is_ascii_alphabetic())
        && code.len() <= 100
        && code.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if !is_code {
        let allowed = "a letter and then letters, digits, _ - or .";
        return Err(bad_text(&format!("{path}.code"), &code, allowed));
    }
    let status = u16::try_from(status.get()).unwrap_or(500);
    let usual = || sentence(&code.to_snake_case().replace('_', " "));
    Ok(Case {
        message: message.unwrap_or_else(usual),
        retryable: retryable.unwrap_or(matches!(status, 408 | 425 | 429 | 502 | 503 | 504)),
        code: code.into_inner(),
        status,
        name: String::new(),
    })
}
