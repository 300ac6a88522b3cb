//! The line of each piece of a text.

/// Where the lines of a text end.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Of a text.
    pub fn of(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at);
        Self { text, ends: ends.collect() }
    }

    /// The line, from 1, on which a piece of the text begins.
    pub fn line_of(&self, piece: &str) -> u64 {
        let at = (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.ends.partition_point(|end| *end < at) as u64 + 1
    }
}
