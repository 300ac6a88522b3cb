//! Splits SQL into statements, considering quotes, dollar quotes, comments, rows of COPY, and the commands of client programs
//! (`DELIMITER`, `\connect`, `.mode`). It parses nothing; the statements in the body of a trigger of SQLite are some of the
//! text.

use crate::data::SqlDialect;

/// A version that no server has: a conditional comment with it is a message to the client.
const NEVER: u32 = 999_999;

/// A statement without its comments and without the semicolon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) text: String,
    /// Its first line, from 1.
    pub(super) line: usize,
}

impl Statement {
    pub(super) fn head(&self) -> Vec<String> {
        let words = self.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| !word.is_empty()).take(12).map(str::to_uppercase).collect()
    }
}

/// The statements of a text, and the number of lines that were commands of a client program.
pub(super) fn split(text: &str, dialect: Option<SqlDialect>) -> (Vec<Statement>, usize) {
    let current = Statement { line: 1, ..Statement::default() };
    let delimiter = ";".to_owned();
    let mut splitter =
        Splitter { rest: text, dialect, line: 1, delimiter, current, ..Splitter::default() };
    splitter.run();
    (splitter.statements, splitter.commands)
}

#[derive(Default)]
struct Splitter<'a> {
    rest: &'a str,
    dialect: Option<SqlDialect>,
    line: usize,
    delimiter: String,
    current: Statement,
    word: String,
    statements: Vec<Statement>,
    commands: usize,
}

impl Splitter<'_> {
    fn run(&mut self) {
        let mut is_line_start = true;
        while let Some(c) = self.rest.chars().next() {
            if is_line_start && self.current.text.is_empty() && self.command() {
                continue;
            }
            is_line_start = (is_line_start && c.is_whitespace()) || c == '\n';
            self.step(c);
        }
        self.end();
    }

    fn step(&mut self, c: char) {
        let is_mysql = self.dialect == Some(SqlDialect::MySql);
        if self.rest.starts_with(self.delimiter.as_str()) {
            let length = self.delimiter.len();
            self.skip(length);
            self.end();
            return;
        }
        match c {
            '-' if self.rest.starts_with("--") => self.skip_line(),
            '#' if is_mysql => self.skip_line(),
            '/' if self.rest.starts_with("/*") => self.comment(),
            // The end of a conditional comment, whose content counts.
            '*' if is_mysql && self.rest.starts_with("*/") => self.skip(2),
            '\'' => {
                let escapes = is_mysql || matches!(self.word.as_str(), "E" | "e");
                self.quoted('\'', escapes);
            }
            '"' => self.quoted('"', is_mysql),
            '`' => self.quoted('`', false),
            '[' if self.dialect == Some(SqlDialect::Sqlite) => self.bracketed(),
            '$' if !is_mysql && self.word.is_empty() => self.dollar(),
            _ => {
                if c.is_alphanumeric() || c == '_' {
                    self.word.push(c);
                } else {
                    self.word.clear();
                }
                self.take(c.len_utf8());
            }
        }
    }

    /// Skips a line that a client program interprets itself; true if there was one.
    fn command(&mut self) -> bool {
        let line = self.rest.lines().next().unwrap_or_default();
        let text = line.trim();
        let first = text.split_whitespace().next().unwrap_or_default();
        if first.eq_ignore_ascii_case("DELIMITER") {
            let delimiter = text.split_whitespace().nth(1).unwrap_or(";");
            self.delimiter = delimiter.to_owned();
        } else if !text.starts_with(['\\', '.']) && !text.eq_ignore_ascii_case("go") {
            return false;
        }
        self.commands += 1;
        self.skip_line();
        true
    }

    fn end(&mut self) {
        self.word.clear();
        let statement = std::mem::take(&mut self.current);
        let text = statement.text.trim_end();
        if text.is_empty() {
            return;
        }
        let statement = Statement { text: text.to_owned(), ..statement };
        let head = statement.head();
        let is_copy = head.first().is_some_and(|word| word == "COPY")
            && text.to_ascii_uppercase().contains("FROM STDIN");
        self.statements.push(statement);
        if is_copy {
            self.skip_rows();
        }
    }

    /// Skips the rows of COPY, up to the line `\.`.
    fn skip_rows(&mut self) {
        self.skip_line();
        while !self.rest.is_empty() {
            let is_last = self.rest.lines().next().is_some_and(|line| line.trim_end() == "\\.");
            self.skip_line();
            if is_last {
                return;
            }
        }
    }

    fn comment(&mut self) {
        let is_mysql = self.dialect == Some(SqlDialect::MySql);
        let open = ["/*!", "/*M!"].iter().find_map(|open| self.rest.strip_prefix(open));
        if let Some(after) = open.filter(|_| is_mysql) {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let version = after.get(..digits).and_then(|version| version.parse::<u32>().ok());
            if version.unwrap_or_default() < NEVER {
                self.word.clear();
                self.skip(self.rest.len() - after.len() + digits);
                return;
            }
        }
        let mut depth = 0_usize;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") && (depth == 0 || !is_mysql) {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
                if depth == 0 {
                    break;
                }
            } else {
                let length = self.rest.chars().next().map_or(1, char::len_utf8);
                self.skip(length);
            }
        }
        self.space();
    }

    /// Reads a quoted text, in which a quote is escaped by doubling or possibly by a backslash.
    fn quoted(&mut self, quote: char, escapes: bool) {
        self.word.clear();
        let mut length = quote.len_utf8();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            length = at + c.len_utf8();
            if c == '\\' && escapes {
                length += chars.next().map_or(0, |(_, next)| next.len_utf8());
            } else if c == quote {
                match chars.next_if(|(_, next)| *next == quote) {
                    Some((_, next)) => length += next.len_utf8(),
                    None => break,
                }
            }
        }
        self.take(length);
    }

    fn bracketed(&mut self) {
        self.word.clear();
        self.take(self.rest.find(']').map_or(self.rest.len(), |at| at + 1));
    }

    /// Reads `$tag$ … $tag$`.
    fn dollar(&mut self) {
        let inner = self.rest.get(1..).unwrap_or_default();
        let tag = inner.split_once('$').map(|(tag, _)| tag);
        let is_tag = |tag: &&str| {
            tag.chars().all(|c| c.is_alphanumeric() || c == '_')
                && !tag.starts_with(|c: char| c.is_ascii_digit())
        };
        let Some(tag) = tag.filter(is_tag) else { return self.take(1) };
        let mark = format!("${tag}$");
        let after = self.rest.get(mark.len()..).unwrap_or_default();
        let end = after.find(&mark).map_or(self.rest.len(), |at| at + 2 * mark.len());
        self.take(end);
    }

    /// Appends bytes to the statement.
    fn take(&mut self, length: usize) {
        let (piece, rest) = self.rest.split_at(length.min(self.rest.len()));
        let piece = if self.current.text.is_empty() {
            let text = piece.trim_start();
            let skipped = piece.get(..piece.len() - text.len()).unwrap_or_default();
            self.line += skipped.matches('\n').count();
            self.current.line = self.line;
            text
        } else {
            piece
        };
        self.current.text.push_str(piece);
        self.line += piece.matches('\n').count();
        self.rest = rest;
    }

    /// Skips bytes except for their line breaks.
    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length.min(self.rest.len()));
        let breaks = skipped.matches('\n').count();
        self.line += breaks;
        if !self.current.text.is_empty() {
            self.current.text.extend(std::iter::repeat_n('\n', breaks));
        }
        self.rest = rest;
    }

    fn skip_line(&mut self) {
        self.word.clear();
        self.skip(self.rest.find('\n').map_or(self.rest.len(), |at| at + 1));
        self.space();
    }

    fn space(&mut self) {
        if !self.current.text.is_empty() {
            self.current.text.push(' ');
        }
    }
}
