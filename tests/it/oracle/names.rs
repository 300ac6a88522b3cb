//! The members that are read, per kind of record, and the names and words that are known besides: the tables of `names.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A documented member.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Aliases and other spellings that are read, separated by white space.
    pub(crate) others: &'static str,
    /// Names for the same that are not read, separated by white space.
    pub(crate) synonyms: &'static str,
    /// Whether a name that resembles it may stand for it.
    pub(crate) is_resembled: bool,
}

impl Target {
    fn read(line: &'static str) -> Self {
        let (name, all) = line.split_once(':').unwrap();
        let (others, synonyms) = all.split_once('|').unwrap_or((all, ""));
        let known = name.strip_suffix('*');
        Self { name: known.unwrap_or(name), others, synonyms, is_resembled: known.is_none() }
    }
}

/// The lines of a table.
pub(crate) fn table(name: &str) -> &'static str {
    static TABLES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let tables = include_str!("names.txt").split("\n[").skip(1);
        let parts = tables.map(|table| {
            let (head, lines) = table.split_once('\n').unwrap();
            (head.split_once(']').unwrap().0, lines.trim_end())
        });
        parts.collect()
    });
    TABLES[name]
}

/// The members of a collection that are known.
pub(crate) fn targets(collection: &str) -> &'static [Target] {
    static TARGETS: LazyLock<HashMap<&str, Vec<Target>>> = LazyLock::new(|| {
        let all = ["stories", "epics", "tasks", "sessions", "messages"];
        all.map(|name| (name, table(name).lines().map(Target::read).collect())).into()
    });
    &TARGETS[collection]
}

/// Whether a list of names or words has this one.
pub(crate) fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}
