//! `tech-debt-register`: a scored list of debts, including the project's stories about debt and TODO comments.
//!
//! The score is impact times urgency, divided by effort. Missing figures become open questions.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{Page, Section, rows, unknown_ids};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind;
use crate::input::notation::{Misfit, Notation, list};
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Int, Line, LineOr, TextOr, TextOrList, Word};
use crate::output::{Fault, Output, Result, bad_text};
use crate::page;
use crate::page::{Document, Finding, Form, Part};
use crate::project_state::say::{LISTED, counted};
use crate::project_state::{Context, Snapshot, Story, say};
use crate::runtime::files::{Folder, Kind as FileKind, Problem};
use crate::runtime::git;
use crate::text::{is_id, line, title};

const NAME: &str = "tech-debt-register";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Notation(Notation::List), "items"),
            takes(ContentKind::Text, "items"),
        ],
        instead: &["scan"],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify),
};

/// Debts, and where to search for more. Without any, the stories of the project that are marked as debt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The debts: objects, or lines such as `design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2`.
    items: Option<Debts>,
    /// Files and folders below the current folder whose comments are scanned.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    scan: Vec<Line>,
}

/// Members of a story's record that may mark it as debt.
const MARKS: [&str; 6] = ["category", "kind", "labels", "tag", "tags", "type"];
/// The values that mark a story as debt.
const DEBT: [&str; 5] = ["debt", "refactor", "refactoring", "tech-debt", "technical-debt"];

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let folder = Folder::project(context)?;
    let mut items = debts(input.items.as_ref(), &folder)?;
    let scan = Scan::read(&input.scan, context, &folder)?;
    let needs_state =
        items.iter().any(|item| item.story.is_some()) || (items.is_empty() && !scan.is_asked);
    let is_read = context.state.is_there() || needs_state;
    let snapshot = if is_read { Snapshot::read(&context.state)? } else { Snapshot::default() };
    for item in items.iter_mut().filter(|_| is_read) {
        if let Some(id) = &mut item.story {
            *id = snapshot.named_story(&format!("{}.story", item.field), id)?.id.clone();
        }
    }
    // A stable sort: items with the same score keep their order, and those without one come last.
    items.sort_by(|a, b| b.score().partial_cmp(&a.score()).unwrap_or(std::cmp::Ordering::Equal));
    let stories: Vec<&Story> = snapshot
        .stories
        .iter()
        .filter(|story| !story.is_completed() && mark(story).is_some())
        .collect();
    let page = Page {
        skill: NAME,
        file: "debt.md".to_owned(),
        title: "Technical debt".to_owned(),
        summary: summary(&items, &stories, &scan),
        remarks: Vec::new(),
        sections: sections(&items, &stories, &scan),
        snapshot: &snapshot,
        open: questions(&items, &scan),
    };
    let mut output = page.output(json!({"scanned": scan.is_asked.then_some(scan.files)}))?;
    output.notes.extend(items.iter().filter_map(|item| item.note.clone()).take(LISTED));
    output.notes.extend(scan.notes);
    Ok(output)
}

/// What marks a story as debt: its id, or a word in one of several members.
fn mark(story: &Story) -> Option<&'static str> {
    if story.id.to_ascii_uppercase().starts_with("TECH-") {
        return Some("id");
    }
    let is_debt = |value: &Value| {
        let text = value.as_str().unwrap_or_default().trim().to_lowercase();
        DEBT.contains(&text.replace(['_', ' '], "-").as_str())
    };
    let marks = |value: &Value| match value {
        Value::Array(all) => all.iter().any(is_debt),
        one => is_debt(one),
    };
    MARKS.into_iter().find(|member| story.record.get(*member).is_some_and(marks))
}

fn summary(items: &[Item], stories: &[&Story], scan: &Scan) -> Vec<String> {
    let scored = items.iter().filter(|item| item.score().is_some()).count();
    let mut lines = Vec::new();
    if let Some((item, score)) = items.first().and_then(|item| Some((item, item.score()?))) {
        let place = item.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        lines.push(format!("Highest score: {:?}, {}{place}", rounded(score), item.title));
    }
    lines.push(format!("Scored items: {scored}"));
    if scored < items.len() {
        lines.push(format!("Items without all figures: {}", items.len() - scored));
    }
    lines.push(format!("Open stories marked as debt: {}", stories.len()));
    if scan.is_asked {
        let (files, count) = (scan.files, scan.comments.len());
        lines.push(format!("Comments found in {files} files: {count}"));
    }
    lines
}

fn sections(items: &[Item], stories: &[&Story], scan: &Scan) -> Vec<Section> {
    let (scored, rest): (Vec<&Item>, Vec<&Item>) =
        items.iter().partition(|item| item.score().is_some());
    let scored: Vec<(usize, &Item)> = (1..).zip(scored).collect();
    let [of_scored, of_rest] = if items.iter().any(|item| item.kind.is_some()) {
        [
            "no.=number, what=title, type, place, impact, urgency, effort, score, story",
            "what=title, type, place, missing, story",
        ]
    } else {
        [
            "no.=number, what=title, place, impact, urgency, effort, score, story",
            "what=title, place, missing, story",
        ]
    };
    let of_stories = "story=id, title, status, owner, size, marked by";
    let of_comments = "place, mark=shown, what it says=text";
    let rule = "The score is impact x urgency / effort.".to_owned();
    vec![
        Section::table("scored", "Register", of_scored, &scored, |(number, item)| {
            let mut row = item.row();
            row["number"] = (*number).into();
            row
        })
        .with_intro((!scored.is_empty()).then_some(rule)),
        Section::table("unscored", "Not scored", of_rest, &rest, |item| item.row()),
        Section::table("stories", "Open stories marked as debt", of_stories, stories, |story| {
            let mut row = rows::story(story);
            row["marked_by"] = mark(story).into();
            row
        }),
        Section::table("comments", "Comments in the code", of_comments, &scan.comments, |one| {
            let shown = format!("`{}`", one.mark);
            json!({"place": one.place, "mark": one.mark, "shown": shown, "text": one.text})
        }),
    ]
}

/// A score as it is shown.
fn rounded(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

/// Missing figures and places, worded as what to add.
fn questions(items: &[Item], scan: &Scan) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    for item in items.iter().filter(|item| item.score().is_none()).take(LISTED) {
        let missing = item.missing();
        let form = missing.iter().map(|name| format!("{name} 1 to 5")).collect::<Vec<_>>();
        let (names, form) = (missing.join(", "), form.join(", "));
        asked.push(format!("{names} of {:?}: not given (add to the item: {form})", item.title));
    }
    let lost = items.iter().filter(|item| item.place.is_none() && item.story.is_none());
    let place =
        |item: &Item| format!("place of {:?}: not given (add to the item: PATH:LINE)", item.title);
    asked.extend(lost.take(LISTED).map(place));
    if !scan.comments.is_empty() {
        let count = say::counted(scan.comments.len(), "comment", "comments");
        asked.push(format!(
            "{count} in the code: not scored (add those that are debt to items, with impact, urgency and effort)"
        ));
    }
    asked
}

/// Largest number of items.
const MOST: usize = 1_000;

/// A debt.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Debt {
    /// A description of the debt.
    title: Line,
    /// The kind of debt, such as design, test or security.
    #[serde(rename = "type")]
    kind: Option<Line>,
    /// A path below the current folder, optionally with a line, such as src/pay.rs:40.
    place: Option<Line>,
    /// The impact, 1 to 5.
    impact: Option<Int<1, 5>>,
    /// The urgency, 1 to 5.
    urgency: Option<Int<1, 5>>,
    /// The effort of the repair, 1 to 5.
    effort: Option<Int<1, 5>>,
    /// The id of the project's story about it.
    story: Option<Word>,
}

/// A list of debts.
type Debts = TextOrList<TextOr<LineOr<Debt>>>;

/// The items, in the order given; places are checked, stories are not.
fn debts(given: Option<&Debts>, folder: &Folder) -> Result<Vec<Item>> {
    let mut items = match given {
        None => Vec::new(),
        Some(TextOrList::Text(text)) => {
            let document = Document::read(text);
            if is_register(&document) {
                of_register(&document)?
            } else {
                let lines = list::read(text).map_err(|misfit| misfit.fault("items"))?;
                let item = |item: &list::Item| {
                    of_line(item, &format!("items, line {}", item.line), folder)
                };
                lines.iter().map(item).collect::<Result<Vec<_>>>()?
            }
        }
        Some(TextOrList::Items(given)) => {
            let item = |(at, given): (usize, &TextOr<LineOr<Debt>>)| {
                let field = format!("items[{at}]");
                match &given.0 {
                    LineOr::Line(text) => one_line(text, &field, folder),
                    LineOr::Fields(debt) => Ok(object(debt, field)),
                }
            };
            given.iter().enumerate().map(item).collect::<Result<Vec<_>>>()?
        }
    };
    if items.len() > MOST {
        return Err(bad_text("items", &items.len().to_string(), &format!("at most {MOST} items")));
    }
    for item in &mut items {
        if let Some(given) = &item.place {
            item.note = check(folder, &format!("{}.place", item.field), given)?;
        }
    }
    Ok(items)
}

/// Whether a document has a table of debts, as a register has.
fn is_register(document: &Document<'_>) -> bool {
    document.parts.iter().any(|part| part.rows().count() > 1 && Columns::of(part).is_some())
}

/// Where the members of a debt are in a row.
struct Columns(Vec<String>);

impl Columns {
    /// The columns of a part's table: what is in debt, and at least one figure or what is missing.
    fn of(part: &Part<'_>) -> Option<Self> {
        let (_, header) = part.rows().next()?;
        let names: Vec<String> = header.iter().map(|name| name.to_lowercase()).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let is_it = has("what") && (has("missing") || FIGURES.into_iter().any(has));
        is_it.then_some(Self(names))
    }

    fn cell(&self, cells: &[String], name: &str) -> Option<String> {
        let at = self.0.iter().position(|column| column == name)?;
        cells.get(at).filter(|text| !text.is_empty() && *text != "-").cloned()
    }
}

/// The debts in the tables of a register, whose other parts are computed from them and from the project.
fn of_register(document: &Document<'_>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for part in &document.parts {
        let Some(columns) = Columns::of(part) else { continue };
        for (line, cells) in part.rows().skip(1) {
            items.push(of_row(&columns, &cells, line)?);
        }
    }
    Ok(items)
}

fn of_row(columns: &Columns, cells: &[String], line: usize) -> Result<Item> {
    let field = format!("items, line {line}");
    let text = |name: &str| columns.cell(cells, name);
    let mut figures = [None; 3];
    for (place, name) in figures.iter_mut().zip(FIGURES) {
        let Some(given) = text(name) else { continue };
        let field = format!("{field}.{name}");
        let allowed = "a whole number from 1 to 5";
        let number = given.parse().map_err(|_| bad_text(&field, &given, allowed))?;
        *place = Some(figure(&field, number)?);
    }
    let title =
        text("what").ok_or_else(|| bad_text(&field, "", "a row that says what is in debt"))?;
    Ok(Item {
        kind: text("type"),
        place: text("place"),
        story: text("story"),
        title,
        figures,
        field,
        note: None,
    })
}

fn one_line(text: &str, field: &str, folder: &Folder) -> Result<Item> {
    let all = list::read(text).map_err(|misfit| misfit.fault(field))?;
    let [item] = all.as_slice() else {
        return Err(bad_text(field, text, "one debt on a line"));
    };
    of_line(item, field, folder)
}

fn object(fields: &Debt, field: String) -> Item {
    let figure = |figure: Option<Int<1, 5>>| u8::try_from(figure?.get()).ok();
    let text = |line: &Option<Line>| line.as_ref().map(ToString::to_string);
    Item {
        title: title(&fields.title),
        kind: text(&fields.kind),
        place: text(&fields.place),
        story: fields.story.as_ref().map(ToString::to_string),
        figures: [figure(fields.impact), figure(fields.urgency), figure(fields.effort)],
        field,
        note: None,
    }
}

/// The figures, in the order of the questions.
const FIGURES: [&str; 3] = ["impact", "urgency", "effort"];

/// A debt.
#[derive(Debug, Clone, Default)]
struct Item {
    /// Its path in the input: `items[2]`.
    field: String,
    /// The kind of debt, as given.
    kind: Option<String>,
    title: String,
    place: Option<String>,
    /// Impact, urgency and effort, 1 to 5.
    figures: [Option<u8>; 3],
    story: Option<String>,
    /// What could not be checked.
    note: Option<String>,
}

impl Item {
    /// Impact times urgency, divided by effort; `None` if a figure is missing.
    fn score(&self) -> Option<f64> {
        let [Some(impact), Some(urgency), Some(effort)] = self.figures else { return None };
        // Equal quotients of such small numbers are equal as floating point numbers: division rounds correctly.
        Some(f64::from(impact * urgency) / f64::from(effort))
    }

    /// The names of the figures that are missing.
    fn missing(&self) -> Vec<&'static str> {
        let named = FIGURES.iter().zip(&self.figures);
        named.filter(|(_, figure)| figure.is_none()).map(|(name, _)| *name).collect()
    }

    fn row(&self) -> Value {
        let [impact, urgency, effort] = self.figures;
        json!({
            "title": self.title,
            "type": self.kind,
            "place": self.place,
            "impact": impact,
            "urgency": urgency,
            "effort": effort,
            "score": self.score().map(rounded),
            "missing": self.missing().join(", "),
            "story": self.story,
        })
    }
}

/// A figure from 1 to 5.
fn figure(field: &str, given: i64) -> Result<u8> {
    let number = u8::try_from(given).ok().filter(|number| (1..=5).contains(number));
    number.ok_or_else(|| bad_text(field, &given.to_string(), "a whole number from 1 to 5"))
}

const EXAMPLE: &str = "design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2";

/// Reads a line: its type, a place at the beginning of the text, figures and a story anywhere, and the rest as the
/// title.
fn of_line(item: &list::Item, field: &str, folder: &Folder) -> Result<Item> {
    let text = line(&item.text);
    if let Some(why) = other_form(item) {
        return Err(misfit(item, why));
    }
    let mut debt = Item { field: field.to_owned(), kind: kind(item), ..Item::default() };
    let mut rest: Vec<&str> = Vec::new();
    let mut words = text.split(' ').peekable();
    if let Some(word) = words.next_if(|word| is_like(folder, word)) {
        debt.place = Some(bare(word).to_owned());
    }
    while let Some(word) = words.next() {
        let (name, value) = split(word);
        let value = value.or_else(|| words.peek().copied()).map(bare_value);
        let at = FIGURES.iter().position(|figure| name.eq_ignore_ascii_case(figure));
        let number = value.and_then(|value| value.parse::<i64>().ok());
        let is_story = name.eq_ignore_ascii_case("story") && value.is_some_and(is_id);
        if let (Some(at), Some(number)) = (at, number) {
            debt.figures[at] = Some(figure(&format!("{field}.{}", FIGURES[at]), number)?);
        } else if is_story {
            debt.story = value.map(str::to_owned);
        } else {
            rest.push(word);
            continue;
        }
        if split(word).1.is_none() {
            words.next();
        }
    }
    debt.title = title(rest.join(" ").trim_end_matches([';', ',', ' ', '-', '–', '—']));
    if !debt.title.is_empty() {
        return Ok(debt);
    }
    let place = debt.place.filter(|_| debt.figures == [None; 3]);
    let scan = place.map(|place| format!(" (to list the marks in files, give scan={place})"));
    let why = format!("does not say in words what is in debt{}", scan.unwrap_or_default());
    Err(misfit(item, &why))
}

/// Why a line is no debt although it has words: it is a figure of a debt, or a row or the head of a table.
fn other_form(item: &list::Item) -> Option<&'static str> {
    let is_figure = |kind: &String| FIGURES.iter().any(|name| name.eq_ignore_ascii_case(kind));
    if item.kind.as_ref().is_some_and(is_figure) {
        return Some("is a figure without a debt: write it behind the words of its debt");
    }
    let why = "is a row of a table: write each debt on a line, or as an object";
    let cells = || item.text.split(',').map(str::trim);
    let is_head =
        cells().filter(|cell| FIGURES.iter().any(|name| name.eq_ignore_ascii_case(cell))).count()
            > 1;
    (item.text.starts_with('|') || is_head).then_some(why)
}

fn misfit(item: &list::Item, why: &str) -> Fault {
    let misfit = Misfit {
        line: item.line,
        part: item.to_string().trim_start_matches("- ").to_owned(),
        why: why.to_owned(),
        example: EXAMPLE.to_owned(),
    };
    misfit.fault("items")
}

/// The type of a line, with its scope.
fn kind(item: &list::Item) -> Option<String> {
    let kind = item.kind.as_ref()?;
    Some(item.scope.as_ref().map_or_else(|| kind.clone(), |scope| format!("{kind} ({scope})")))
}

/// Splits `impact=4` or `impact:4`; a name alone has its value in the next word.
fn split(word: &str) -> (&str, Option<&str>) {
    let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
    (name.trim_start_matches('('), Some(value).filter(|value| !value.is_empty()))
}

/// A value without punctuation at its end.
fn bare_value(value: &str) -> &str {
    value.trim_end_matches([',', ';', '.', ')'])
}

/// Largest file whose lines are counted or scanned, in bytes.
const LARGEST: u64 = 1 << 20;

/// Whether a word is probably a place: it has a line number, begins at a root, is a path to a file, or exists. A plain
/// word such as `docs` may begin a sentence, so it counts only if marked: `docs:`.
fn is_like(folder: &Folder, word: &str) -> bool {
    let is_marked = word.ends_with([':', '`']);
    let (path, line) = parts(bare(word));
    let file = path.rsplit_once('/').map(|(_, file)| file);
    let is_rooted = ["/", "./", "../"].iter().any(|root| path.starts_with(root));
    let may_be = is_marked || path.contains(['/', '.']);
    let is_there = || folder.kind(Path::new(path)).is_ok();
    let is_file = file.is_some_and(|file| file.contains('.'));
    !path.is_empty() && (line.is_some() || is_rooted || is_file || (may_be && is_there()))
}

/// Checks that a place exists, with its line. The result is a note on what could not be checked.
fn check(folder: &Folder, field: &str, given: &str) -> Result<Option<String>> {
    let bad = |why: &str| bad_text(field, given, why);
    let (path, line) = parts(given);
    let kind = inside(folder, path).map_err(bad)?;
    let Some(line) = line else { return Ok(None) };
    if kind == FileKind::Folder {
        return Err(bad("a line of a file; this is a folder"));
    }
    let bytes = match folder.read(Path::new(path), LARGEST) {
        Ok(content) => content.bytes,
        Err(error) if matches!(error.problem, Problem::TooLarge(_)) => {
            let why = format!("the file is over {LARGEST} bytes");
            return Ok(Some(format!("The line of {given} was not looked up: {why}.")));
        }
        Err(_) => return Err(bad("a file that can be read")),
    };
    let lines = bytes.split(|byte| *byte == b'\n').count() - usize::from(bytes.ends_with(b"\n"));
    let is_there = line.parse().is_ok_and(|line: usize| (1..=lines).contains(&line));
    is_there.then_some(None).ok_or_else(|| bad(&format!("a line from 1 to {lines}")))
}

/// Whether a path is a file or a folder in the project; else the requirement for the error.
fn inside(folder: &Folder, path: &str) -> Result<FileKind, &'static str> {
    if path.is_empty() {
        return Err("a path in the project");
    }
    match folder.kind(Path::new(path)) {
        Ok(FileKind::Other) => Err("a file or a folder; links are not followed"),
        Ok(kind) => Ok(kind),
        Err(error) => Err(match error.problem {
            Problem::Outside => "a path in the project: not absolute, and without .. out of it",
            Problem::Missing => "an existing path",
            Problem::Link => "a path without links; links are not followed",
            _ => "a path that can be read",
        }),
    }
}

/// A place without surrounding marks.
fn bare(word: &str) -> &str {
    word.trim_end_matches(':').trim_matches('`').trim_end_matches(':')
}

/// A path, and the line after its last colon.
fn parts(given: &str) -> (&str, Option<&str>) {
    let is_number =
        |line: &&str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    match given.rsplit_once(':') {
        Some((path, line)) if is_number(&line) => (path, Some(line)),
        _ => (given, None),
    }
}

/// Largest number of files that are read.
const MOST_FILES: usize = 5_000;
/// Largest number of given paths.
const MOST_PATHS: usize = 100;
/// Longest comment text that is shown, in characters.
const SHOWN: usize = 120;
/// Folders that are always skipped.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// The beginnings of comments.
const SIGNS: [&str; 8] = ["<!--", "//", "/*", "--", "#", "*", ";", "%"];
/// The marks that are searched for.
const COMMENT_MARKS: [&str; 4] = ["FIXME", "HACK", "TODO", "XXX"];

#[derive(Debug, Default)]
struct Scan {
    /// Whether any path was given.
    is_asked: bool,
    /// Number of files that were read.
    files: usize,
    comments: Vec<Comment>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Comment {
    place: String,
    mark: &'static str,
    text: String,
}

impl Scan {
    /// Scans the paths of the field `scan`.
    fn read(paths: &[Line], context: &Context, folder: &Folder) -> Result<Self> {
        if paths.len() > MOST_PATHS {
            let count = paths.len().to_string();
            return Err(bad_text("scan", &count, &format!("at most {MOST_PATHS} paths")));
        }
        let mut scan = Self { is_asked: !paths.is_empty(), ..Self::default() };
        let mut files = Vec::new();
        for (at, path) in paths.iter().enumerate() {
            inside(folder, path).map_err(|why| bad_text(&format!("scan[{at}]"), path, why))?;
            files.extend(git::files(&context.folder, path)?);
        }
        files.retain(|file| !file.split('/').any(|part| SKIPPED.contains(&part)));
        files.sort_unstable();
        files.dedup();
        if files.len() > MOST_FILES {
            scan.notes.push(format!(
                "There are more than {MOST_FILES} files to scan; only the first {MOST_FILES} by name were read."
            ));
            files.truncate(MOST_FILES);
        }
        scan.all(folder, &files);
        Ok(scan)
    }

    fn all(&mut self, folder: &Folder, files: &[String]) {
        let (mut large, mut strange) = (0, 0);
        for file in files {
            let read = folder.read(Path::new(file), LARGEST);
            match read
                .map(|content| String::from_utf8(content.bytes))
                .map_err(|error| error.problem)
            {
                Ok(Ok(text)) if !text.contains('\0') => {
                    self.files += 1;
                    self.text(file, &text);
                }
                Err(Problem::TooLarge(_)) => large += 1,
                Ok(_) | Err(Problem::Io(_)) => strange += 1,
                // Git also lists links that it tracks.
                Err(_) => {}
            }
        }
        let left = [(large, format!("over {LARGEST} bytes")), (strange, "without text".to_owned())];
        for (count, why) in left.iter().filter(|(count, _)| *count > 0) {
            self.notes.push(format!("Not scanned: {} {why}.", counted(*count, "file", "files")));
        }
    }

    fn text(&mut self, file: &str, text: &str) {
        let comments = text.lines().enumerate().filter_map(|(at, raw)| {
            let (mark, text) = comment(raw)?;
            Some(Comment { place: format!("{file}:{}", at + 1), mark, text })
        });
        self.comments.extend(comments);
    }
}

/// The first comment with a mark, and its text after the mark.
fn comment(raw: &str) -> Option<(&'static str, String)> {
    let mut marks: Vec<(usize, &'static str)> = COMMENT_MARKS
        .iter()
        .flat_map(|mark| raw.match_indices(mark).map(|(at, _)| (at, *mark)))
        .filter(|(at, mark)| is_comment(&raw[..*at], &raw[at + mark.len()..]))
        .collect();
    marks.sort_unstable();
    let (at, mark) = *marks.first()?;
    let after = raw[at + mark.len()..].trim_end().trim_end_matches("*/").trim_end_matches("-->");
    let start = |text: &str| text.trim_start_matches([':', ' ', '-']).to_owned();
    // `TODO(ada): …`
    let text = match after.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((who, rest)) => format!("{} ({who})", start(rest)),
        None => start(after),
    };
    Some((mark, line(&text).chars().take(SHOWN).collect()))
}

/// Whether a mark between two texts is a word at the beginning of a comment.
fn is_comment(before: &str, after: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = before.trim_end();
    let Some(sign) = SIGNS.iter().find(|sign| before.ends_with(**sign)) else { return false };
    let code = &before[..before.len() - sign.len()];
    // An odd number of quotes: what looks like a comment is in a text.
    let is_quoted = ['"', '`'].iter().any(|quote| code.matches(*quote).count() % 2 == 1);
    !after.starts_with(is_word) && !is_quoted
}

/// Tolerance of a score, which is written with two decimals.
const ROUNDED: f64 = 0.006;

/// Checks figures, scores and their order, that no debt stands twice, that nothing is left open, and in a project that it
/// has the ids.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    page::check(text, &Form::new("# Technical debt", &[]), |document, findings| {
        let mut debts: Vec<(usize, String)> = Vec::new();
        for part in &document.parts {
            table(part, &mut debts, findings);
        }
        let what = |_: &String, first| format!("this debt is already on line {first}");
        findings.extend(Finding::repeated(debts.into_iter(), what));
        if context.state.is_there() {
            findings.extend(unknown_ids(document, context));
        }
    })
}

/// Checks a table of debts, and adds what it lists.
fn table(part: &Part<'_>, debts: &mut Vec<(usize, String)>, findings: &mut Vec<Finding>) {
    let mut rows = part.rows();
    let Some((_, header)) = rows.next() else { return };
    let mut last: Option<f64> = None;
    for (number, cells) in rows {
        let cell = |name: &str| {
            let at = header.iter().position(|column| column.eq_ignore_ascii_case(name))?;
            cells.get(at).map(String::as_str)
        };
        debts.extend(cell("what").map(|what| (number, what.to_owned())));
        if let Some(missing) = cell("missing") {
            add(findings, number, format!("{missing} of this debt is missing"));
        }
        let Some(score) = cell("score").map(|score| score.parse::<f64>().ok()) else { continue };
        row(&cell, score, number, findings);
        if score.zip(last).is_some_and(|(score, before)| score > before) {
            add(findings, number, "the highest score comes first");
        }
        last = score;
    }
}

/// Checks the figures of a row, and the score that follows from them.
fn row<'a>(
    cell: &impl Fn(&str) -> Option<&'a str>,
    score: Option<f64>,
    number: usize,
    findings: &mut Vec<Finding>,
) {
    let mut figures = [0_u8; 3];
    for (figure, name) in figures.iter_mut().zip(FIGURES) {
        let text = cell(name).unwrap_or_default();
        let Some(value) = text.parse().ok().filter(|figure| (1..=5).contains(figure)) else {
            let what = format!("{name} is {text:?}, but must be a whole number from 1 to 5");
            return add(findings, number, what);
        };
        *figure = value;
    }
    let [impact, urgency, effort] = figures;
    let wanted = f64::from(impact * urgency) / f64::from(effort);
    if score.is_none_or(|score| (score - wanted).abs() > ROUNDED) {
        let what = format!("the score must be {wanted:.2}: {impact} x {urgency} / {effort}");
        add(findings, number, what);
    }
}

fn add(findings: &mut Vec<Finding>, line: usize, what: impl Into<String>) {
    findings.push(Finding::new(line, what));
}
