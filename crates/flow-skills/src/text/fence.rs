//! Blocks of code in Markdown: writing one, and which lines of a text are in one.

/// A text as a block of code, whose marks are longer than any backticks in it.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let mark = "`".repeat(3.max(longest + 1));
    format!("{mark}{language}\n{}\n{mark}", text.trim_end_matches('\n'))
}

/// Follows the blocks of code of a text, line by line.
#[derive(Debug, Default)]
pub(crate) struct Fence {
    /// Backticks of the mark that began the block, which at least as many end; 0 outside of a block.
    length: usize,
}

impl Fence {
    /// Takes the next line. Whether it is in a block, or is the mark that begins or ends one.
    pub(crate) fn holds(&mut self, line: &str) -> bool {
        let line = line.trim();
        let behind = line.trim_start_matches('`');
        let length = line.len() - behind.len();
        if self.is_open() {
            if behind.is_empty() && length >= self.length {
                self.length = 0;
            }
            return true;
        }
        // With another backtick on its line, it is a code span.
        if length < 3 || behind.contains('`') {
            return false;
        }
        self.length = length;
        true
    }

    /// Whether the lines that follow are in a block.
    pub(crate) fn is_open(&self) -> bool {
        self.length > 0
    }
}
