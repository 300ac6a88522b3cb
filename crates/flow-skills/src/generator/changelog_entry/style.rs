//! The style of a changelog's headings.

/// How a heading shows its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Plain,
    /// `[1.2.0]`, with a link definition.
    Defined,
    /// `[1.2.0](https://…)`
    Linked,
}

/// How a heading shows its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Day {
    /// Not at all.
    Absent,
    /// `1.2.0 - 2026-01-31`
    Dashed,
    /// `1.2.0 (2026-01-31)`
    Parentheses,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) label: Label,
    /// The word in front of the version, with its space.
    pub(super) word: &'static str,
    /// The prefix of the number.
    pub(super) prefix: &'static str,
    pub(super) day: Day,
    pub(super) level: usize,
    pub(super) is_underlined: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            label: Label::Defined,
            word: "",
            prefix: "",
            day: Day::Dashed,
            level: 2,
            is_underlined: false,
        }
    }
}

impl Style {
    pub(super) fn heading(&self, text: &str) -> Vec<String> {
        if self.is_underlined {
            let mark = if self.level == 1 { "=" } else { "-" };
            return vec![text.to_owned(), mark.repeat(text.chars().count().max(3))];
        }
        vec![format!("{} {text}", "#".repeat(self.level))]
    }
}
