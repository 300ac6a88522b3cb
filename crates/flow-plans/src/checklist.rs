//! The shared reader of Markdown checklists: boxes with their ids, marks, phases, parents and what their lines name.

use std::collections::HashSet;

use flow_model::kind::Kind;
use flow_model::problem::Effect;
use serde_json::{Map, Value};

use crate::format::{FileRecords, Part};
use crate::members::Members;
use crate::plan::{COMPLETED, Issue, QUEUED, RUNNING};
use crate::size::{MOST_RECORDS, cut_heading};

/// Most paths, and most requirements, that are kept of one box.
const MOST_NAMED: usize = 100;
/// Columns between two tab stops.
const TAB: usize = 4;
/// Most digits of the number before an ordered list item.
const MOST_DIGITS: usize = 9;
/// Endings of file names that are paths without a folder; with one, any ending is.
const ENDINGS: &[&str] = &[
    "bash", "bat", "c", "cfg", "cjs", "conf", "cpp", "cs", "csproj", "css", "csv", "dart", "env",
    "ex", "exs", "go", "gradle", "graphql", "h", "hpp", "html", "ini", "java", "js", "json",
    "jsonl", "jsx", "kt", "kts", "lock", "lua", "md", "mdx", "mjs", "php", "prisma", "proto",
    "ps1", "py", "rb", "rs", "scss", "sh", "sln", "sql", "svelte", "svg", "swift", "tf", "toml",
    "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig",
];

/// Which lines are boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `- [ ] text` outside of code fences.
    Markdown,
    /// What OpenSpec's own tool counts: numbered items and boxes in code fences too.
    OpenSpec,
}

/// A box of a checklist.
#[derive(Debug, PartialEq, Eq)]
pub struct Checkbox {
    /// Its line, from 1.
    pub line: u64,
    /// Its number among the boxes of the file, from 1.
    pub number: usize,
    /// What its brackets contain; a space if nothing.
    pub mark: char,
    /// The id at the beginning of its text: `T012`, `1.1`.
    pub id: Option<String>,
    /// Its text after the id and the markers.
    pub title: String,
    /// The heading above it.
    pub phase: Option<String>,
    /// The box that it is nested in: its place in the list.
    pub parent: Option<usize>,
    /// Whether it has the marker `[P]` or `(P)`.
    pub is_parallel: bool,
    /// Whether `*` follows its brackets.
    pub is_optional: bool,
    /// The user story of its marker: `US1`.
    pub user_story: Option<String>,
    /// What `_Requirements: 1.1, 1.2_` lists in it or in the lines below it.
    pub requirements: Vec<String>,
    /// The paths in backticks in it and in the lines below it.
    pub paths: Vec<String>,
}

/// The boxes of a text, and what in it is not read.
pub fn read(text: &str, dialect: Dialect) -> (Vec<Checkbox>, Vec<Issue>) {
    let mut reader = Reader { dialect, ..Reader::default() };
    for (index, line) in without_mark(text).split('\n').enumerate() {
        reader.line(index as u64 + 1, line.strip_suffix('\r').unwrap_or(line));
    }
    reader.finish()
}

/// A text without the byte order mark at its beginning.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The level and the text of a heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..).filter(|text| text.starts_with([' ', '\t']))?.trim();
    let unclosed = text.trim_end_matches('#');
    let text = if unclosed.is_empty() || unclosed.ends_with([' ', '\t']) {
        unclosed.trim_end()
    } else {
        text
    };
    (1..=6).contains(&level).then_some((level, text))
}

/// The file of a checklist: its story without members, and a task for each box.
pub fn file(story: &str, text: &str, dialect: Dialect) -> FileRecords {
    file_with(story, text, dialect, |_| None)
}

/// The same, with a member more for some boxes.
pub fn file_with(
    story: &str,
    text: &str,
    dialect: Dialect,
    member: impl Fn(&Checkbox) -> Option<(String, Value)>,
) -> FileRecords {
    let (boxes, issues) = read(text, dialect);
    let mut records = FileRecords::default();
    records.add(Part {
        kind: Kind::Story,
        id: story.to_owned(),
        line: 1,
        members: Members::default(),
    });
    let ids = ids(story, &boxes);
    for (checkbox, id) in boxes.iter().zip(&ids) {
        let mut members =
            members(story, checkbox, &ids, *id == position_id(story, checkbox.number), dialect);
        members.extend(member(checkbox));
        records.add(Part {
            kind: Kind::Task,
            id: id.clone(),
            line: checkbox.line,
            members: members.into(),
        });
    }
    for issue in issues {
        records.report(issue);
    }
    records
}

fn position_id(story: &str, number: usize) -> String {
    format!("{story}#{number}")
}

/// The record's id of each box: by its own, or by its position where it has none or one that stood before.
fn ids(story: &str, boxes: &[Checkbox]) -> Vec<String> {
    let mut seen = HashSet::new();
    let id = |checkbox: &Checkbox| match &checkbox.id {
        Some(id) if seen.insert(id.clone()) => format!("{story}/{id}"),
        _ => position_id(story, checkbox.number),
    };
    boxes.iter().map(id).collect()
}

fn members(
    story: &str,
    checkbox: &Checkbox,
    ids: &[String],
    by_position: bool,
    dialect: Dialect,
) -> Map<String, Value> {
    let state = match (checkbox.mark, dialect) {
        ('x' | 'X', _) => COMPLETED,
        ('-' | '~', Dialect::Markdown) => RUNNING,
        _ => QUEUED,
    };
    let mark =
        Some(checkbox.mark).filter(|mark| !matches!(mark, 'x' | 'X' | ' ')).map(String::from);
    let title = Some(&checkbox.title).filter(|title| !title.is_empty());
    let list = |texts: &[String]| (!texts.is_empty()).then(|| Value::from(texts));
    let truth = |is: bool| is.then_some(Value::Bool(true));
    let parent = checkbox.parent.and_then(|parent| ids.get(parent));
    let members = [
        ("story_id", Some(story.into())),
        ("state", Some(state.into())),
        ("title", title.map(|title| title.as_str().into())),
        ("mark", mark.map(Value::from)),
        ("phase", checkbox.phase.as_deref().map(Value::from)),
        ("parallel", truth(checkbox.is_parallel)),
        ("user_story", checkbox.user_story.as_deref().map(Value::from)),
        ("parent", parent.map(|parent| parent.as_str().into())),
        ("optional", truth(checkbox.is_optional)),
        ("requirements", list(&checkbox.requirements)),
        ("paths", list(&checkbox.paths)),
        ("id_kind", by_position.then(|| "position".into())),
    ];
    let stated = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    stated.collect()
}

/// Reads a checklist line by line.
#[derive(Debug)]
struct Reader {
    dialect: Dialect,
    boxes: Vec<Checkbox>,
    issues: Vec<Issue>,
    /// The fence of the code block that the line is in, and how many boxes are in it.
    fence: Option<Fence>,
    /// The headings above the line, outermost first: level and text.
    headings: Vec<(usize, String)>,
    /// Whether a heading was read: the first is the file's title if it is of level 1.
    has_title: bool,
    /// The boxes that the line may be nested in, outermost first: indentation and place in `boxes`.
    open: Vec<(usize, usize)>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            dialect: Dialect::Markdown,
            boxes: Vec::new(),
            issues: Vec::new(),
            fence: None,
            headings: Vec::new(),
            has_title: false,
            open: Vec::new(),
        }
    }
}

#[derive(Debug)]
struct Fence {
    line: u64,
    sign: char,
    length: usize,
    boxes: usize,
}

impl Reader {
    fn line(&mut self, number: u64, line: &str) {
        let is_code = self.in_fence(number, line);
        let found = match self.dialect {
            Dialect::Markdown => markdown_box(line),
            Dialect::OpenSpec => openspec_box(line),
        };
        if is_code && self.dialect == Dialect::Markdown {
            if let Some(fence) = &mut self.fence {
                fence.boxes += usize::from(found.is_some());
            }
            return;
        }
        if let Some((level, text)) = heading(line).filter(|_| !is_code) {
            self.enter(level, text);
            return;
        }
        if line.trim().is_empty() {
            return;
        }
        let indentation = indentation(line);
        while self.open.last().is_some_and(|(outer, _)| *outer >= indentation) {
            self.open.pop();
        }
        match found {
            Some(found) => self.add(number, indentation, &found),
            None => {
                if let Some(checkbox) = self.open.last().and_then(|(_, at)| self.boxes.get_mut(*at))
                {
                    checkbox.note(line);
                }
            }
        }
    }

    /// Whether the line is in a code block, or begins or ends one.
    fn in_fence(&mut self, number: u64, line: &str) -> bool {
        let line = line.trim();
        let Some(sign) = line.chars().next().filter(|sign| matches!(sign, '`' | '~')) else {
            return self.fence.is_some();
        };
        let length = line.bytes().take_while(|byte| char::from(*byte) == sign).count();
        let rest = &line[length..];
        match &self.fence {
            Some(fence) => {
                if fence.sign == sign && length >= fence.length && rest.is_empty() {
                    self.fence = None;
                }
                true
            }
            None if length >= 3 && !(sign == '`' && rest.contains('`')) => {
                self.fence = Some(Fence { line: number, sign, length, boxes: 0 });
                true
            }
            None => false,
        }
    }

    fn enter(&mut self, level: usize, text: &str) {
        self.open.clear();
        while self.headings.last().is_some_and(|(outer, _)| *outer >= level) {
            self.headings.pop();
        }
        if level > 1 || self.has_title {
            self.headings.push((level, cut_heading(text)));
        }
        self.has_title = true;
    }

    /// The heading above a box: the outermost that calls itself a phase, else the nearest.
    fn phase(&self) -> Option<String> {
        let is_phase =
            |text: &str| text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("phase"));
        let texts = || self.headings.iter().map(|(_, text)| text).filter(|text| !text.is_empty());
        texts().find(|text| is_phase(text)).or_else(|| texts().next_back()).cloned()
    }

    fn add(&mut self, line: u64, indentation: usize, found: &Found<'_>) {
        // One more than is served shows that there are too many.
        if self.boxes.len() + self.issues.len() > MOST_RECORDS {
            return;
        }
        if found.text.is_empty() && self.dialect == Dialect::Markdown {
            let reason = "a box without text".to_owned();
            self.issues.push(Issue { line, effect: Effect::Skipped, reason });
            return;
        }
        let beginning = Beginning::of(found.text);
        let mut checkbox = Checkbox {
            line,
            number: self.boxes.len() + 1,
            mark: found.mark,
            id: beginning.id.map(str::to_owned),
            title: beginning.title,
            phase: self.phase(),
            parent: self.open.last().map(|(_, at)| *at),
            is_parallel: beginning.is_parallel,
            is_optional: found.is_optional,
            user_story: beginning.user_story.map(str::to_owned),
            requirements: Vec::new(),
            paths: Vec::new(),
        };
        checkbox.note(found.text);
        self.open.push((indentation, self.boxes.len()));
        self.boxes.push(checkbox);
    }

    fn finish(mut self) -> (Vec<Checkbox>, Vec<Issue>) {
        if let Some(fence) = self.fence.filter(|fence| fence.boxes > 0) {
            let reason = format!(
                "the code block that begins here does not end: {} boxes in it are not read",
                fence.boxes
            );
            self.issues.push(Issue { line: fence.line, effect: Effect::Suspicious, reason });
        }
        (self.boxes, self.issues)
    }
}

impl Checkbox {
    /// Adds the requirements and paths that a line names.
    fn note(&mut self, line: &str) {
        for requirement in requirements(line) {
            add(&mut self.requirements, requirement);
        }
        // Every second piece is between two backticks.
        let mut pieces = line.split('`').skip(1);
        while let (Some(quoted), Some(_)) = (pieces.next(), pieces.next()) {
            if is_path(quoted) {
                add(&mut self.paths, quoted);
            }
        }
    }
}

fn add(list: &mut Vec<String>, text: &str) {
    if list.len() < MOST_NAMED && !list.iter().any(|one| one == text) {
        list.push(text.to_owned());
    }
}

/// A line that is a box.
#[derive(Debug)]
struct Found<'a> {
    mark: char,
    is_optional: bool,
    text: &'a str,
}

fn markdown_box(line: &str) -> Option<Found<'_>> {
    let spaces = [' ', '\t'];
    let item = line.trim_start_matches(spaces).strip_prefix(['-', '*', '+'])?;
    let inner = item.strip_prefix(spaces)?.trim_start_matches(spaces).strip_prefix('[')?;
    let mark = inner.chars().next()?;
    let rest = inner[mark.len_utf8()..].strip_prefix(']')?;
    // `- [P] …` explains the marker; it is not a box.
    if mark == 'P' {
        return None;
    }
    let text = rest.strip_prefix('*').unwrap_or(rest);
    let is_optional = text.len() < rest.len();
    let is_text = text.is_empty() || text.starts_with(char::is_whitespace);
    let mark = if mark.is_whitespace() { ' ' } else { mark };
    is_text.then(|| Found { mark, is_optional, text: text.trim() })
}

/// A box as OpenSpec's tool counts it: any list marker, at most one character in the brackets, and no link.
fn openspec_box(line: &str) -> Option<Found<'_>> {
    let item = line.trim_start_matches(is_space);
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let item = match digits {
        0 => item.strip_prefix(['-', '*', '+'])?,
        1..=MOST_DIGITS => item[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let inner = item.trim_start_matches(is_space).strip_prefix('[')?;
    let (content, rest) = inner.split_once(']')?;
    let mark = content.trim_matches(is_space);
    // The tool counts UTF-16 units.
    if mark.encode_utf16().nth(1).is_some() {
        return None;
    }
    let is_link = rest.starts_with(['(', '[']) && (content.is_empty() || !mark.is_empty());
    let text = rest.trim_start_matches(is_space).split(['\r', '\u{2028}', '\u{2029}']).next()?;
    let mark = mark.chars().next().unwrap_or(' ');
    (!is_link).then(|| Found { mark, is_optional: false, text: text.trim_matches(is_space) })
}

/// White space as JavaScript has it.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// The column at which the text of a line begins.
fn indentation(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column = (column / TAB + 1) * TAB,
            _ => break,
        }
    }
    column
}

/// What stands at the beginning of a box's text, and the text after it.
#[derive(Debug, Default)]
struct Beginning<'a> {
    id: Option<&'a str>,
    is_parallel: bool,
    user_story: Option<&'a str>,
    title: String,
}

impl<'a> Beginning<'a> {
    /// Takes an id and markers, in any order, from the beginning of a text. They may be bold.
    fn of(text: &'a str) -> Self {
        let mut found = Self::default();
        let mut rest = text;
        let mut is_bold = false;
        loop {
            rest = rest.trim_start();
            if let Some(inner) = rest.strip_prefix("**") {
                let opens = !is_bold && found.precedes(inner.trim_start());
                if !is_bold && !opens {
                    break;
                }
                is_bold = opens;
                rest = inner;
            } else if let Some(after) = found.take(rest) {
                rest = after;
            } else {
                break;
            }
        }
        if found.id.is_some() {
            let separated = rest.strip_prefix([':', '-', '–', '—']);
            rest = separated.filter(|after| after.starts_with(' ')).unwrap_or(rest).trim_start();
        }
        // The rest of a bold text: its end goes too.
        found.title = if is_bold { rest.replacen("**", "", 1) } else { rest.to_owned() };
        found
    }

    /// Whether a text begins with a further id or marker.
    fn precedes(&self, text: &'a str) -> bool {
        Self { id: self.id, ..Self::default() }.take(text).is_some()
    }

    /// Takes one id or marker: the text after it.
    fn take(&mut self, text: &'a str) -> Option<&'a str> {
        if let Some(after) = text.strip_prefix("(P)") {
            self.is_parallel = true;
            return Some(after);
        }
        if let Some((marker, after)) =
            text.strip_prefix('[').and_then(|inner| inner.split_once(']'))
        {
            if marker == "P" {
                self.is_parallel = true;
                return Some(after);
            }
            if is_user_story(marker) && self.user_story.is_none() {
                self.user_story = Some(marker);
                return Some(after);
            }
        }
        if self.id.is_some() {
            return None;
        }
        let (id, after) = leading_id(text)?;
        self.id = Some(id);
        Some(after)
    }
}

fn is_user_story(marker: &str) -> bool {
    let number = marker.strip_prefix("US").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The id that a text begins with, and the text after it: `T012`, `T012a`, `1.1`, and `1` where `.`, `)` or `:` follows.
pub fn leading_id(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let is_task = bytes.first() == Some(&b'T');
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let start = usize::from(is_task);
    let mut end = start + Some(digits(start)).filter(|count| *count > 0)?;
    let mut levels = 1;
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let alphanumeric = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    loop {
        if letter(end) && !alphanumeric(end + 1) {
            end += 1;
        }
        let separates = match bytes.get(end) {
            Some(b'.') => true,
            Some(b'-') => is_task,
            _ => false,
        };
        let word = bytes[(end + 1).min(bytes.len())..].iter();
        let word = if is_task {
            word.take_while(|byte| byte.is_ascii_alphanumeric()).count()
        } else {
            word.take_while(|byte| byte.is_ascii_digit()).count()
        };
        if !separates || word == 0 {
            break;
        }
        end += 1 + word;
        levels += 1;
    }
    let (id, after) = text.split_at(end);
    let rest = after.strip_prefix(['.', ')', ':']).unwrap_or(after);
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace) || rest.starts_with('*');
    // A number alone may begin a sentence.
    let is_id = is_task || levels > 1 || rest.len() < after.len();
    (ends && is_id).then_some((id, rest))
}

/// What `_Requirements: 1.1, 1.2_` lists.
fn requirements(line: &str) -> impl Iterator<Item = &str> {
    let list = line.split_once("_Requirements:").map_or("", |(_, after)| {
        let closes = |at: &usize| {
            let next = after[at + 1..].chars().next();
            !next.is_some_and(char::is_alphanumeric)
        };
        let end = after.match_indices('_').map(|(at, _)| at).find(closes);
        &after[..end.unwrap_or(after.len())]
    });
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// Whether a text in backticks is a path of the project: a folder, or a file with an ending.
fn is_path(text: &str) -> bool {
    let is_usual = |c: char| c.is_alphanumeric() || "._-/@+[]()$".contains(c);
    if text.starts_with(['/', '-', '(', '@']) || text.contains("//") || !text.chars().all(is_usual)
    {
        return false;
    }
    let Some((folder, name)) = text.rsplit_once('/') else {
        return text
            .rsplit_once('.')
            .is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending));
    };
    if name.is_empty() {
        return !folder.is_empty();
    }
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        ending.starts_with(|c: char| c.is_ascii_alphabetic()) && !ending.contains('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nesting_is_no_recursion() {
        let line = |number: usize| format!("{}- [ ] 1.{number} box\n", " ".repeat(number % 1_000));
        let text: String = (0..10_000).map(line).collect();
        let (found, _) = read(&text, Dialect::Markdown);
        assert_eq!(found.len(), 10_000);
        assert_eq!((found[9_999].parent, found[9_000].parent), (Some(9_998), None));
    }
}
