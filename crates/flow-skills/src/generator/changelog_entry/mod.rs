//! `changelog-entry`: writes a changelog section from changes or commits, alone or inserted into its file.

mod commits;
mod file;
mod heading;
mod insert;
mod links;
mod lines;
mod subject;
mod verify;
mod version;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use semver::Version;
use serde::Deserialize;
use serde_json::json;

use super::changes::{Entry, Group, Placement, Proposed, Release};
use super::conventional::Message;
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use crate::input::notation::Notation;
use crate::input::values::{Date, Line, TextOr, TextOrList, Word};
use crate::output::{self, Artifact, Fault, Output, Result};
use crate::project_state::Context;
use crate::runtime::{engine, git};
use crate::text::capital;
use insert::Edit;
use subject::Subject;
use version::{Proposal, Wanted};

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
    let Subject { path, file, id, not_extended } = subject::subject(&input, context)?;
    let stated = input.version.as_ref().and_then(Wanted::stated).cloned();
    let is_done =
        stated.as_ref().zip(file.as_ref()).is_some_and(|(version, file)| file.has(version));
    let waiting = file.as_ref().map(file::File::unreleased).unwrap_or_default();
    // The types of items without a heading are not known, so that they suggest no version.
    let has_items = file.as_ref().is_some_and(file::File::has_pending) && stated.is_some();
    let is_release = input.version.as_ref().is_some_and(Wanted::is_release);
    let can_release = is_release && (has_items || !waiting.is_empty());
    if input.changes.is_none() && upstream.is_none() && !can_release && !is_done {
        input.range = input.range.take().or_else(|| version::since_last(context));
    }
    let input = &input;
    let mut collected = Collected::default();
    collect(input, upstream, context, &mut collected)?;
    let mut output = Output { open: collected.open.clone(), ..Output::default() };
    let left_out = |counts| format!("left out, since users do not see them: {counts}");
    output.notes.extend(collected.counted().map(left_out));
    let url = input.url.as_ref().map(|url| url.0.clone());
    let url = url.or_else(|| links::repository(file.as_ref()?.lines()));
    let latest = version::latest(file.as_ref(), input, context)?;
    let releases = collected.entries.is_empty() && !is_done && can_release;
    let counted = if releases { waiting } else { collected.entries.clone() };
    if counted.is_empty() && !is_done && !releases {
        return Err(nothing(&collected, input));
    }
    let proposed = version::proposal(latest.as_ref(), &counted);
    let version = version::version(input, proposed.as_ref(), &mut output.notes)?;
    version::warn(version.as_ref(), latest.as_ref(), proposed.as_ref(), &mut output.notes);
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
        Some(TextOrList::Text(text)) => lines::read(text, collected)?,
        Some(TextOrList::Items(items)) => {
            for item in items {
                lines::add(&item.0, collected);
            }
        }
        None => {}
    }
    if let Some(message) = upstream.map(Upstream::read::<Message>).transpose()?.flatten() {
        collected.commit(&message);
    }
    if let Some(range) = &input.range {
        commits::read(&git::commits(&context.folder, "range", range)?, collected);
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
