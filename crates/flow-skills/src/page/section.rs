//! A section of a document as the table of its skill has it: its field, its names, and what stands in it without a text.

use crate::text::plain;

pub(crate) const LEVEL: usize = 2;

#[derive(Debug)]
pub(crate) struct Section {
    /// The field of the input that it shows.
    pub(crate) key: &'static str,
    pub(crate) heading: &'static str,
    /// Other names of the field, as labels and as headings.
    pub(crate) aliases: &'static [&'static str],
    /// Whether it is written without a text too.
    pub(crate) required: bool,
    /// What is written in place of a text, in Markdown.
    pub(crate) blank: &'static str,
}

impl Section {
    /// A section that is always there.
    pub(crate) const fn new(
        key: &'static str,
        heading: &'static str,
        aliases: &'static [&'static str],
        blank: &'static str,
    ) -> Self {
        Self { key, heading, aliases, required: true, blank }
    }

    /// A section that no field of the input gives; a document has it, or one of `others` in its place.
    pub(crate) const fn named(heading: &'static str, others: &'static [&'static str]) -> Self {
        Self::new("", heading, others, "")
    }

    /// A section that is written with a text only.
    pub(crate) const fn optional(
        key: &'static str,
        heading: &'static str,
        aliases: &'static [&'static str],
    ) -> Self {
        Self { key, heading, aliases, required: false, blank: "" }
    }

    /// Whether a name is that of the section: its heading, its field, or an alias.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        let name = plain(name);
        let name = name.trim_matches(['*', ':', ' ']);
        let field = self.key.replace('_', " ");
        let all = [self.heading, &field].into_iter().chain(self.aliases.iter().copied());
        !name.is_empty() && all.into_iter().any(|other| other.eq_ignore_ascii_case(name))
    }
}
