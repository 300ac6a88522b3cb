//! A project's settings, the registry of trusted templates, and what git prints of its log and its
//! index: each is read or refused, quickly and on a small stack, and a registry is written as it is read.

use crate::{choice, within_limits};
use flow_daemon::project::config;
use flow_skills::runtime::git;
use flow_skills::runtime::registry::{LARGEST_REGISTRY, Registry};

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, text)) = choice(data) else { return };
    within_limits(|| match (first % 4, std::str::from_utf8(&text)) {
        (0, _) => settings(&text),
        (1, Ok(text)) => registry(text),
        (2, Ok(text)) => log(text),
        (3, Ok(text)) => status(text),
        _ => {}
    });
}

fn settings(text: &[u8]) {
    if let Err(reason) = config::check(text) {
        assert!(!reason.is_empty());
    }
}

fn registry(text: &str) {
    let Ok(registry) = Registry::read(text) else { return };
    match registry.text() {
        Ok(written) => assert_eq!(Registry::read(&written), Ok(registry)),
        // Indentation may make it too long.
        Err(fault) => assert!(text.len() as u64 > LARGEST_REGISTRY / 16, "{fault}"),
    }
}

/// Commits are written as they are read, but for white space at the end of a message.
fn log(text: &str) {
    let commits = git::read_log(text);
    let entries: Vec<String> =
        commits.iter().map(|commit| format!("{}\n{}", commit.id, commit.message)).collect();
    assert_eq!(git::read_log(&entries.join("\0")), commits);
}

fn status(text: &str) {
    let fields = text.split('\0').filter(|field| !field.is_empty()).count();
    let staged = git::read_status(text);
    assert!(staged.iter().all(|file| !file.path.is_empty()), "{staged:?}");
    assert!(2 * staged.len() <= fields, "{} of {fields} fields", staged.len());
}
