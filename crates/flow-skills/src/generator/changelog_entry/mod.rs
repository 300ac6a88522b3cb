//! `changelog-entry`: writes a changelog section from changes or commits, alone or inserted into its file.

mod file;
mod insert;
mod verify;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use semver::Version;
use serde::Deserialize;
use serde_json::json;

use super::changes::{Bump, Entry, Group, Placement, Proposed, Release};
use super::conventional;
use super::conventional::Message;
use super::skill::{Needs, Skill};
use crate::input::LARGEST;
use crate::input::kind::{Kind, Upstream};
use crate::input::notation::list::Item;
use crate::input::notation::{Misfit, Notation, list};
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Date, Line, TextOr, TextOrList, Word};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::files::{FileId, Folder};
use crate::runtime::git::Commit;
use crate::runtime::{engine, files, git};
use crate::text::prose::{prose, quoted};
use crate::text::{bare, capital};
use crate::{output, text};
use file::File;
use insert::Edit;

const NAME: &str = "changelog-entry";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Notation(Notation::List), "changes"),
            takes(ContentKind::Text, "changes"),
            takes(ContentKind::Range, "range"),
            takes(ContentKind::Markdown, "changelog"),
        ],
        accepts: &[Kind::Commit],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Changes,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify::verify(text)),
};

/// Changes, or the commits that made them. Without any, a version releases the unreleased changes of a changelog; else
/// the commits since the last version's tag are read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The changes: lines such as `Added: search by author`, or objects.
    changes: Option<TextOrList<TextOr<Change>>>,
    /// A git range of commits, such as v1.2.0..HEAD. Default without changes: from the last version's tag.
    range: Option<Word>,
    /// The version of the section, or next for the one that the changes require. Default: Unreleased.
    version: Option<Wanted>,
    /// The day of the release. Default: today.
    date: Option<Date>,
    /// The URL of the repository's web page, for compare links. Default: that of the changelog's links.
    url: Option<Address>,
    /// The text of the changelog that the section is inserted into.
    #[schemars(extend("x-whole" = true))]
    changelog: Option<String>,
    /// The path of the changelog that the section is inserted into; a missing file is created.
    path: Option<Line>,
}

/// A change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    /// Its heading (Added, Changed, Fixed, Deprecated, Removed, Security), or a type of conventional commits.
    #[serde(rename = "type")]
    place: Placement,
    /// What changed, from a user's view.
    text: Line,
    /// The part of the project that changed, such as api.
    scope: Option<Line>,
    /// Whether it breaks what users rely on.
    #[serde(default)]
    breaking: bool,
}

/// The URL of a repository's web page, without the parts for cloning.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Address(String);

impl TryFrom<String> for Address {
    type Error = &'static str;

    fn try_from(url: String) -> Result<Self, &'static str> {
        let url = Word::new(&url)?;
        let is_web = (url.starts_with("https://") || url.starts_with("http://"))
            && !url.contains(['<', '>', '"', '(', ')', '\\']);
        if !is_web {
            return Err("an address on the web, such as https://example.org/team/project");
        }
        let url = url.trim_end_matches('/');
        Ok(Self(url.strip_suffix(".git").unwrap_or(url).to_owned()))
    }
}

/// The entries, and the changes that are not listed.
#[derive(Debug, Default)]
struct Collected {
    entries: Vec<Entry>,
    /// Number of changes that do not concern users, by type.
    left_out: BTreeMap<&'static str, usize>,
    open: Vec<String>,
}

impl Collected {
    fn commit(&mut self, message: &Message) {
        self.add(Placement::of_commit(message), |group| {
            let entry = Entry::of_commit(message, group);
            Entry { text: capital(&entry.text), ..entry }
        });
    }

    /// Adds a change, or counts it.
    fn add(&mut self, place: Placement, entry: impl FnOnce(Group) -> Entry) {
        match place {
            Placement::Under(group) => self.entries.push(entry(group)),
            Placement::LeftOut(kind) => *self.left_out.entry(kind).or_default() += 1,
        }
    }

    /// The counts as text: `2 docs, 1 test`; `None` if there are none.
    fn counted(&self) -> Option<String> {
        let counts = self.left_out.iter().map(|(kind, count)| format!("{count} {kind}"));
        Some(counts.collect::<Vec<_>>().join(", ")).filter(|counts| !counts.is_empty())
    }
}

fn generate(mut input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let Subject { path, file, id, not_extended } = subject(&input, context)?;
    let stated = input.version.as_ref().and_then(Wanted::stated).cloned();
    let is_done =
        stated.as_ref().zip(file.as_ref()).is_some_and(|(version, file)| file.has(version));
    let waiting = file.as_ref().map(file::File::unreleased).unwrap_or_default();
    // The types of items without a heading are not known, so that they suggest no version.
    let has_items = file.as_ref().is_some_and(file::File::has_pending) && stated.is_some();
    let is_release = input.version.as_ref().is_some_and(Wanted::is_release);
    let can_release = is_release && (has_items || !waiting.is_empty());
    if input.changes.is_none() && upstream.is_none() && !can_release && !is_done {
        input.range = input.range.take().or_else(|| since_last(context));
    }
    let input = &input;
    let mut collected = Collected::default();
    collect(input, upstream, context, &mut collected)?;
    let mut output = Output { open: collected.open.clone(), ..Output::default() };
    let left_out = |counts| format!("left out, since users do not see them: {counts}");
    output.notes.extend(collected.counted().map(left_out));
    let url = input.url.as_ref().map(|url| url.0.clone());
    let url = url.or_else(|| file::repository(file.as_ref()?.lines()));
    let latest = latest(file.as_ref(), input, context)?;
    let releases = collected.entries.is_empty() && !is_done && can_release;
    let counted = if releases { waiting } else { collected.entries.clone() };
    if counted.is_empty() && !is_done && !releases {
        return Err(nothing(&collected, input));
    }
    let proposed = proposal(latest.as_ref(), &counted);
    let version = version(input, proposed.as_ref(), &mut output.notes)?;
    warn(version.as_ref(), latest.as_ref(), proposed.as_ref(), &mut output.notes);
    let date = input.date.as_ref().map_or_else(|| context.today().to_owned(), ToString::to_string);
    let edit = Edit { version, date, entries: collected.entries, url, releases };
    let text = match file {
        Some(file) => insert::insert(file, &edit),
        None => section(&edit)?,
    };
    output.data = output::value(&release(&edit, counted, proposed))?;
    let artifact = Artifact::new(path, "markdown", text).in_place_of(id);
    output.artifacts.push(Artifact { not_extended, ..artifact });
    Ok(output)
}

/// The section for the next skill.
fn release(edit: &Edit, changes: Vec<Entry>, proposed: Option<Proposal>) -> Release {
    let proposed = proposed.map(|(bump, version)| {
        let version = version.as_ref().map(Version::to_string);
        Proposed { bump, version }
    });
    Release {
        version: edit.version.as_ref().map(Version::to_string),
        date: edit.version.as_ref().map(|_| edit.date.clone()),
        changes,
        proposed,
    }
}

/// The changes from the fields, the previous skill and the range.
fn collect(
    input: &Input,
    upstream: Option<&Upstream>,
    context: &Context,
    collected: &mut Collected,
) -> Result<()> {
    match &input.changes {
        Some(TextOrList::Text(text)) => of_lines(text, collected)?,
        Some(TextOrList::Items(items)) => {
            for item in items {
                add(&item.0, collected);
            }
        }
        None => {}
    }
    if let Some(message) = upstream.map(Upstream::read::<Message>).transpose()?.flatten() {
        collected.commit(&message);
    }
    if let Some(range) = &input.range {
        of_commits(&git::commits(&context.folder, "range", range)?, collected);
    }
    Ok(())
}

/// The fault if there is nothing to add: why, and what would be accepted.
fn nothing(collected: &Collected, input: &Input) -> Fault {
    if let Some(counts) = collected.counted().filter(|_| collected.open.is_empty()) {
        return Fault::Refused(format!(
            "there is nothing to enter: users do not see changes of these types: {counts}; enter one as changes=\"Changed: …\""
        ));
    }
    if let Some(range) = &input.range {
        let asked = collected.open.join("; ");
        let untyped = "none of its commits has a conventional type such as feat or fix";
        let untyped = format!("{untyped}; {asked}");
        let why = if asked.is_empty() { "it has no commits" } else { &untyped };
        return Fault::Refused(format!("the range {range} has nothing to enter: {why}"));
    }
    let expects = "lines such as `Added: search by author`, or a range such as v1.2.0..HEAD";
    output::missing("changes", expects, "what changed")
}

/// The section alone, without a file.
fn section(edit: &Edit) -> Result<String> {
    let group = |group: Group| {
        let entries = edit.entries.iter().filter(|entry| entry.group == group);
        let texts: Vec<String> = entries.map(Entry::line).collect();
        (!texts.is_empty()).then(|| json!({"name": group.name(), "texts": texts}))
    };
    let groups: Vec<_> = Group::ALL.into_iter().filter_map(group).collect();
    let data = json!({"heading": edit.heading(true), "groups": groups});
    engine::render_own(NAME, "assets/template.md.tera", &data)
}

/// Reads a list of changes.
fn of_lines(text: &str, collected: &mut Collected) -> Result<()> {
    let items = list::read(text).map_err(|misfit| misfit.fault("changes"))?;
    let is_typed =
        |item: &Item| item.kind.as_deref().is_some_and(|kind| Placement::of(kind).is_some());
    // A message of several paragraphs is one change, and its footers describe what breaks.
    let is_long = text.trim().lines().nth(1).is_some_and(|line| line.trim().is_empty());
    if let Some(message) = conventional::parse(text.trim())
        && is_long
        && !items.iter().all(is_typed)
    {
        collected.commit(&message);
        return Ok(());
    }
    for item in items {
        match change(&item) {
            Ok(Known::Commit(message)) => collected.commit(&message),
            Ok(Known::Stated(change)) => add(&change, collected),
            Err(why) => {
                let example = format!("Changed: {}", bare(&item.text));
                let misfit = Misfit { line: item.line, part: item.text, why, example };
                return Err(misfit.fault("changes"));
            }
        }
    }
    Ok(())
}

/// Adds a change, or counts it.
fn add(change: &Change, collected: &mut Collected) {
    let place = match change.place {
        Placement::LeftOut(_) if change.breaking => Placement::Under(Group::Changed),
        place => place,
    };
    collected.add(place, |group| Entry {
        group,
        scope: change.scope.as_deref().map(prose),
        text: prose(&change.text),
        breaking: change.breaking,
    });
}

/// The meaning of a line.
enum Known {
    Commit(Message),
    Stated(Change),
}

fn change(item: &Item) -> Result<Known, String> {
    let unknown =
        |kind: &str| format!("has the type {kind}, but must have one of {}", Group::names());
    let place = match &item.kind {
        None => return Err("has no type".to_owned()),
        Some(kind) if conventional::TYPES.contains(&kind.as_str()) => {
            return Ok(Known::Commit(Message {
                kind: kind.clone(),
                scope: item.scope.clone().filter(|scope| !scope.is_empty()),
                breaking: item.is_breaking,
                description: item.text.clone(),
                ..Message::default()
            }));
        }
        Some(kind) => Placement::of(kind).ok_or_else(|| unknown(kind))?,
    };
    let scope = item.scope.as_deref().and_then(|scope| Line::new(scope).ok());
    Ok(Known::Stated(Change {
        place,
        text: Line::new(&item.text)?,
        scope,
        breaking: item.is_breaking,
    }))
}

impl TryFrom<Line> for Change {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, &'static str> {
        const FORM: &str = "a change that begins with its type, such as \"Fixed: a crash\"";
        let items = list::read(&line).map_err(|_| FORM)?;
        let [item] = items.as_slice() else { return Err(FORM) };
        match change(item).map_err(|_| FORM)? {
            Known::Stated(change) => Ok(change),
            Known::Commit(message) => Ok(Self {
                place: Placement::of_commit(&message),
                text: Line::new(&crate::text::capital(&message.description))?,
                scope: message.scope.as_deref().and_then(|scope| Line::new(scope).ok()),
                breaking: message.breaking,
            }),
        }
    }
}

/// Largest number of commits with a separate question each.
const ASKED: usize = 20;
/// Number of digits of a commit's id that are shown.
const ID: usize = 10;

/// Adds each commit whose type determines its heading; the others become open questions. A commit and its
/// revert within the range are both left out, as are corrections of other commits.
fn of_commits(commits: &[Commit], collected: &mut Collected) {
    let undone = conventional::undone(commits);
    let mut asked = Vec::new();
    for commit in commits.iter().filter(|commit| !undone.contains(commit.id.as_str())) {
        let subject = text::line(conventional::subject(commit));
        if conventional::is_correction(&subject) {
            *collected.left_out.entry("fixup or squash").or_default() += 1;
            continue;
        }
        if let Some(message) = conventional::parse(&commit.message) {
            collected.commit(&message);
        } else if let Some((group, subject)) = under(&subject) {
            let text = text::capital(&quoted(subject));
            collected.entries.push(Entry { group, scope: None, text, breaking: false });
        } else {
            let id: String = commit.id.chars().take(ID).collect();
            asked.push(format!(
                "type of commit {id} ({subject}): not given (add changes=\"Changed: what users see\")"
            ));
        }
    }
    let rest = asked.len().saturating_sub(ASKED);
    collected.open.extend(asked.into_iter().take(ASKED));
    if rest > 0 {
        collected.open.push(format!("type of {rest} more commits: not given"));
    }
    if !undone.is_empty() {
        *collected.left_out.entry("reverted or reverting").or_default() += undone.len();
    }
}

/// The heading that a subject without a conventional type names: `security: …`.
fn under(subject: &str) -> Option<(Group, &str)> {
    subject.split_once(": ").and_then(|(kind, rest)| Some((Group::named(kind)?, rest)))
}

/// The requirement for a file that a section is inserted into.
const CHANGELOG: &str = "a changelog in the form of Keep a Changelog: `# Changelog`, `## [Unreleased]`, `## [1.2.0] - 2026-01-31`, `### Added`";

struct Subject {
    /// The path of the artifact below the chosen folder.
    path: String,
    /// `None` if only a section is generated.
    file: Option<File>,
    id: Option<FileId>,
    /// Why the existing file at the artifact's path is not extended.
    not_extended: Option<String>,
}

/// The changelog in the field `changelog` or `path`, else the file at the artifact's path.
fn subject(input: &Input, context: &Context) -> Result<Subject> {
    let section =
        Subject { path: "changelog-entry.md".to_owned(), file: None, id: None, not_extended: None };
    if let Some(text) = &input.changelog {
        let first = text.trim().lines().next().unwrap_or_default();
        let file = understood(text)?.map_err(|why| no_changelog("changelog", first, &why))?;
        // The same file as input and output is extended in place.
        let out = context.out.as_ref().and_then(|out| {
            files::read_named(out, LARGEST as u64).and_then(|content| content.text(out)).ok()
        });
        let id = out.filter(|(out, _)| out == text).map(|(_, id)| id);
        return Ok(Subject { path: "CHANGELOG.md".to_owned(), file: Some(file), id, ..section });
    }
    let limit = LARGEST as u64;
    if let Some(path) = &input.path {
        let read = Folder::project(context)?.read_text(Path::new(&**path), limit);
        let (text, id) = absent_or(read)?;
        let file = understood(&text)?.map_err(|why| no_changelog("path", path, &why))?;
        return Ok(Subject { path: path.to_string(), file: Some(file), id, ..section });
    }
    let Some(out) = &context.out else { return Ok(section) };
    let read = files::read_named(out, limit).and_then(|content| content.text(out));
    let (text, id) = absent_or(read)?;
    let is_named = out.file_name().is_some_and(|name| name.eq_ignore_ascii_case("CHANGELOG.md"));
    if id.is_none() && !is_named {
        return Ok(section);
    }
    // A file of another kind is not extended, and writing the section over it is refused.
    let refused = |why| format!("no entry was put into it, since it is not {CHANGELOG}; {why}");
    Ok(match understood(&text)? {
        Ok(file) => Subject { file: Some(file), id, ..section },
        Err(why) => Subject { not_extended: Some(refused(why)), ..section },
    })
}

fn no_changelog(field: &str, given: &str, why: &str) -> Fault {
    bad_text(field, given, &format!("{CHANGELOG}; {why}"))
}

/// A text as a changelog, else why it is not one.
fn understood(text: &str) -> Result<Result<File, String>> {
    let file = File::read(text)?;
    Ok(file.misfit().map_or(Ok(file), Err))
}

/// A text and its file; no text if the file does not exist.
fn absent_or(read: files::Result<(String, FileId)>) -> Result<(String, Option<FileId>)> {
    match read {
        Ok((text, id)) => Ok((text, Some(id))),
        Err(error) if error.is_missing() => Ok((String::new(), None)),
        Err(error) => Err(error.into()),
    }
}

/// The release that changes require; its version if an earlier one is known.
type Proposal = (Bump, Option<Version>);

/// The requested version of the section.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
enum Wanted {
    Unreleased,
    Next,
    Stated(Version),
}

impl Wanted {
    const fn stated(&self) -> Option<&Version> {
        match self {
            Self::Stated(version) => Some(version),
            Self::Unreleased | Self::Next => None,
        }
    }

    const fn is_release(&self) -> bool {
        !matches!(self, Self::Unreleased)
    }
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

/// The part of the version that increases, and the new version.
fn proposal(latest: Option<&Version>, entries: &[Entry]) -> Option<Proposal> {
    let asks_for = |entry: &Entry| match entry.group {
        _ if entry.breaking => Bump::Major,
        Group::Removed => Bump::Major,
        Group::Added | Group::Changed | Group::Deprecated => Bump::Minor,
        Group::Fixed | Group::Security => Bump::Patch,
    };
    let bump = entries.iter().map(asks_for).max()?;
    // Before 1.0.0 a minor version may break, and a patch may add.
    let next = latest.map(|last| match (bump, last.major) {
        (Bump::Major, 1..) => Version::new(last.major + 1, 0, 0),
        (Bump::Major, 0) | (Bump::Minor, 1..) => Version::new(last.major, last.minor + 1, 0),
        _ if !last.pre.is_empty() => Version::new(last.major, last.minor, last.patch),
        _ => Version::new(last.major, last.minor, last.patch + 1),
    });
    Some((bump, next))
}

/// The version of the section; `None` for unreleased changes.
fn version(
    input: &Input,
    proposed: Option<&Proposal>,
    notes: &mut Vec<String>,
) -> Result<Option<Version>> {
    match (&input.version, proposed) {
        (None, Some((bump, Some(version)))) => {
            notes.push(format!(
                "these changes ask for the {bump} release {version}; version=next enters it"
            ));
            Ok(None)
        }
        (None | Some(Wanted::Unreleased), _) => Ok(None),
        (Some(Wanted::Next), Some((_, Some(version)))) | (Some(Wanted::Stated(version)), _) => {
            Ok(Some(version.clone()))
        }
        (Some(Wanted::Next), _) => {
            let allowed = "a version such as 1.4.0, because no earlier one is known";
            Err(bad_text("version", "next", allowed))
        }
    }
}

/// Adds a note if the version is lower than the changes require.
fn warn(
    version: Option<&Version>,
    latest: Option<&Version>,
    proposed: Option<&Proposal>,
    notes: &mut Vec<String>,
) {
    let (Some(version), Some(latest), Some((bump, Some(next)))) = (version, latest, proposed)
    else {
        return;
    };
    if version > latest && version < next {
        notes.push(format!(
            "{version} is less than {next}, the {bump} release that the changes ask for"
        ));
    }
}

#[cfg(test)]
mod commits_tests {
    use super::*;

    fn commit(id: &str, message: &str) -> Commit {
        Commit { id: id.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn a_commit_and_its_revert_are_left_out() {
        let commits = [
            commit("a1", "feat: a map"),
            commit("b2", "feat: a list"),
            commit("c3", "Revert \"feat: a map\"\n\nThis reverts commit a1."),
            commit("d4", "Revert \"feat: a list\"\n\nThis reverts commit b2."),
            commit("e5", "Reapply \"feat: a list\"\n\nThis reverts commit d4."),
        ];
        let mut collected = Collected::default();
        of_commits(&commits, &mut collected);
        let texts: Vec<&str> = collected.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["A list"]);
        assert_eq!(collected.left_out["reverted or reverting"], 4);
        assert!(collected.open.is_empty(), "{:?}", collected.open);
    }

    #[test]
    fn corrections_and_reverts_by_subject_are_left_out() {
        let commits = [
            commit("a1", "feat: a map (#11)"),
            commit("b2", "fixup! feat: a map"),
            commit("c3", "Revert \"feat: a map (#11)\" (#12)\n\nReverts o/r#11"),
            commit("d4", "feat: a list"),
            commit("e5", "revert: feat: a list"),
            commit("f6", "squash! feat: a list\n\nmore"),
            commit("a7", "feat: a list"),
            commit("b8", "Revert \"feat: of an older release\""),
        ];
        let mut collected = Collected::default();
        of_commits(&commits, &mut collected);
        let texts: Vec<&str> = collected.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["A list"]);
        assert_eq!(collected.left_out["reverted or reverting"], 4);
        assert_eq!(collected.left_out["fixup or squash"], 2);
        assert_eq!(collected.open.len(), 1, "{:?}", collected.open);
    }
}
