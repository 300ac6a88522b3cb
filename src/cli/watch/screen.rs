//! Draws the screen: what needs attention, what the agents do, what changed. Pure functions of a moment, a size and the
//! time.

use std::collections::HashMap;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::data::{Agent, Change, Item, Moment, SHOWN_HOURS, Source, Story};
use crate::cli::terminal::{Size, cut, fit, plain, wrapped};
use crate::cli::text::escape;
use crate::model::caveats::Unread;
use crate::model::time::{self, Edge};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const GREEN: Style = AnsiColor::Green.on_default();

/// Rows of a section if the output is not a terminal.
const ROWS: usize = 12;
/// Smallest number of rows of a section, whatever the height of the terminal.
const FEWEST_ROWS: usize = 2;
/// Lines other than rows: the first one, and for each of three sections a blank one, its title, and a line about
/// omitted rows.
const FRAME: usize = 10;
/// Widths of an item's kind and of an age, and the largest widths of an id and of an agent.
const WORD: usize = 9;
const AGE: usize = 6;
pub(super) const MOST_ID: usize = 16;
pub(super) const MOST_AGENT: usize = 12;
/// Largest width of the id of a story of a plan, and the width of its progress (`120 of 120`).
const MOST_STORY_ID: usize = 28;
const PROGRESS: usize = 11;
/// Width from which a row has an agent, and its reason in a separate column.
const WITH_AGENT: usize = 76;
const IN_COLUMNS: usize = 120;
/// Width from which there is a second column, and the width of that.
pub(super) const WITH_SIDE: usize = 160;
const SIDE: usize = 64;
/// Heights of a number of messages.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Width of a status in it.
const STATUS: usize = 11;
const BETWEEN: &str = "   ";
/// Nanoseconds per second.
const SECOND: i64 = 1_000_000_000;

/// Further input besides the moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) size: Size,
    /// The time that ages are counted from, in nanoseconds since 1970.
    pub(super) now: i64,
    /// Text at the end of the first line: the source of the moment.
    pub(super) origin: &'a str,
    /// Whether rows are searched for words, so that none is left out.
    pub(super) is_filtered: bool,
}

/// A line of the screen.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Its text, with the sequences of its colours.
    pub(super) text: String,
    /// Whether it is a row of a section.
    pub(super) is_row: bool,
    /// The id of the record that a row is about.
    pub(super) id: Option<String>,
}

/// The lines from the top.
#[derive(Debug, Default)]
pub(super) struct Lines(pub(super) Vec<Line>);

impl Lines {
    /// Puts a text before the last line.
    pub(super) fn prefix(&mut self, text: &str) {
        if let Some(last) = self.0.last_mut() {
            last.text.insert_str(0, text);
        }
    }

    pub(super) fn push(&mut self, text: String) {
        self.0.push(Line { text, ..Line::default() });
    }

    /// A row about a record; blanks at its end are left out.
    fn row(&mut self, id: &str, text: &str) {
        let id = Some(id.to_owned()).filter(|id| !id.is_empty());
        self.0.push(Line { text: format!(" {}", text.trim_end()), is_row: true, id });
    }
}

/// The screen: on a wide output in two columns.
pub(super) fn draw(moment: &Moment, frame: Frame<'_>) -> Vec<Line> {
    let Size { width, height } = frame.size;
    let side = if width < WITH_SIDE { Vec::new() } else { side(moment, SIDE) };
    if side.is_empty() {
        return sections(moment, frame);
    }
    let left = width - SIDE - BETWEEN.len();
    let mut lines = sections(moment, Frame { size: Size { width: left, height }, ..frame });
    // The first line is about both.
    for (at, text) in side.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        while lines.len() <= at + 1 {
            lines.push(Line::default());
        }
        let line = &mut lines[at + 1].text;
        let columns = plain(line).width();
        line.extend(std::iter::repeat_n(' ', left.saturating_sub(columns)));
        line.push_str(BETWEEN);
        line.push_str(&text);
    }
    lines
}

/// The second column: the messages of the last hours, and the longest chain of what waits.
fn side(moment: &Moment, width: usize) -> Vec<String> {
    let mut lines = hours(moment);
    lines.extend(chain(moment, width));
    lines
}

/// The number of messages of each sender in each of the last hours, as blocks of eight heights.
fn hours(moment: &Moment) -> Vec<String> {
    if moment.hours.is_empty() {
        return Vec::new();
    }
    let most = moment.hours.iter().flat_map(|(_, hours)| hours).max().copied().unwrap_or(1).max(1);
    let block = |count: &u64| match *count {
        0 => '·',
        count => {
            let step = (count * BLOCKS.len() as u64).div_ceil(most).max(1);
            BLOCKS[usize::try_from(step - 1).unwrap_or_default().min(BLOCKS.len() - 1)]
        }
    };
    let all: u64 = moment.hours.iter().flat_map(|(_, hours)| hours).sum();
    let title = format!(
        "{BOLD}Messages{BOLD:#}  {all}  {DIM}in each of the last {SHOWN_HOURS} hours{DIM:#}"
    );
    let mut lines = vec![String::new(), title];
    let names = column(moment.hours.iter().map(|(name, _)| name.as_str()), MOST_AGENT);
    for (name, hours) in moment.hours.iter().take(ROWS) {
        let blocks: String = hours.iter().map(block).collect();
        let sum: u64 = hours.iter().sum();
        lines.push(format!(" {} {blocks} {sum}", fit(&escape(name), names)));
    }
    lines
}

/// The longest chain of what waits.
fn chain(moment: &Moment, width: usize) -> Vec<String> {
    let chain = &moment.chain;
    if chain.is_empty() {
        return Vec::new();
    }
    let count = chain.len();
    let title = format!("{BOLD}Longest wait{BOLD:#}  {count}  {DIM}each waits for the next{DIM:#}");
    let mut lines = vec![String::new(), title];
    let ids = column(chain.iter().map(|one| one.id.as_str()), MOST_ID);
    let left = width.saturating_sub(ids + STATUS + MOST_AGENT + 4);
    for one in chain {
        let status = fit(&escape(one.status.as_deref().unwrap_or_default()), STATUS);
        let owner = fit(&escape(one.owner.as_deref().unwrap_or_default()), MOST_AGENT);
        let (id, title) = (fit(&escape(&one.id), ids), fit(&escape(one.title()), left));
        lines.push(format!(" {id} {title} {status} {owner}").trim_end().to_owned());
    }
    lines
}

/// The sections, one below the other.
fn sections(moment: &Moment, frame: Frame<'_>) -> Vec<Line> {
    let caveats = caveats(moment, frame);
    let exports = exports(moment, frame);
    let rows = rows(moment, frame, caveats.len() + exports.len());
    let mut out = Lines::default();
    head(&mut out, moment, frame);
    for line in &caveats {
        out.push(format!("{YELLOW}{line}{YELLOW:#}"));
    }
    for export in &exports {
        line(&mut out, export, frame.size.width);
    }
    let of = if caveats.is_empty() { Scope::All } else { Scope::WhatWasRead };
    let attention = &moment.attention;
    title(&mut out, "Needs you", attention.counts.total, of);
    let ids = column(attention.items.iter().map(Item::id), MOST_ID);
    for item in of_each(&attention.items, |item| &item.kind, rows[0]) {
        item_row(&mut out, item, ids, frame);
    }
    more(&mut out, attention.counts.total, rows[0], "flow api get attention");
    if let Some(plan) = &moment.plan {
        title(&mut out, "Open in the plan", plan.total, of);
        let ids = column(plan.stories.iter().map(|story| story.id.as_str()), MOST_STORY_ID);
        for story in plan.stories.iter().take(rows[1]) {
            story_row(&mut out, story, ids, frame);
        }
        more(&mut out, plan.total, rows[1], "flow api get 'stories?status!=done'");
    } else {
        let agents = &moment.agents;
        title(&mut out, "Agents", agents.total, of);
        let names = column(agents.agents.iter().map(|agent| agent.id.as_str()), MOST_AGENT);
        for agent in agents.agents.iter().take(rows[1]) {
            agent_row(&mut out, agent, names, frame);
        }
        more(&mut out, agents.total, rows[1], "flow api get agents");
    }
    let Some(activity) = &moment.activity else {
        line(&mut out, "", frame.size.width);
        line(
            &mut out,
            "Changes are recorded while a server runs: flow api start",
            frame.size.width,
        );
        return out.0;
    };
    title(&mut out, "Changes", activity.total, Scope::All);
    let ids = column(activity.activity.iter().map(|change| change.id.as_str()), MOST_ID);
    for change in activity.activity.iter().take(rows[2]) {
        change_row(&mut out, change, ids, frame);
    }
    more(&mut out, activity.total, rows[2], "flow api get activity");
    out.0
}

/// What a count of rows is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope {
    All,
    /// Some files or records may not be read as meant, so that zero may be wrong.
    WhatWasRead,
}

/// What may not be read as meant: the lines of its sentences.
fn caveats(moment: &Moment, frame: Frame<'_>) -> Vec<String> {
    let of_file = |unread: &Unread| {
        let version = unread.loaded_at.as_deref().map(|loaded_at| ago(loaded_at, frame));
        unread.sentence(version.as_deref())
    };
    let caveats = &moment.caveats;
    let see = |sentence: String| format!("{sentence}: flow doctor");
    let sentences = caveats.unread.iter().map(of_file).chain(caveats.of_records().map(see));
    let lines = sentences.map(|sentence| wrapped(&escape(&sentence), 0, frame.size.width));
    lines.flat_map(|lines| lines.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// How long ago something was; the time itself, if that is unknown.
fn ago(time: &str, frame: Frame<'_>) -> String {
    match age(Some(time), frame.now).as_str() {
        "" => time.to_owned(),
        age => format!("{age} ago"),
    }
}

/// The plans that are exports, each with its age.
fn exports(moment: &Moment, frame: Frame<'_>) -> Vec<String> {
    let line = |(name, source): (&String, &Source)| {
        let exported = ago(source.exported_at.as_deref()?, frame);
        Some(format!("{}: exported {exported} ({})", escape(name), escape(&source.path)))
    };
    moment.health.sources.iter().filter_map(line).collect()
}

/// Number of rows of each section.
fn rows(moment: &Moment, frame: Frame<'_>, caveats: usize) -> [usize; 3] {
    let wanted = [
        moment.attention.items.len(),
        moment.plan.as_ref().map_or(moment.agents.agents.len(), |plan| plan.stories.len()),
        moment.activity.as_ref().map_or(0, |activity| activity.activity.len()),
    ];
    if frame.is_filtered {
        return wanted;
    }
    shares(wanted, frame.size, caveats)
}

/// Number of rows of each section of those that it has: all if they fit, else what the others leave, with priority in the order
/// of the sections.
pub(super) fn shares(wanted: [usize; 3], size: Size, caveats: usize) -> [usize; 3] {
    let Some(height) = size.height else { return wanted.map(|count| count.min(ROWS)) };
    let mut left = height.saturating_sub(FRAME + caveats).max(3 * FEWEST_ROWS);
    let mut given = wanted.map(|count| count.min(FEWEST_ROWS));
    left = left.saturating_sub(given.iter().sum());
    // A third each at first, so that many rows of one section do not displace the others; then whatever is left.
    for share in [left / 3, left] {
        for (given, wanted) in given.iter_mut().zip(wanted) {
            let added = (wanted - *given).min(share).min(left);
            *given += added;
            left -= added;
        }
    }
    given
}

/// So many items, in order, that many of one kind do not displace the others: the first of each, then the second.
pub(super) fn of_each<T>(items: &[T], kind: impl Fn(&T) -> &str, most: usize) -> Vec<&T> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let count = counts.entry(kind(item)).or_default();
        *count += 1;
        places.push((*count, at));
    }
    places.sort_unstable();
    places.truncate(most);
    places.sort_unstable_by_key(|(_, at)| *at);
    places.into_iter().map(|(_, at)| &items[at]).collect()
}

fn head(out: &mut Lines, moment: &Moment, frame: Frame<'_>) {
    let health = &moment.health;
    let style = if health.status == "ok" { GREEN } else { YELLOW };
    let (project, status) = (escape(&health.project), escape(&health.status));
    let head = Head {
        plain: format!("flow / {project}  {status}"),
        styled: format!("{BOLD}flow / {project}{BOLD:#}  {style}{status}{style:#}"),
    };
    head_line(out, &head, [&escape(&moment.counts.line()), frame.origin], frame.size.width);
}

/// The beginning of the first line.
pub(super) struct Head {
    pub(super) plain: String,
    /// The same with its styles.
    pub(super) styled: String,
}

/// The first line, in two if it is too long: what is shown, the counts, and where they are from.
pub(super) fn head_line(out: &mut Lines, head: &Head, texts: [&str; 2], width: usize) {
    let long = texts.iter().map(|text| text.chars().count() + 2).sum::<usize>();
    if long + head.plain.chars().count() > width {
        out.push(format!("{BOLD}{}{BOLD:#}", cut(&head.plain, width)));
        return line(out, &texts.join("  "), width);
    }
    let [counts, origin] = texts;
    let origin = if origin.is_empty() { String::new() } else { format!("  {DIM}{origin}{DIM:#}") };
    out.push(format!("{}  {counts}{origin}", head.styled));
}

pub(super) fn title(out: &mut Lines, name: &str, count: usize, of: Scope) {
    let of = match of {
        Scope::WhatWasRead if count == 0 => " in what could be read",
        _ => "",
    };
    out.push(String::new());
    out.push(format!("{BOLD}{name}{BOLD:#}  {count}{of}"));
}

pub(super) fn more(out: &mut Lines, count: usize, shown: usize, command: &str) {
    if count > shown {
        out.push(format!("  {DIM}{} more: {command}{DIM:#}", count - shown));
    }
}

pub(super) fn line(out: &mut Lines, text: &str, width: usize) {
    out.push(cut(text, width).trim_end().to_owned());
}

/// Width of a column of ids or names.
pub(super) fn column<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(|text| escape(text).chars().count()).max().unwrap_or_default().min(most)
}

/// The mark and colour of a kind of item.
fn looks(kind: &str) -> (char, Style) {
    match kind {
        "task_failed" | "session_gone" => ('x', RED),
        "task_blocked" | "story_blocked" => ('#', YELLOW),
        "question_unanswered" => ('?', YELLOW),
        "session_silent" => ('~', YELLOW),
        "plan_weakened" => ('-', RED),
        "plan_contradiction" => ('/', RED),
        "reopened" => ('<', YELLOW),
        "overlap" => ('&', YELLOW),
        "source_degraded" => ('!', RED),
        "dependency_cycle" => ('@', YELLOW),
        _ => ('!', YELLOW),
    }
}

pub(super) fn item_row(out: &mut Lines, item: &Item, ids: usize, frame: Frame<'_>) {
    let (mark, style) = looks(&item.kind);
    let word = colored(&escape(&item.label), style);
    let id = fit(&escape(item.id()), ids);
    let title = escape(item.title.as_deref().unwrap_or_default());
    let reason = escape(&item.reason);
    let agent = escape(item.agent.as_deref().unwrap_or_default());
    let texts = texts(&title, &reason, ids + WORD + 2, &agent, frame);
    let age = age(item.since.as_deref(), frame.now);
    out.row(item.id(), &format!("{style}{mark}{style:#} {word} {id} {texts} {age:>AGE$}"));
}

/// A word in its column, with the blanks behind it outside of the colour, so that a row's end can be cut off.
fn colored(word: &str, style: Style) -> String {
    let column = fit(word, WORD);
    let word = column.trim_end();
    format!("{style}{word}{style:#}{}", &column[word.len()..])
}

/// The middle of a row: title and reason, on a wide output in separate columns and with an agent.
fn texts(title: &str, reason: &str, before: usize, agent: &str, frame: Frame<'_>) -> String {
    // The blanks before the row, before the id, before the texts and before the age.
    let left = frame.size.width.saturating_sub(before + AGE + 4);
    let both = [title, reason].into_iter().filter(|text| !text.is_empty());
    let both = both.collect::<Vec<_>>().join(": ");
    if frame.size.width < WITH_AGENT {
        return fit(&both, left);
    }
    let left = left.saturating_sub(MOST_AGENT + 2);
    let agent = fit(agent, MOST_AGENT);
    if frame.size.width < IN_COLUMNS || title.is_empty() || reason.is_empty() {
        return format!("{}  {agent}", fit(&both, left));
    }
    let half = left / 2;
    format!("{} {}  {agent}", fit(title, half), fit(reason, left.saturating_sub(half + 1)))
}

pub(super) fn agent_row(out: &mut Lines, agent: &Agent, names: usize, frame: Frame<'_>) {
    let tasks = &agent.tasks;
    let style = match agent.state.as_str() {
        "failed" => RED,
        "blocked" | "asked" => YELLOW,
        "waiting" => Style::new(),
        "idle" | "no work" => DIM,
        _ => GREEN,
    };
    let mut parts: Vec<String> = Vec::new();
    if let Some(doing) = &agent.doing {
        let what = doing.title.as_deref().unwrap_or(&doing.id);
        let time = match age(doing.since.as_deref(), frame.now).as_str() {
            "" => String::new(),
            age => format!(" for {age}"),
        };
        let more = if agent.more > 0 { format!(", {} more", agent.more) } else { String::new() };
        parts.push(format!("{}{time}{more}", escape(what)));
    }
    let counts = [
        (tasks.waiting.len(), "waiting"),
        (tasks.blocked.len(), "blocked"),
        (tasks.failed.len(), "failed"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    parts.extend(counts.map(|(count, word)| format!("{count} {word}")));
    if let Some(said) = &agent.last_message {
        let about = said.story_id.as_deref().map(|id| format!(" on {}", escape(id)));
        let about = about.unwrap_or_default();
        parts.push(match said.text.as_deref() {
            Some(text) => format!("said{about}: {}", escape(text)),
            None => format!("wrote{about}"),
        });
    }
    let left = frame.size.width.saturating_sub(names + WORD + AGE + 4);
    let text = fit(&parts.join(", "), left);
    let age = age(agent.last_seen_at.as_deref(), frame.now);
    let word = colored(&escape(&agent.state), style);
    let doing = agent.doing.as_ref().map(|doing| doing.id.as_str());
    let about = agent.last_message.as_ref().and_then(|said| said.story_id.as_deref());
    let id = doing.or(about).unwrap_or_default();
    out.row(id, &format!("{} {word} {text} {age:>AGE$}", fit(&escape(&agent.id), names)));
}

/// A story of a plan: its progress, or its status if it has no tasks.
fn story_row(out: &mut Lines, story: &Story, ids: usize, frame: Frame<'_>) {
    let status = story.status.as_deref().unwrap_or_default();
    let progress = match story.tasks_total {
        Some(total) => format!("{} of {total}", story.tasks_completed),
        None => escape(status),
    };
    let style = if status == "in-progress" { GREEN } else { Style::new() };
    let left = frame.size.width.saturating_sub(ids + PROGRESS + 3);
    let title = fit(&escape(story.title.as_deref().unwrap_or_default()), left);
    let (id, progress) = (fit(&escape(&story.id), ids), fit(&progress, PROGRESS));
    out.row(&story.id, &format!("{id} {style}{progress}{style:#} {title}"));
}

fn change_row(out: &mut Lines, change: &Change, ids: usize, frame: Frame<'_>) {
    // The summary of a whole record has its title.
    let title = change.title.as_deref().filter(|title| !change.summary.contains(title));
    let title = title.map(|title| format!("  {}", escape(title)));
    let left = frame.size.width.saturating_sub(ids + AGE + 3);
    let text = fit(&format!("{}{}", escape(&change.summary), title.unwrap_or_default()), left);
    let id = fit(&escape(&change.id), ids);
    let age = age(Some(&change.at), frame.now);
    out.row(&change.id, &format!("{id} {text} {age:>AGE$}"));
}

/// The time since then, in the largest unit; empty for a time that is unreadable or in the future.
fn age(since: Option<&str>, now: i64) -> String {
    let since = since.and_then(|text| time::parse(text, Edge::Start));
    let Some(seconds) = since.map(|since| now.saturating_sub(since) / SECOND) else {
        return String::new();
    };
    match seconds {
        ..0 => String::new(),
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_short() {
        let now = time::parse("2026-03-11T09:30:00Z", Edge::Start).unwrap();
        let aged = |text| age(Some(text), now);
        assert_eq!(aged("2026-03-11T09:29:59Z"), "1 s");
        assert_eq!(aged("2026-03-11T09:00:01Z"), "29 min");
        assert_eq!(aged("2026-03-10T09:30:00Z"), "1 d");
        assert_eq!(aged("2026-03-10T09:30:01Z"), "23 h");
        assert_eq!(aged("2026-03-12T09:30:01Z"), "");
        assert_eq!(aged("yesterday"), "");
    }
}
