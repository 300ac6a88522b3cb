//! Requests for help: `--help` or `-h` anywhere before `--`, or the word `help` next to a command. Such a
//! command line is not parsed any further, so that nothing in it is carried out, and no other mistake in it hides the help.

use std::ffi::OsString;
use std::path::PathBuf;

use super::normalise::{TAKES_PATH, VERSION, WITH_VALUE, command_name, lower_name};
use super::verbs::verb;

/// The help that is requested.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HelpRequest {
    /// That of a command, or of the program, and the option for it.
    Command { name: Option<String>, option: &'static str },
    /// That of a skill, or of a verb of `flow skill`; the project is where a skill that is not built in is found.
    Skill { name: String, template: Option<PathBuf>, project: Option<PathBuf> },
}

/// The words before `--`, as far as help depends on them.
#[derive(Debug, Default)]
struct Words {
    plain: Vec<String>,
    project: Option<PathBuf>,
    template: Option<PathBuf>,
    /// `--help`, or `-h` for the short help.
    help: Option<&'static str>,
}

/// The help that the words after the program's name request.
pub(super) fn requested(words: &[OsString]) -> Option<HelpRequest> {
    let Words { mut plain, project, template, mut help } = read(words);
    if let Some(at) = help_word(&plain) {
        plain.remove(at);
        help = help.or(Some("--help"));
    }
    let option = help?;
    let Some(first) = plain.first().filter(|word| !word.eq_ignore_ascii_case(VERSION)) else {
        return Some(HelpRequest::Command { name: None, option });
    };
    let (command, skill) = command_name(first);
    match skill.or_else(|| plain.get(1).map(|word| word.to_lowercase())) {
        Some(name) if command == "skill" => Some(HelpRequest::Skill { name, template, project }),
        _ => Some(HelpRequest::Command { name: Some(command), option }),
    }
}

fn read(words: &[OsString]) -> Words {
    let mut found = Words::default();
    let mut option = String::new();
    for word in words.iter().take_while(|word| *word != "--") {
        let text = word.to_string_lossy();
        if let Some(help) = help_option(&text) {
            found.help = Some(help);
            option.clear();
        } else if !option.is_empty() {
            found.set(&option, word.clone());
            option.clear();
        } else if !text.starts_with('-') {
            found.plain.push(text.into_owned());
        } else if let Some((name, value)) = text.split_once('=') {
            found.set(&lower_name(name), value.into());
        } else {
            option = lower_name(&text);
            if !WITH_VALUE.contains(&option.as_str()) {
                option.clear();
            }
        }
    }
    found
}

impl Words {
    fn set(&mut self, option: &str, value: OsString) {
        match option {
            "--project" => self.project = Some(value.into()),
            "--template" => self.template = Some(value.into()),
            _ => {}
        }
    }
}

fn help_option(text: &str) -> Option<&'static str> {
    match text {
        "-h" => Some("-h"),
        _ => text.eq_ignore_ascii_case("--help").then_some("--help"),
    }
}

/// The index of the word `help`: before or after a command, or after an action or verb. Elsewhere the word is a text or an id.
fn help_word(plain: &[String]) -> Option<usize> {
    let at = plain.iter().position(|word| word.eq_ignore_ascii_case("help"))?;
    let (command, skill) = command_name(plain.first()?);
    let is_help = match (at, command.as_str()) {
        (0, _) => true,
        (1, "explain") => false,
        (1, _) => skill.is_none(),
        (2, "api") => !plain[1].eq_ignore_ascii_case(TAKES_PATH),
        (2, "skill") => verb(&plain[1]).is_some(),
        _ => false,
    };
    is_help.then_some(at)
}
