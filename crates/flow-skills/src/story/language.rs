//! The keywords of Gherkin in its languages.
//!
//! `languages.tsv` has them as Gherkin defines them, a line for each language: its code, then the words for feature,
//! background, rule, scenario, outline, examples, given, when and then, and for "and" and "but", with `|` between
//! words. A step's word has the blank behind it where the language has one. The words are those of Cucumber's
//! `gherkin-languages.json`, whose licence is in `packaging/data-licences`.

use super::scenario::Keyword;
use crate::text::line;

const TABLE: &str = include_str!("languages.tsv");

/// The keywords of a language: its row of the table, without its code.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Language(&'static str);

/// What a keyword with a colon begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Feature,
    Background,
    Rule,
    Scenario,
    Examples,
}

const BLOCKS: [Block; 6] = [
    Block::Feature,
    Block::Background,
    Block::Rule,
    Block::Scenario,
    Block::Scenario,
    Block::Examples,
];

impl Language {
    /// The language with a code.
    pub(super) fn of(code: &str) -> Option<Self> {
        TABLE.lines().find_map(|row| row.strip_prefix(code)?.strip_prefix('\t')).map(Self)
    }

    /// The block that a line begins, and its name.
    pub(super) fn block(self, text: &str) -> Option<(Block, String)> {
        let columns = self.0.split('\t').zip(BLOCKS);
        let mut found =
            columns.flat_map(|(words, block)| words.split('|').map(move |word| (word, block)));
        let rest = |word: &str| text.strip_prefix(word)?.strip_prefix(':');
        found.find_map(|(word, block)| Some((block, line(rest(word)?))))
    }

    /// The keyword and the text of a step; `None` as the keyword for "and" and for `*`.
    pub(super) fn step(self, text: &str) -> Option<(Option<Keyword>, &str)> {
        let kinds = [Some(Keyword::Given), Some(Keyword::When), Some(Keyword::Then), None];
        let columns = self.0.split('\t').skip(BLOCKS.len()).zip(kinds);
        let words =
            columns.flat_map(|(words, kind)| words.split('|').map(move |word| (word, kind)));
        // One word may be the beginning of another; the longest is meant.
        let (word, kind) =
            words.filter(|(word, _)| text.starts_with(word)).max_by_key(|(word, _)| word.len())?;
        Some((kind.filter(|_| word != "* "), text[word.len()..].trim()))
    }
}
