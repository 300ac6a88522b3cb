//! The sections of a record that are none of a decision's, such as benchmarks: they are kept after the others.

use crate::input::labels;
use crate::input::notation::headings;
use crate::input::typed;

use super::input::Input;

/// A text taken apart before its first section.
#[derive(Debug, PartialEq)]
pub(super) struct Sections {
    /// What stands before.
    pub(super) text: Option<String>,
    /// The sections, with headings of level 2 and below.
    pub(super) others: Option<String>,
}

impl Sections {
    /// Takes the rest of a document apart. A heading that a record has a field for is text here: what it is above is
    /// not the field's.
    pub(super) fn of(text: &str) -> Self {
        let schema = typed::schema_of::<Input>();
        let is_other = |(_, level, name): &(usize, usize, &str)| {
            *level <= 2 && !labels::is_label(&schema, name)
        };
        let at = headings(text).find(is_other).map_or(usize::MAX, |(line, ..)| line - 1);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (line, ..) in headings(text).filter(|(line, level, _)| *level == 1 && *line > at) {
            lines[line - 1] = format!("#{}", lines[line - 1].trim());
        }
        let (before, others) = lines.split_at(at.min(lines.len()));
        let joined = |lines: &[String]| {
            let text = lines.join("\n").trim_matches('\n').to_owned();
            Some(text).filter(|text| !text.trim().is_empty())
        };
        Self { text: joined(before), others: joined(others) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_sections_begin_at_their_heading() {
        let text = "Calls time out.\n\n```\n# no heading\n```\n\n## Decision\n\n# Benchmarks\n\n### Size\n\nx";
        let Sections { text, others } = Sections::of(text);
        assert_eq!(
            text.as_deref(),
            Some("Calls time out.\n\n```\n# no heading\n```\n\n## Decision")
        );
        assert_eq!(others.as_deref(), Some("## Benchmarks\n\n### Size\n\nx"));
        assert_eq!(Sections::of(""), Sections { text: None, others: None });
    }
}
