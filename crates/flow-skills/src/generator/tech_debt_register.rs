//! `tech-debt-register`: a scored list of debts, and the TODO comments of the code.
//!
//! The score is impact times urgency, divided by effort. Missing figures become open questions.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::report::{Listing, Report, unknown_ids};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::typed;
use crate::input::values::{Int, Line, TextOr, TextOrList, Word};
use crate::notation::{Misfit, list};
use crate::output::{Fault, Output, Result, bad_text, missing};
use crate::page;
use crate::page::{Document, Finding, Form};
use crate::project_state::say::{LISTED, counted};
use crate::project_state::{Context, Snapshot};
use crate::runtime::files::{self, Folder, Problem};
use crate::runtime::git;
use crate::text::{is_id, is_number, line, title, whole_title};

const NAME: &str = "tech-debt-register";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::List, "items"), takes(ContentKind::Text, "items")],
        instead: &["scan"],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify),
};

/// Debts, and where to search for more.
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

fn generate(input: &Input, context: &Context) -> Result<Output> {
    if input.items.is_none() && input.scan.is_empty() {
        let what = "the debts; or search the comments of files with scan=PATH";
        return Err(missing("items", "text or a list", what));
    }
    let folder = Folder::project(context)?;
    let mut items = debts(input.items.as_ref(), &folder)?;
    let scan = Scan::read(&input.scan, context, &folder)?;
    let is_read = context.state.is_there() || items.iter().any(|item| item.debt.story.is_some());
    let snapshot = if is_read { Snapshot::read(&context.state)? } else { Snapshot::default() };
    for item in &mut items {
        if let Some(id) = &mut item.debt.story {
            let known = &snapshot.named_story(&format!("{}.story", item.field), id)?.id;
            *id = Word::new(known).map_err(|why| bad_text(&item.field, known, why))?;
        }
    }
    // A stable sort: items with the same score keep their order, and those without one come last.
    items.sort_by(|a, b| b.score().partial_cmp(&a.score()).unwrap_or(std::cmp::Ordering::Equal));
    let report = Report {
        skill: NAME,
        file: "debt.md".to_owned(),
        title: "Technical debt".to_owned(),
        summary: summary(&items, &scan),
        remarks: vec!["The score is impact x urgency / effort.".to_owned()],
        sections: sections(&items, &scan),
        snapshot: &snapshot,
        open: questions(&items),
    };
    let is_asked = !input.scan.is_empty();
    let mut output = report.output(json!({"scanned": is_asked.then_some(scan.files)}))?;
    output.notes.extend(scan.notes);
    Ok(output)
}

fn summary(items: &[Item], scan: &Scan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((item, score)) = items.first().and_then(|item| Some((item, item.score()?))) {
        let place = item.debt.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        lines.push(format!("Highest score: {score:?}, {}{place}", title(&item.debt.title)));
    }
    if !items.is_empty() {
        let scored = items.iter().filter(|item| item.score().is_some()).count();
        lines.push(format!("Scored: {scored} of {}", counted(items.len(), "item", "items")));
    }
    if scan.files > 0 {
        let (files, count) = (counted(scan.files, "file", "files"), scan.comments.len());
        lines.push(format!("Comments found in {files}: {count}"));
    }
    lines
}

fn sections(items: &[Item], scan: &Scan) -> Vec<Listing> {
    let (scored, rest): (Vec<&Item>, Vec<&Item>) =
        items.iter().partition(|item| item.score().is_some());
    let scored: Vec<(usize, &Item)> = (1..).zip(scored).collect();
    let of_scored = "no.=number, what=title, type, place, impact, urgency, effort, score, story";
    let of_rest = "what=title, type, place, impact, urgency, effort, missing, story";
    let of_comments = "place, mark=shown, what it says=text";
    vec![
        Listing::table("scored", "Register", of_scored, &scored, |(number, item)| {
            let mut row = item.row();
            row["number"] = (*number).into();
            row
        }),
        Listing::table("unscored", "Not scored", of_rest, &rest, |item| item.row()),
        Listing::table("comments", "Comments in the code", of_comments, &scan.comments, |one| {
            let shown = format!("`{}`", one.mark);
            json!({"place": one.place, "mark": one.mark, "shown": shown, "text": one.text})
        }),
    ]
}

/// Missing figures, worded as what to add.
fn questions(items: &[Item]) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    for item in items.iter().filter(|item| item.score().is_none()).take(LISTED) {
        let missing = item.missing();
        let form = missing.iter().map(|name| format!("{name} 1 to 5")).collect::<Vec<_>>();
        let (names, form) = (missing.join(", "), form.join(", "));
        let title = title(&item.debt.title);
        asked.push(format!("{names} of {title:?}: not given (add to the item: {form})"));
    }
    let unscored = items.iter().filter(|item| item.score().is_none()).count();
    if unscored > asked.len() {
        asked.push(format!("figures of {} more items: not given", unscored - asked.len()));
    }
    asked
}

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
    #[schemars(extend("x-labels" = ["location", "file", "path"]))]
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

type Debts = TextOrList<TextOr<Debt>>;

/// A debt, and its path in the input: `items[2]`.
#[derive(Debug)]
struct Item {
    field: String,
    debt: Debt,
}

/// The figures, in the order of the questions.
const FIGURES: [&str; 3] = ["impact", "urgency", "effort"];

impl Item {
    fn of(field: String, members: Map<String, Value>) -> Result<Self> {
        typed::members(&field, &members, &typed::schema_of::<Debt>())?;
        let debt = serde_json::from_value(members.into());
        debt.map(|debt| Self { field, debt }).map_err(|error| Fault::Refused(error.to_string()))
    }

    fn figures(&self) -> [Option<i64>; 3] {
        [self.debt.impact, self.debt.urgency, self.debt.effort].map(|one| one.map(Int::get))
    }

    /// Impact times urgency, divided by effort, with two decimals; `None` if a figure is missing.
    fn score(&self) -> Option<f64> {
        let [Some(impact), Some(urgency), Some(effort)] = self.figures() else { return None };
        let hundredths = i32::try_from((200 * impact * urgency + effort) / (2 * effort)).ok()?;
        Some(f64::from(hundredths) / 100.0)
    }

    fn missing(&self) -> Vec<&'static str> {
        let named = FIGURES.iter().zip(self.figures());
        named.filter(|(_, figure)| figure.is_none()).map(|(name, _)| *name).collect()
    }

    fn row(&self) -> Value {
        let Debt { title: what, kind, place, story, .. } = &self.debt;
        let [impact, urgency, effort] = self.figures();
        json!({
            "title": whole_title(what), "type": kind, "place": place, "impact": impact, "urgency": urgency,
            "effort": effort, "score": self.score(), "missing": self.missing().join(", "),
            "story": story,
        })
    }
}

/// The items, in the order given; places are checked, stories are not.
fn debts(given: Option<&Debts>, folder: &Folder) -> Result<Vec<Item>> {
    let items = match given {
        None => Vec::new(),
        Some(TextOrList::Text(text)) => of_text(text, folder)?,
        Some(TextOrList::Value(given)) => {
            let mut items = Vec::new();
            for (at, given) in given.iter().enumerate() {
                let field = format!("items[{at}]");
                match given {
                    TextOr::Text(text) => items.extend(of_lines(text, &field, folder)?),
                    TextOr::Value(debt) => items.push(Item { field, debt: debt.clone() }),
                }
            }
            items
        }
    };
    if items.len() > MOST {
        return Err(bad_text("items", &items.len().to_string(), &format!("at most {MOST} items")));
    }
    for item in &items {
        if let Some(place) = &item.debt.place {
            check(folder, &format!("{}.place", item.field), place)?;
        }
    }
    Ok(items)
}

/// The debts of a register, else of a list.
fn of_text(text: &str, folder: &Folder) -> Result<Vec<Item>> {
    let document = Document::read(text);
    let rows = register(&document);
    if rows.is_empty() {
        return of_lines(text, "items", folder);
    }
    rows.into_iter().map(|row| row.item(format!("items, line {}", row.line))).collect()
}

/// A row of a register: its line, and its cells by their columns.
struct Row {
    line: usize,
    cells: Map<String, Value>,
}

impl Row {
    /// The score that it states.
    fn score(&self) -> Option<f64> {
        let stated = self.cells.get("score")?;
        stated.as_f64().or_else(|| stated.as_str()?.parse().ok())
    }

    /// What is wrong with a column that registers do not have.
    fn unknown_column(&self) -> Option<String> {
        let is_known = |name: &str| MEMBERS.contains(&name) || COMPUTED.contains(&name);
        let name = self.cells.keys().find(|name| !is_known(name))?;
        let what =
            "no column of a register: say it in the words of the debt, and leave the column out";
        Some(format!("{name:?} is {what}"))
    }

    fn item(&self, field: String) -> Result<Item> {
        if let Some(what) = self.unknown_column() {
            return Err(Fault::Refused(format!("{field}: {what}")));
        }
        let mut members = self.cells.clone();
        members.retain(|name, _| MEMBERS.contains(&name.as_str()));
        Item::of(field, members)
    }
}

/// The columns of a register that are computed.
const COMPUTED: [&str; 3] = ["no.", "score", "missing"];

/// The members of a debt that columns have.
const MEMBERS: [&str; 7] = ["title", "type", "place", "impact", "urgency", "effort", "story"];

/// The rows of the tables of debts; a register's other parts are computed from them and from the project.
fn register(document: &Document<'_>) -> Vec<Row> {
    let mut all = Vec::new();
    for part in &document.parts {
        let mut rows = part.rows();
        let Some((_, header)) = rows.next() else { continue };
        let names = header.iter().map(|name| name.to_lowercase());
        let names: Vec<String> =
            names.map(|name| if name == "what" { "title".to_owned() } else { name }).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        if !has("title") || !(has("impact") || has("missing")) {
            continue;
        }
        all.extend(rows.map(|(line, cells)| {
            let cells = names.iter().cloned().zip(cells);
            let cells = cells.filter(|(_, cell)| !cell.is_empty() && cell != "-");
            let value = |cell: String| cell.parse::<i64>().map_or(cell.into(), Value::from);
            Row { line, cells: cells.map(|(name, cell)| (name, value(cell))).collect() }
        }));
    }
    all
}

const EXAMPLE: &str = "design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2";

fn of_lines(text: &str, field: &str, folder: &Folder) -> Result<Vec<Item>> {
    let items = list::read(text).map_err(|misfit| misfit.fault(field))?;
    items.iter().map(|item| of_line(item, field, folder)).collect()
}

/// Reads a line: its type, a place at the beginning of the text, figures and a story anywhere, and the rest as the
/// title.
fn of_line(item: &list::Item, field: &str, folder: &Folder) -> Result<Item> {
    let text = line(&item.text);
    let is_figure = |word: &str| FIGURES.iter().any(|figure| word.eq_ignore_ascii_case(figure));
    let mut members = Map::new();
    if let Some(kind) = &item.kind {
        let scope = item.scope.as_ref().map(|scope| format!(" ({scope})")).unwrap_or_default();
        members.insert("type".to_owned(), format!("{kind}{scope}").into());
    }
    let mut rest: Vec<&str> = Vec::new();
    let mut words = text.split(' ').peekable();
    if let Some(word) = words.next_if(|word| is_place(folder, word)) {
        members.insert("place".to_owned(), unmarked(word).into());
    }
    while let Some(word) = words.next() {
        let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
        let name = name.trim_start_matches('(').to_lowercase();
        let is_next = value.is_empty();
        let value = if is_next { words.peek().copied().unwrap_or_default() } else { value };
        let value = value.trim_end_matches([',', ';', '.', ')']);
        let number = value.parse::<i64>().ok().filter(|_| is_figure(&name)).map(Value::from);
        let story = || Some(Value::from(value)).filter(|_| name == "story" && is_id(value));
        let Some(value) = number.or_else(story) else {
            rest.push(word);
            continue;
        };
        if members.insert(name.clone(), value).is_some() {
            let why = format!("has two values of {name}");
            return Err(Misfit::new(item.line, &text, &why, EXAMPLE).fault(field));
        }
        if is_next {
            words.next();
        }
    }
    let rest = rest.join(" ");
    let rest = rest.trim_end_matches([';', ',', ' ', '-', '–', '—']);
    let is_head = item.text.split(',').filter(|cell| is_figure(cell.trim())).count() > 1;
    let why = if item.kind.as_deref().is_some_and(is_figure) {
        "is a figure without a debt: write it behind the words of its debt"
    } else if is_head || item.text.starts_with('|') {
        "is a row of a table: write each debt on a line, or as an object"
    } else if rest.is_empty() {
        "does not say in words what is in debt (scan=PATH lists the marks in files)"
    } else {
        members.insert("title".to_owned(), rest.into());
        return Item::of(format!("{field}, line {}", item.line), members);
    };
    let part = item.to_string();
    Err(Misfit::new(item.line, part.trim_start_matches("- "), why, EXAMPLE).fault(field))
}

/// Whether a word is probably a place: it has a line number, is a path to a file or from a root, or exists.
fn is_place(folder: &Folder, word: &str) -> bool {
    let (path, line) = path_and_line(unmarked(word));
    let is_path = path.rsplit_once('/').is_some_and(|(_, file)| file.contains('.'))
        || ["/", "./", "../"].iter().any(|root| path.starts_with(root));
    let is_there = || path.contains(['/', '.']) && folder.kind(Path::new(path)).is_ok();
    !path.is_empty() && (line.is_some() || is_path || is_there())
}

/// A place without surrounding marks.
fn unmarked(word: &str) -> &str {
    word.trim_end_matches(':').trim_matches('`').trim_end_matches(':')
}

/// A path, and the line after its last colon.
fn path_and_line(given: &str) -> (&str, Option<&str>) {
    match given.rsplit_once(':') {
        Some((path, line)) if is_number(line) => (path, Some(line)),
        _ => (given, None),
    }
}

/// Largest file whose lines are counted, in bytes.
const LARGEST_PLACE: u64 = 1 << 26;

/// Checks that a place exists, with its line.
fn check(folder: &Folder, field: &str, given: &str) -> Result<()> {
    let (path, line) = path_and_line(given);
    let bad = |why: &str| bad_text(field, given, why);
    inside(folder, field, path)?;
    let Some(line) = line else { return Ok(()) };
    let content = folder.read(Path::new(path), LARGEST_PLACE);
    let bytes = content.map_err(|error| bad(&format!("a line of a file; {error}")))?.bytes;
    let lines = bytes.split(|byte| *byte == b'\n').count() - usize::from(bytes.ends_with(b"\n"));
    let is_there = line.parse().is_ok_and(|line: usize| (1..=lines).contains(&line));
    if is_there { Ok(()) } else { Err(bad(&format!("a line from 1 to {lines}"))) }
}

/// Refuses a path that is neither a file nor a folder in the project.
fn inside(folder: &Folder, field: &str, path: &str) -> Result<()> {
    let why = match folder.kind(Path::new(path)) {
        Ok(files::Kind::Other) => "is a link or no file".to_owned(),
        Ok(_) => return Ok(()),
        Err(error) => error.problem.to_string(),
    };
    Err(bad_text(field, path, &format!("a file or a folder in the project; it {why}")))
}

const MOST_FILES: usize = 5_000;
/// Largest file that is scanned, in bytes.
const LARGEST: u64 = 1 << 20;
/// Longest comment text that is shown, in characters.
const SHOWN: usize = 120;
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// The beginnings of comments.
const SIGNS: [&str; 8] = ["<!--", "//", "/*", "--", "#", "*", ";", "%"];
/// The marks that are searched for.
const COMMENT_MARKS: [&str; 4] = ["FIXME", "HACK", "TODO", "XXX"];

#[derive(Debug, Default)]
struct Scan {
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
        let mut scan = Self::default();
        let mut files = Vec::new();
        for (at, path) in paths.iter().enumerate() {
            inside(folder, &format!("scan[{at}]"), path)?;
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
        let mut left = 0;
        for file in &files {
            match folder.read_text(Path::new(file), LARGEST) {
                Ok((text, _)) if !text.contains('\0') => {
                    scan.files += 1;
                    scan.comments.extend(comments(file, &text));
                }
                // Git also lists links that it tracks.
                Err(error) if matches!(error.problem, Problem::Link | Problem::Missing) => {}
                _ => left += 1,
            }
        }
        if left > 0 {
            let files = counted(left, "file", "files");
            scan.notes.push(format!("Not scanned: {files} over {LARGEST} bytes or without text."));
        }
        Ok(scan)
    }
}

fn comments(file: &str, text: &str) -> Vec<Comment> {
    let comments = text.lines().enumerate().filter_map(|(at, raw)| {
        let (mark, text) = comment(raw)?;
        Some(Comment { place: format!("{file}:{}", at + 1), mark, text })
    });
    comments.collect()
}

/// The first comment with a mark, and its text after the mark.
fn comment(raw: &str) -> Option<(&'static str, String)> {
    let marks = COMMENT_MARKS.iter().flat_map(|mark| {
        raw.match_indices(mark).map(|(at, _)| (at, *mark, &raw[at + mark.len()..]))
    });
    let (_, mark, after) = marks
        .filter(|(at, _, after)| is_comment(&raw[..*at], after))
        .min_by_key(|found| found.0)?;
    let after = after.trim_end().trim_end_matches("*/").trim_end_matches("-->");
    let text = line(after.trim_start_matches([':', ' ', '-']));
    let is_cut = text.chars().nth(SHOWN).is_some();
    let shown = text.chars().take(SHOWN);
    Some((mark, shown.chain(is_cut.then_some('…')).collect()))
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

/// Checks figures, scores and their order, that no debt stands twice, that nothing is left open, and in a project that it
/// has the ids.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    page::check(text, &Form::new("# Technical debt", &[]), |document, findings| {
        let rows = register(document);
        let mut last: Option<f64> = None;
        for row in &rows {
            if let Some(what) = row.unknown_column() {
                findings.push(Finding::new(row.line, what));
                continue;
            }
            let what = match row.item(String::new()) {
                Err(fault) => fault.to_string(),
                Ok(item) => match item.score() {
                    None => format!("{} of this debt is missing", item.missing().join(", ")),
                    Some(score) if row.score() != Some(score) => {
                        format!("the score must be {score:.2}: impact x urgency / effort")
                    }
                    Some(score) if last.replace(score).is_some_and(|before| score > before) => {
                        "the highest score comes first".to_owned()
                    }
                    Some(_) => continue,
                },
            };
            findings.push(Finding::new(row.line, what));
        }
        let titles = rows.iter().filter_map(|row| Some((row.line, row.cells.get("title")?)));
        let what = |_: &&Value, first| format!("this debt is already on line {first}");
        findings.extend(Finding::repeated(titles, what));
        if context.state.is_there() {
            findings.extend(unknown_ids(document, context));
        }
    })
}
