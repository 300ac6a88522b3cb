//! `changelog-entry`: writes a changelog section from changes or commits, alone or inserted into its file.

mod collect;
mod file;
mod insert;
mod verify;

use std::path::Path;

use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::conventional::Group;
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::LARGEST;
use crate::input::values::{Date, Line, TextOrList, Word};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::files::{FileId, Folder};
use crate::runtime::{files, git};
use collect::{Collected, Entry};
use file::File;
use insert::Edit;

const NAME: &str = "changelog-entry";
/// The usual name of a changelog.
const FILE: &str = "CHANGELOG.md";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::List, "changes"),
            takes(ContentKind::Text, "changes"),
            takes(ContentKind::Range, "range"),
            takes(ContentKind::Markdown, "changelog"),
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Report,
    run: |given, context| generate(given.read()?, context),
    verify: Some(|text, _| verify::verify(text)),
};

/// Changes, or the commits that made them. Without any, a version releases the unreleased changes of a changelog; for
/// version=next, and where there are none, the commits since the last version's tag are read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The changes: lines such as `Added: search by author` or `fix(api)!: a crash`.
    changes: Option<TextOrList<Line>>,
    /// A git range of commits, such as v1.2.0..HEAD. Default without changes: from the last version's tag.
    range: Option<Word>,
    /// The version of the section, or next for the one that the changes require. Default: Unreleased.
    version: Option<Wanted>,
    /// The day of the release. Default: that of the tag at which the range ends, else today.
    date: Option<Date>,
    /// The changelog that the section is inserted into: its path (a missing file is created), or its text.
    #[schemars(extend("x-whole" = true, "x-labels" = ["path"]))]
    changelog: Option<String>,
}

/// The requested version of the section.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
enum Wanted {
    Unreleased,
    Next,
    Stated(Version),
}

impl TryFrom<String> for Wanted {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = text.trim();
        match text.to_lowercase().as_str() {
            "next" => Ok(Self::Next),
            "unreleased" => Ok(Self::Unreleased),
            _ => Version::parse(text.strip_prefix('v').unwrap_or(text))
                .map(Self::Stated)
                .map_err(|_| "a semantic version such as 1.4.0, or \"next\""),
        }
    }
}

/// The part of the version that increases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Bump {
    Patch,
    Minor,
    Major,
}

crate::text::display_as_serde!(Bump);

/// The release that changes require, and its version.
type Proposal = (Bump, Version);

fn generate(mut input: Input, context: &Context) -> Result<Output> {
    let mut notes = Vec::new();
    let Subject { path, file, id } = subject(&input, context, &mut notes)?;
    let mut step = step(input.version.as_ref(), file.as_ref());
    let is_next = matches!(input.version, Some(Wanted::Next));
    let has_none = input.changes.is_none() && input.range.is_none();
    // The next version is that of everything since the last one.
    let releases_all = has_none && is_next && matches!(step, Step::Release(_));
    if has_none && matches!(step, Step::Enter) || releases_all {
        input.range = since_last(context);
    }
    let collected = Collected::read(&input, context)?;
    if collected.entries.is_empty() && matches!(step, Step::Enter) {
        return Err(collected.nothing(&input));
    }
    if !collected.entries.is_empty() && matches!(step, Step::Release(_)) && !releases_all {
        step = Step::Enter;
    }
    let left_out = |counts| format!("left out, since users do not see them: {counts}");
    notes.extend(collected.counted().map(left_out));
    let releases = matches!(step, Step::Release(_));
    let changes = match step {
        Step::Enter => collected.entries.clone(),
        Step::Complete => {
            let end = match collected.entries.as_slice() {
                [] => "so nothing in it changes",
                _ => "and gets what it lacks of the changes",
            };
            notes.push(format!("{path} has this version already, {end}"));
            collected.entries.clone()
        }
        Step::Release(waiting) => {
            let range = input.range.as_ref().filter(|_| !collected.entries.is_empty());
            notes.extend(
                range.map(|range| format!("released with what is pending: the commits of {range}")),
            );
            [waiting, collected.entries.clone()].concat()
        }
    };
    let latest = latest(file.as_ref(), &input, context)?;
    let proposed = proposal(latest.as_ref(), &changes);
    let version = version(&input, proposed, &mut notes)?;
    notes.extend(undated(&input, version.as_ref(), file.as_ref()));
    notes.extend(doubts(&input, latest.as_ref(), file.as_ref(), &changes));
    let of_tag = || git::day_of_tag(&context.folder, input.range.as_deref()?);
    let day = input.date.as_ref().map(ToString::to_string).or_else(of_tag);
    let day = day.unwrap_or_else(|| context.today().to_owned());
    let data = json!({
        "version": version.as_ref().map(Version::to_string), "date": version.as_ref().map(|_| &day), "changes": changes,
    });
    let edit = Edit { version, date: day, entries: collected.entries, releases };
    let text = insert::insert(file.unwrap_or_default(), &edit);
    let artifacts = vec![Artifact::new(path, "markdown", text).in_place_of(id)];
    Ok(Output { data, artifacts, open: collected.open, notes })
}

/// A note on a date that no heading gets.
fn undated(input: &Input, version: Option<&Version>, file: Option<&File>) -> Option<String> {
    let date = input.date.as_ref()?.to_string();
    let Some(version) = version else {
        return Some(format!("left out the date {date}: only a version has one (add version=…)"));
    };
    let section = file?.release(version)?;
    let is_other = !section.heading.contains(&date);
    is_other.then(|| format!("left out the date {date}: the heading of {version} stays as it is"))
}

/// Notes on a given version that is lower than the newest, or that a breaking change does not allow.
fn doubts(
    input: &Input,
    latest: Option<&Version>,
    file: Option<&File>,
    changes: &[Entry],
) -> Vec<String> {
    let Some(Wanted::Stated(version)) = &input.version else { return Vec::new() };
    let is_new = file.is_none_or(|file| file.release(version).is_none());
    let newer = latest.filter(|latest| is_new && *latest > version);
    let lower = newer.map(|latest| format!("{version} is lower than {latest}, the newest version"));
    let is_major = version.major == 0 || version.minor == 0 && version.patch == 0;
    let breaks = !is_major && changes.iter().any(|entry| entry.breaking);
    let breaking = breaks.then(|| {
        let next = Version::new(version.major.saturating_add(1), 0, 0);
        format!("a breaking change asks for a major release such as {next}, which {version} is not")
    });
    lower.into_iter().chain(breaking).collect()
}

/// What happens to the changelog.
enum Step {
    /// It gets the changes as entries.
    Enter,
    /// Its section of the version gets what it lacks of the changes.
    Complete,
    /// Its unreleased entries become the version.
    Release(Vec<Entry>),
}

/// What a version asks for, as long as no changes are given.
fn step(wanted: Option<&Wanted>, file: Option<&File>) -> Step {
    let (Some(wanted), Some(file)) = (wanted, file) else { return Step::Enter };
    if let Wanted::Stated(version) = wanted
        && file.release(version).is_some()
    {
        return Step::Complete;
    }
    let Some(pending) = file.pending() else { return Step::Enter };
    let waiting: Vec<Entry> = pending.parts.iter().flat_map(entries).collect();
    // The types of items without a heading are not known, so that they suggest no version.
    let can_release = match wanted {
        Wanted::Stated(_) => pending.has_items(),
        Wanted::Next => !waiting.is_empty(),
        Wanted::Unreleased => false,
    };
    if can_release { Step::Release(waiting) } else { Step::Enter }
}

/// The entries of a group that is known.
fn entries(part: &file::Part) -> Vec<Entry> {
    let Some(group) = part.group() else { return Vec::new() };
    let entry = |text: &String| {
        let breaking = text.starts_with("**Breaking");
        Entry { group, text: text.clone(), breaking }
    };
    part.items.iter().map(|(_, text)| entry(text)).collect()
}

/// The requirement for a file that a section is inserted into.
const CHANGELOG: &str = "a changelog in the form of Keep a Changelog: `# Changelog`, `## [Unreleased]`, `## [1.2.0] - 2026-01-31`, `### Added`";

struct Subject {
    /// The path of the artifact below the chosen folder.
    path: String,
    /// `None` if only a section is generated.
    file: Option<File>,
    id: Option<FileId>,
}

/// The changelog in the field, else the file at the artifact's path.
fn subject(input: &Input, context: &Context, notes: &mut Vec<String>) -> Result<Subject> {
    let limit = LARGEST as u64;
    let read_out = |out: &Path| files::read_named(out, limit).and_then(|content| content.text(out));
    // One line is no changelog, but it may be its path.
    let is_path = |text: &&str| {
        let extension = Path::new(text.trim()).extension();
        !text.trim().contains('\n') && extension.is_some_and(|one| one.eq_ignore_ascii_case("md"))
    };
    let named = input.changelog.as_deref().filter(is_path);
    if let Some(text) = input.changelog.as_ref().filter(|_| named.is_none()) {
        // The file that is both input and output is extended in place.
        let out = context.out.as_deref().and_then(|out| read_out(out).ok());
        let id = out.filter(|(out, _)| out == text).map(|(_, id)| id);
        let file = File::read(text)?;
        if let Some(why) = file.misfit() {
            let first = text.trim().lines().next().unwrap_or_default();
            let allowed = format!("{CHANGELOG}; {why}; changes to enter are given as changes=…");
            return Err(bad_text("changelog", first, &allowed));
        }
        return Ok(Subject { path: FILE.to_owned(), file: Some(file), id });
    }
    if let Some(path) = named.map(str::trim) {
        let (text, id) = absent_or(Folder::project(context)?.read_text(Path::new(path), limit))?;
        let file = File::read(&text)?;
        if let Some(why) = file.misfit() {
            return Err(bad_text("changelog", path, &format!("{CHANGELOG}; {why}")));
        }
        return Ok(Subject { path: path.to_string(), file: Some(file), id });
    }
    let section = Subject { path: "changelog-entry.md".to_owned(), file: None, id: None };
    let Some(out) = &context.out else {
        let is_there = Folder::project(context)?.kind(Path::new(FILE)).is_ok();
        let note = format!("the section is printed only: --out {FILE} enters it into the file");
        notes.extend(is_there.then_some(note));
        return Ok(section);
    };
    let (text, id) = absent_or(read_out(out))?;
    let file = File::read(&text)?;
    let is_named = out.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE));
    let misfit = file.misfit();
    if let Some(why) = misfit.as_ref().filter(|_| is_named) {
        return Err(Fault::Refused(format!("{} is not {CHANGELOG}; {why}", out.display())));
    }
    // Another file is a section, as the output is.
    let is_extended = misfit.is_none() && (is_named || id.is_some());
    Ok(if is_extended { Subject { file: Some(file), id, ..section } } else { section })
}

/// A text and its file; no text if the file does not exist.
fn absent_or(read: files::Result<(String, FileId)>) -> Result<(String, Option<FileId>)> {
    match read {
        Ok((text, id)) => Ok((text, Some(id))),
        Err(error) if error.is_missing() => Ok((String::new(), None)),
        Err(error) => Err(error.into()),
    }
}

/// The newest version: of the file, or of the tags if commits are read.
fn latest(file: Option<&File>, input: &Input, context: &Context) -> Result<Option<Version>> {
    let latest = file.and_then(File::latest);
    if latest.is_some() || input.range.is_none() {
        return Ok(latest);
    }
    Ok(git::versions(&context.folder)?.pop().map(|(version, _)| version))
}

/// The range of the commits since the newest version's tag, if there is one.
fn since_last(context: &Context) -> Option<Word> {
    let (_, tag) = git::versions(&context.folder).ok()?.pop()?;
    Word::new(&format!("{tag}..HEAD")).ok()
}

/// The part of the version that increases, and the new version; `None` if no earlier one is known.
fn proposal(latest: Option<&Version>, entries: &[Entry]) -> Option<Proposal> {
    let asks_for = |entry: &Entry| match entry.group {
        _ if entry.breaking => Bump::Major,
        Group::Removed => Bump::Major,
        Group::Added | Group::Changed | Group::Deprecated => Bump::Minor,
        Group::Fixed | Group::Security => Bump::Patch,
    };
    let bump = entries.iter().map(asks_for).max()?;
    // Before 1.0.0 a minor version may break, and a patch may add.
    let last = latest?;
    let version = match (bump, last.major) {
        (Bump::Major, 1..) => Version::new(last.major + 1, 0, 0),
        (Bump::Major, 0) | (Bump::Minor, 1..) => Version::new(last.major, last.minor + 1, 0),
        _ if !last.pre.is_empty() => Version::new(last.major, last.minor, last.patch),
        _ => Version::new(last.major, last.minor, last.patch + 1),
    };
    Some((bump, version))
}

/// The version of the section; `None` for unreleased changes.
fn version(
    input: &Input,
    proposed: Option<Proposal>,
    notes: &mut Vec<String>,
) -> Result<Option<Version>> {
    match (&input.version, proposed) {
        (Some(Wanted::Stated(version)), _) => Ok(Some(version.clone())),
        (Some(Wanted::Next), Some((_, next))) => Ok(Some(next)),
        (Some(Wanted::Next), None) => {
            let allowed = "a version such as 1.4.0, because no earlier one is known";
            Err(bad_text("version", "next", allowed))
        }
        (Some(Wanted::Unreleased), _) | (None, None) => Ok(None),
        (None, Some((bump, version))) => {
            let bump = if version.major == 0 { String::new() } else { format!("{bump} ") };
            notes.push(format!(
                "these changes ask for the {bump}release {version}; version=next enters it"
            ));
            Ok(None)
        }
    }
}
