//! Rewrites the forms that people paste and type to the canonical one.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use super::skill_call::SkillCall;
use super::verbs::verb;
use crate::cli::text;
use crate::skill::generator;
use crate::skill::input::typed::{nearest, property};
use crate::skill::runtime::catalog;

/// The keys of `KEY=value` words.
const KEYS: [&str; 3] = ["ACTION", "PORT", "PROJECT"];
/// Options whose value is the next word.
pub(super) const WITH_VALUE: [&str; 12] = [
    "--project",
    "--port",
    "--input",
    "--from-story",
    "--as",
    "--out",
    "--to",
    "--now",
    "--template",
    "--at",
    "--timeout",
    "--since",
];
/// The options of every command.
const EVERYWHERE: [&str; 3] = ["help", "json", "project"];
/// The word that is accepted for `--version`.
pub(super) const VERSION: &str = "version";
/// The actions of `flow api`.
const ACTIONS: [&str; 7] = ["start", "stop", "restart", "status", "list", "get", "logs"];
/// The action of `flow api` whose argument is a path, which is case-sensitive.
pub(super) const TAKES_PATH: &str = "get";

/// The words in the form that the definition of the command line expects.
///
/// # Errors
/// A `KEY=value` word with an unknown key.
pub(super) fn normalise(words: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut normal: Vec<OsString> = Vec::with_capacity(words.len());
    let mut command = None;
    let mut value_follows = false;
    let mut are_texts = false;
    let mut field: Option<OsString> = None;
    for (at, word) in words.iter().enumerate() {
        if let Some(mut pair) = field.take() {
            pair.push(word);
            normal.push(pair);
            continue;
        }
        let Some(text) = word.to_str().filter(|_| !value_follows) else {
            value_follows = false;
            normal.push(word.clone());
            continue;
        };
        let is_named = command.as_deref() == Some("skill") && normal.len() > 1;
        if is_named && is_text(text) {
            // The space keeps it from being read as an option.
            normal.push(format!(" {text}").into());
        } else if text == "--" {
            are_texts = true;
            normal.push(word.clone());
        } else if text.starts_with('-') && !are_texts {
            let option = lower_name(text);
            let of_skill =
                is_named && normal.get(1).is_some_and(|name| name == "chain" || !is_verb(name));
            let skill = normal.get(1).and_then(|name| name.to_str()).unwrap_or_default();
            match field_of(text, skill).filter(|_| of_skill) {
                Some(pair) if pair.contains('=') => normal.push(pair.into()),
                Some(key) if words.get(at + 1).is_some_and(is_value) => {
                    field = Some(format!("{key}=").into());
                }
                Some(key) => return Err(text::no_option(key)),
                _ => {
                    value_follows = WITH_VALUE.contains(&option.as_str());
                    normal.push(option.into());
                }
            }
        } else if command.is_none() && text.eq_ignore_ascii_case(VERSION) {
            normal.push("--version".into());
            command = Some(VERSION.to_owned());
        } else if command.is_none() {
            let (name, skill) = command_name(text);
            check_level(&name, &words[at + 1..])?;
            normal.push(name.clone().into());
            normal.extend(skill.map(OsString::from));
            command = Some(name);
        } else if command.as_deref() == Some("api") && !normal.iter().any(|w| w == TAKES_PATH) {
            normal.push(api_word(text)?.into());
        } else {
            if command.as_deref() == Some(SCHEMA) {
                check_file(text)?;
            }
            normal.push(word.clone());
        }
    }
    Ok(normal)
}

/// The field for an option that `flow skill` has not, or has only as another name of one and the skill as a field:
/// `dialect=mysql` for `--dialect=mysql`, `dialect` for `--dialect`, `to` for `--to` of a handoff.
fn field_of<'a>(option: &'a str, skill: &str) -> Option<&'a str> {
    let pair = option.strip_prefix("--")?;
    let key = pair.split('=').next()?;
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let name = key.to_lowercase();
    let is_field = || {
        let skill = generator::find(&skill.to_lowercase());
        skill.is_some_and(|skill| property(&(skill.input.schema)(), &name).is_some())
    };
    let command = SkillCall::augment_args(clap::Command::new("skill"));
    let is_option = |argument: &clap::Arg| {
        let aliases = argument.get_all_aliases();
        argument.get_long() == Some(&name)
            || aliases.is_some_and(|names| names.contains(&&*name)) && !is_field()
    };
    let is_known = EVERYWHERE.contains(&&*name) || command.get_arguments().any(is_option);
    (is_key && !is_known).then_some(pair)
}

/// Whether a word that begins with a hyphen is a text: a bulleted list, or a number.
fn is_text(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| c == ' ' || c.is_ascii_digit()))
}

fn is_verb(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| verb(&word.to_lowercase()).is_some())
}

/// Whether a word can be the value of the option before it.
fn is_value(word: &OsString) -> bool {
    !word.as_encoded_bytes().starts_with(b"--")
}

/// The command with the name of a verb: it prints the schemas of files, and the verb those of skills.
const SCHEMA: &str = "schema";

/// Longest arguments that a proposed command repeats, in bytes.
const REPEATED: usize = 200;

/// Refuses a word of a lower level and names the whole command: `flow api status --json` for `flow status --json`.
pub(super) fn check_level(name: &str, others: &[OsString]) -> Result<(), String> {
    let others = others.iter().map(|word| text::quoted(Path::new(word)));
    let mut words: Vec<String> = std::iter::once(name.to_owned()).chain(others).collect();
    // A long text is not repeated.
    if words.iter().map(String::len).sum::<usize>() > REPEATED {
        words = vec![name.to_owned(), "…".to_owned()];
    }
    let words = words.join(" ");
    let whole: Vec<String> = [
        ACTIONS.contains(&name).then(|| format!("flow api {words}")),
        (verb(name).is_some() && name != SCHEMA || is_skill(name))
            .then(|| format!("flow skill {words}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if whole.is_empty() {
        return Ok(());
    }
    Err(format!("{name:?} is not a command by itself; run: {}", whole.join(", or ")))
}

fn is_skill(name: &str) -> bool {
    catalog::names().any(|skill| skill == name)
}

/// Refuses the name of a skill as that of a file, and names the command for a skill's schema.
fn check_file(text: &str) -> Result<(), String> {
    let name = text.to_lowercase();
    if is_skill(&name) {
        return Err(format!("{name:?} is a skill, not a file; run: flow skill schema {name}"));
    }
    Ok(())
}

/// An option with its name in lower case and its value unchanged. Short options are case-sensitive.
pub(super) fn lower_name(option: &str) -> String {
    match option.split_once('=') {
        _ if !option.starts_with("--") => option.to_owned(),
        Some((name, value)) => format!("{}={value}", name.to_lowercase()),
        None => option.to_lowercase(),
    }
}

/// The command for `/flow:api` and `flow:api`, `api`, or for any other `flow:NAME`, `skill NAME`.
pub(super) fn command_name(text: &str) -> (String, Option<String>) {
    let name = text.to_lowercase();
    match name.strip_prefix('/').unwrap_or(&name).strip_prefix("flow:") {
        Some("api") => ("api".into(), None),
        Some(skill) => ("skill".into(), Some(skill.into())),
        None => (name, None),
    }
}

fn api_word(text: &str) -> Result<String, String> {
    let Some((key, value)) = text.split_once('=') else { return Ok(text.to_lowercase()) };
    match key.to_uppercase().as_str() {
        "ACTION" => Ok(value.to_lowercase()),
        "PORT" => Ok(format!("--port={value}")),
        "PROJECT" => Ok(format!("--project={value}")),
        other => Err(text::unknown_key(key, nearest(other, &KEYS), &KEYS)),
    }
}
