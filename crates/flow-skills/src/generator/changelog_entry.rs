//! `changelog-entry`: a Keep a Changelog section from changes or from commits, alone or put into its file.

mod subject;

use semver::Version;
use serde::Serialize;
use serde_json::{Value, json};

use super::changelog_file::{self, Edit};
use super::conventional::{self, Message};
use super::prose::prose;
use crate::fields::{self, bad, bad_text, missing};
use crate::input::Input;
use crate::output::{self, Artifact, Output, Result};
use crate::project_state::Context;
use crate::runtime::git;
use subject::Changelog;

/// The skill's name.
pub(super) const NAME: &str = "changelog-entry";
/// The headings, in their order.
pub(super) const GROUPS: [&str; 6] =
    ["Added", "Changed", "Fixed", "Deprecated", "Removed", "Security"];
/// Other words for a heading.
const WORDS: [(&str, &str); 27] = [
    ("introduced", "Added"),
    ("improved", "Changed"),
    ("updated", "Changed"),
    ("renamed", "Changed"),
    ("moved", "Changed"),
    ("add", "Added"),
    ("feat", "Added"),
    ("feature", "Added"),
    ("change", "Changed"),
    ("perf", "Changed"),
    ("refactor", "Changed"),
    ("docs", "Changed"),
    ("style", "Changed"),
    ("test", "Changed"),
    ("chore", "Changed"),
    ("build", "Changed"),
    ("ci", "Changed"),
    ("revert", "Changed"),
    ("fix", "Fixed"),
    ("bugfix", "Fixed"),
    ("deprecate", "Deprecated"),
    ("deprecation", "Deprecated"),
    ("remove", "Removed"),
    ("drop", "Removed"),
    ("delete", "Removed"),
    ("sec", "Security"),
    ("vulnerability", "Security"),
];

/// One change, as the changelog has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    #[serde(rename = "type")]
    pub(super) group: &'static str,
    pub(super) text: String,
    pub(super) breaking: bool,
}

/// Makes the section or the file.
///
/// # Errors
/// When there is nothing to enter, or a part cannot be used.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let mut output = Output::default();
    let mut entries = stated(input.fields.get("changes"))?;
    let upstream = input.upstream.as_ref().and_then(|(_, data)| data.get("message")?.as_str());
    if let Some(message) = upstream {
        entries.push(line_entry("changes", message)?);
    }
    if let Some(range) = fields::line(input, "range")? {
        entries.extend(from_commits(&git::commits(&context.folder, "range", range)?, &mut output));
    }
    let Changelog { path, file, subject, not_extended } = subject::changelog(input, context)?;
    let url = url(input)?.or_else(|| file.as_ref().and_then(changelog_file::File::url));
    let latest = latest(file.as_ref(), input, context)?;
    let is_done = file.as_ref().is_some_and(|file| is_done(input, file));
    let releases = entries.is_empty()
        && !is_done
        && input.fields.contains_key("version")
        && file.as_ref().is_some_and(changelog_file::File::can_release);
    let counted = match &file {
        Some(file) if releases => file.unreleased(),
        _ => entries.clone(),
    };
    if counted.is_empty() && !is_done {
        return Err(missing(
            "changes",
            "a list of {type, text}",
            "the changes, each with its type",
        ));
    }
    let proposed = proposal(latest.as_ref(), &counted);
    let version = version(input, proposed.as_ref(), &mut output.notes)?;
    warn(version.as_ref(), latest.as_ref(), proposed.as_ref(), &mut output.notes);
    let date = date(input, context)?;
    let edit = Edit { version, date, entries, url, releases };
    let text = match file {
        Some(file) => changelog_file::insert(file, &edit),
        None => changelog_file::section(&edit)?,
    };
    output.data = json!({
        "version": edit.version.as_ref().map(Version::to_string),
        "date": edit.version.as_ref().map(|_| &edit.date),
        "changes": output::value(&counted)?,
        "proposed": proposed.map(|(bump, version)| json!({"bump": bump, "version": version.map(|v| v.to_string())})),
    });
    let artifact = Artifact::new(path, "markdown", text).in_place_of(subject);
    output.artifacts.push(Artifact { not_extended, ..artifact });
    Ok(output)
}

/// The newest version: of the file, or of the tags where commits are read.
fn latest(
    file: Option<&changelog_file::File>,
    input: &Input,
    context: &Context,
) -> Result<Option<Version>> {
    match file {
        Some(file) => Ok(file.latest()),
        None if input.fields.contains_key("range") => {
            Ok(git::versions(&context.folder)?.pop().map(|(version, _)| version))
        }
        None => Ok(None),
    }
}

/// Whether a version is named that the file has already: then there is nothing to do, and that is no fault.
fn is_done(input: &Input, file: &changelog_file::File) -> bool {
    let version = input.text("version").and_then(|text| parse_version(text).ok());
    version.is_some_and(|version| file.has(&version))
}

/// The changes of the input: records, lines such as `Added: a thing`, or a text of such lines.
fn stated(changes: Option<&Value>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    match changes {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => {
            let lines = text
                .lines()
                .flat_map(several)
                .map(|line| line.trim().trim_start_matches(['-', '*']).trim());
            for line in lines.filter(|line| !line.is_empty()) {
                entries.push(line_entry("changes", line)?);
            }
        }
        Some(Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                let path = format!("changes[{at}]");
                entries.push(match item {
                    Value::String(line) => line_entry(&path, line)?,
                    _ => record(&path, item)?,
                });
            }
        }
        Some(other) => return Err(bad("changes", other, "a list of {type, text}")),
    }
    Ok(entries)
}

/// The changes of a line: several where semicolons part them and each begins with its type.
fn several(line: &str) -> Vec<&str> {
    let parts: Vec<&str> = line.split("; ").map(str::trim).collect();
    let is_typed = |part: &&str| {
        let verb = part.split([' ', ':', '(']).next().unwrap_or_default();
        group(verb).is_some()
    };
    if parts.iter().all(is_typed) { parts } else { vec![line] }
}

fn record(path: &str, item: &Value) -> Result<Entry> {
    let text = fields::member(item, path, "text")?
        .ok_or_else(|| missing(&format!("{path}.text"), "text", "what changed, for a user"))?;
    let kind = fields::member(item, path, "type")?.ok_or_else(|| {
        missing(&format!("{path}.type"), "text", &format!("one of {}", GROUPS.join(", ")))
    })?;
    let group = group(kind).ok_or_else(|| {
        bad_text(&format!("{path}.type"), kind, &format!("one of {}", GROUPS.join(", ")))
    })?;
    let breaking = item.get("breaking").and_then(Value::as_bool).unwrap_or(false);
    written(path, group, text, breaking)
}

fn line_entry(path: &str, line: &str) -> Result<Entry> {
    if let Some(message) = conventional::parse(line.trim()) {
        let text = told(&message);
        return written(path, group_of(&message).unwrap_or("Changed"), &text, message.breaking);
    }
    let named = line.split_once(':').and_then(|(word, text)| Some((group(word.trim())?, text)));
    if let Some((group, text)) = named {
        return written(path, group, text, false);
    }
    let verb = line.split_whitespace().next().unwrap_or_default();
    let group = group(verb).ok_or_else(|| {
        let allowed = format!(
            "a change that begins with its type, such as \"Fixed: …\"; one of {}",
            GROUPS.join(", ")
        );
        bad_text(path, line, &allowed)
    })?;
    written(path, group, line, false)
}

fn written(path: &str, group: &'static str, text: &str, breaking: bool) -> Result<Entry> {
    let text = prose(text);
    if text.is_empty() {
        return Err(missing(&format!("{path}.text"), "text", "what changed, for a user"));
    }
    let text = if breaking { format!("**Breaking:** {text}") } else { text };
    Ok(Entry { group, text, breaking })
}

fn group(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let same = |group: &&&str| group.to_lowercase() == word;
    let other = || WORDS.iter().find(|(other, _)| *other == word).map(|(_, group)| *group);
    GROUPS.iter().find(same).copied().or_else(other)
}

/// The heading of a commit; `None` for one that its users do not see.
fn group_of(message: &Message) -> Option<&'static str> {
    let verb = message.description.split(' ').next().unwrap_or_default();
    match (group(verb), message.kind.as_str()) {
        _ if message.scope.as_deref() == Some("security") => Some("Security"),
        (Some(group @ ("Deprecated" | "Removed")), "feat" | "refactor") => Some(group),
        (_, "feat") => Some("Added"),
        (_, "fix") => Some("Fixed"),
        (_, "perf" | "revert") => Some("Changed"),
        _ if message.breaking => Some("Changed"),
        _ => None,
    }
}

fn told(message: &Message) -> String {
    let mut chars = message.description.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let breaks = message.what_breaks().map(|what| format!(": {what}")).unwrap_or_default();
    format!("{first}{}{breaks}", chars.as_str())
}

fn from_commits(commits: &[git::Commit], output: &mut Output) -> Vec<Entry> {
    let (mut entries, mut hidden) = (Vec::new(), 0);
    for commit in commits {
        let Some(message) = conventional::parse(&commit.message) else {
            let subject = prose(commit.message.lines().next().unwrap_or_default());
            let id: String = commit.id.chars().take(10).collect();
            output.open.push(format!(
                "What is commit {id} ({subject}) to a user? It has no conventional type."
            ));
            continue;
        };
        let Some(group) = group_of(&message) else {
            hidden += 1;
            continue;
        };
        // A description is never empty.
        entries.extend(written("range", group, &told(&message), message.breaking));
    }
    if hidden > 0 {
        output.notes.push(format!(
            "{hidden} commits that users do not see (docs, style, test, chore …) were left out."
        ));
    }
    entries
}

fn url(input: &Input) -> Result<Option<String>> {
    let Some(url) = fields::line(input, "url")? else { return Ok(None) };
    let is_web = (url.starts_with("https://") || url.starts_with("http://"))
        && !url.contains([' ', '<', '>', '"', '(', ')', '\\']);
    if !is_web {
        return Err(bad_text(
            "url",
            url,
            "the repository's address on the web, such as https://example.org/team/project",
        ));
    }
    let url = url.trim_end_matches('/');
    Ok(Some(url.strip_suffix(".git").unwrap_or(url).to_owned()))
}

fn parse_version(text: &str) -> Result<Version> {
    let text = text.trim();
    Version::parse(text.strip_prefix('v').unwrap_or(text))
        .map_err(|_| bad_text("version", text, "a semantic version such as 1.4.0, or \"next\""))
}

/// How much the version goes up, and to which.
fn proposal(
    latest: Option<&Version>,
    entries: &[Entry],
) -> Option<(&'static str, Option<Version>)> {
    let is_any = |groups: &[&str]| entries.iter().any(|entry| groups.contains(&entry.group));
    let bump = if entries.iter().any(|entry| entry.breaking) || is_any(&["Removed"]) {
        "major"
    } else if is_any(&["Added", "Changed", "Deprecated"]) {
        "minor"
    } else if entries.is_empty() {
        return None;
    } else {
        "patch"
    };
    let next = latest.map(|last| {
        // Before 1.0.0 a minor version may break, and a patch may add.
        match (bump, last.major) {
            ("major", 1..) => Version::new(last.major + 1, 0, 0),
            ("major", 0) | ("minor", 1..) => Version::new(last.major, last.minor + 1, 0),
            _ if !last.pre.is_empty() => Version::new(last.major, last.minor, last.patch),
            _ => Version::new(last.major, last.minor, last.patch + 1),
        }
    });
    Some((bump, next))
}

/// The version of the section; `None` is what is not released.
fn version(
    input: &Input,
    proposed: Option<&(&'static str, Option<Version>)>,
    notes: &mut Vec<String>,
) -> Result<Option<Version>> {
    match fields::line(input, "version")? {
        None => {
            if let Some((bump, Some(version))) = proposed {
                notes.push(format!(
                    "These changes make a {bump} release: {version}. version=next enters it."
                ));
            }
            Ok(None)
        }
        Some("next") => match proposed {
            Some((_, Some(version))) => Ok(Some(version.clone())),
            _ => Err(bad_text("version", "next", "a version, because no earlier one is known")),
        },
        Some("unreleased" | "Unreleased") => Ok(None),
        Some(text) => parse_version(text).map(Some),
    }
}

fn warn(
    version: Option<&Version>,
    latest: Option<&Version>,
    proposed: Option<&(&'static str, Option<Version>)>,
    notes: &mut Vec<String>,
) {
    let (Some(version), Some(latest), Some((bump, Some(next)))) = (version, latest, proposed)
    else {
        return;
    };
    if version > latest && version < next {
        notes.push(format!("{version} is less than the {next} that the changes ask for ({bump})."));
    }
}

fn date(input: &Input, context: &Context) -> Result<String> {
    let date = fields::line(input, "date")?.unwrap_or_else(|| context.today());
    let is_date = date.len() == 10 && date.parse::<jiff::civil::Date>().is_ok();
    if is_date {
        Ok(date.to_owned())
    } else {
        Err(bad_text("date", date, "a date such as 2026-01-31"))
    }
}
