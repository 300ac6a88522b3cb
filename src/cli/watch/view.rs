//! What the keys of `flow watch` change: the selected row, the words that rows must contain, and the record that is explained.

use super::keys::Key;
use super::screen::Line;
use crate::cli::terminal::{cut, plain};
use crate::cli::text::escape;

/// Longest text that rows are searched for, in characters.
const MOST_WORDS: usize = 100;
const KEYS: &str = " j k move   Enter explain   / filter   q quit";
const KEYS_OF_RECORD: &str = " j k scroll   any other key: back";

/// What is shown in place of the rows.
#[derive(Debug, Default)]
enum Mode {
    #[default]
    Rows,
    /// The words are being typed.
    Words,
    /// The lines about a record, from the one at the top.
    Record { lines: Vec<String>, top: usize },
}

/// What the user has done.
#[derive(Debug, Default)]
pub(super) struct View {
    mode: Mode,
    words: String,
    /// The records of the rows that are shown, and the selected one among them.
    records: Vec<String>,
    selected: usize,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    Nothing,
    Quit,
    Explain(String),
}

impl View {
    /// Whether only some rows are shown, so that all must be drawn.
    pub(super) fn is_filtered(&self) -> bool {
        !self.words.is_empty()
    }

    /// Shows what is known of a record.
    pub(super) fn explain(&mut self, text: &str) {
        self.mode = Mode::Record { lines: text.lines().map(str::to_owned).collect(), top: 0 };
    }

    /// Handles a key.
    pub(super) fn press(&mut self, key: Key) -> Request {
        match &mut self.mode {
            Mode::Record { lines, top } => match key {
                Key::Down | Key::Text('j') => *top = (*top + 1).min(lines.len().saturating_sub(1)),
                Key::Up | Key::Text('k') => *top = top.saturating_sub(1),
                _ => self.mode = Mode::Rows,
            },
            Mode::Words => match key {
                Key::Enter | Key::Up | Key::Down => self.mode = Mode::Rows,
                Key::Escape => self.clear(),
                Key::Backspace => drop(self.words.pop()),
                Key::Text(c) if self.words.chars().count() < MOST_WORDS => self.words.push(c),
                Key::Text(_) => {}
            },
            Mode::Rows => return self.press_on_rows(key),
        }
        Request::Nothing
    }

    fn press_on_rows(&mut self, key: Key) -> Request {
        match key {
            Key::Text('q') => return Request::Quit,
            Key::Down | Key::Text('j') => {
                self.selected = (self.selected + 1).min(self.records.len().saturating_sub(1));
            }
            Key::Up | Key::Text('k') => self.selected = self.selected.saturating_sub(1),
            Key::Enter => {
                let record = self.records.get(self.selected).cloned();
                return record.map_or(Request::Nothing, Request::Explain);
            }
            Key::Text('/') => self.mode = Mode::Words,
            Key::Escape => self.clear(),
            _ => {}
        }
        Request::Nothing
    }

    fn clear(&mut self) {
        self.words.clear();
        self.mode = Mode::Rows;
    }

    /// The lines of a screen of this size, the last one about the keys.
    pub(super) fn lines(&mut self, drawn: Vec<Line>, width: usize, height: usize) -> Vec<String> {
        let rows = height.saturating_sub(1);
        let mut lines: Vec<String> = match &self.mode {
            Mode::Record { lines, top } => lines.iter().skip(*top).take(rows).cloned().collect(),
            Mode::Rows | Mode::Words => self.rows(drawn, rows),
        };
        lines.resize(rows, String::new());
        let about = match &self.mode {
            Mode::Record { .. } => KEYS_OF_RECORD.to_owned(),
            Mode::Words => format!(" /{}   Enter keeps it, Esc clears it", escape(&self.words)),
            Mode::Rows if self.is_filtered() => {
                format!("{KEYS}   Esc clears /{}", escape(&self.words))
            }
            Mode::Rows => KEYS.to_owned(),
        };
        lines.push(cut(&about, width));
        lines
    }

    /// The rows that contain the words, the selected one marked; the first `most` lines.
    fn rows(&mut self, drawn: Vec<Line>, most: usize) -> Vec<String> {
        let words = self.words.to_lowercase();
        let is_shown =
            |line: &Line| !line.is_row || plain(&line.text).to_lowercase().contains(&words);
        let mut lines: Vec<Line> = drawn.into_iter().filter(is_shown).take(most).collect();
        let rows =
            || lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.id.clone()?)));
        let (places, records): (Vec<usize>, Vec<String>) = rows().unzip();
        // A record that moved stays selected.
        let before = self.records.get(self.selected);
        if before.is_some() && records.get(self.selected) != before {
            let moved = records.iter().position(|id| Some(id) == before);
            self.selected = moved.unwrap_or(self.selected);
        }
        self.selected = self.selected.min(records.len().saturating_sub(1));
        self.records = records;
        if let Some(place) = places.get(self.selected) {
            lines[*place].text.replace_range(..1, ">");
        }
        lines.into_iter().map(|line| line.text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(ids: &[&str]) -> Vec<Line> {
        let row = |id: &&str| Line {
            is_row: true,
            text: format!(" \u{1b}[1m{id}\u{1b}[0m text"),
            id: Some((*id).to_owned()),
        };
        let title = Line { text: "Agents".to_owned(), ..Line::default() };
        std::iter::once(title).chain(ids.iter().map(row)).collect()
    }

    fn marked(view: &mut View, ids: &[&str]) -> Option<String> {
        let lines = view.lines(drawn(ids), 80, 24);
        lines
            .iter()
            .find_map(|line| line.strip_prefix('>'))
            .map(|line| plain(line).replace(" text", ""))
    }

    #[test]
    fn the_selection_stays_with_its_record_and_within_the_rows() {
        let mut view = View::default();
        assert_eq!(marked(&mut view, &["a", "b", "c"]).as_deref(), Some("a"));
        view.press(Key::Down);
        assert_eq!(marked(&mut view, &["a", "b", "c"]).as_deref(), Some("b"));
        assert_eq!(marked(&mut view, &["c", "a", "b"]).as_deref(), Some("b"));
        assert_eq!(view.press(Key::Enter), Request::Explain("b".to_owned()));
        assert_eq!(marked(&mut view, &["c"]).as_deref(), Some("c"));
        assert_eq!(marked(&mut view, &[]), None);
        assert_eq!(view.press(Key::Enter), Request::Nothing);
    }

    #[test]
    fn words_leave_the_rows_that_contain_them() {
        let mut view = View::default();
        for key in [Key::Text('/'), Key::Text('B'), Key::Text('q'), Key::Backspace, Key::Enter] {
            assert_eq!(view.press(key), Request::Nothing);
        }
        assert_eq!(marked(&mut view, &["abc", "xyz", "bcd"]).as_deref(), Some("abc"));
        assert!(!view.lines(drawn(&["abc", "xyz"]), 80, 24).join("\n").contains("xyz"));
        view.press(Key::Escape);
        assert!(view.lines(drawn(&["abc", "xyz"]), 80, 24).join("\n").contains("xyz"));
        assert_eq!(view.press(Key::Text('q')), Request::Quit);
    }

    #[test]
    fn a_record_is_scrolled_and_left_by_any_other_key() {
        let mut view = View::default();
        view.explain("one\ntwo\nthree");
        for (key, first) in [(Key::Down, "two"), (Key::Up, "one"), (Key::Up, "one")] {
            view.press(key);
            assert_eq!(view.lines(drawn(&["a"]), 80, 24)[0], first);
        }
        assert_eq!(view.press(Key::Text('q')), Request::Nothing);
        assert_eq!(view.lines(drawn(&["a"]), 80, 24)[0], "Agents");
    }
}
