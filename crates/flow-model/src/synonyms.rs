//! Statuses and states with the meaning of another word, for the records of one format of a plan only.

use std::collections::HashMap;

use super::kind::Kind;

/// The meanings of words, by the kind of record and the format.
#[derive(Debug, Clone, Default)]
pub struct Synonyms(HashMap<Word, String>);

/// A word of a format, in its canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Word {
    noun: &'static str,
    format: String,
    text: String,
}

impl Synonyms {
    /// Adds a word of records of this kind in a format, and its meaning, both in their canonical spelling.
    pub fn add(&mut self, kind: Kind, format: &str, word: String, meaning: String) {
        let word = Word { noun: kind.noun(), format: format.to_owned(), text: word };
        self.0.insert(word, meaning);
    }

    /// All of them: the noun of the kind, the format, the word and its meaning.
    pub fn all(&self) -> Vec<[String; 4]> {
        let row = |(word, meaning): (&Word, &String)| {
            [word.noun.to_owned(), word.format.clone(), word.text.clone(), meaning.clone()]
        };
        self.0.iter().map(row).collect()
    }

    /// The synonyms that [`Synonyms::all`] gave.
    pub fn of(rows: Vec<[String; 4]>) -> Self {
        let mut synonyms = Self::default();
        for [noun, format, word, meaning] in rows {
            if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.noun() == noun) {
                synonyms.add(kind, &format, word, meaning);
            }
        }
        synonyms
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a word means in records of this kind in a format, if it is not the word itself.
    pub fn meaning(&self, kind: Kind, format: &str, word: &str) -> Option<&str> {
        let word = Word { noun: kind.noun(), format: format.to_owned(), text: word.to_owned() };
        self.0.get(&word).map(String::as_str)
    }
}
