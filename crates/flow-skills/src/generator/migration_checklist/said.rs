//! A move of data as one would say it: `move users and orders from MySQL 5.7 to PostgreSQL 16 with dual writes`.

use indexmap::IndexSet;

/// What a sentence says of a move.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) tables: Vec<String>,
    pub(super) strategy: Option<&'static str>,
    pub(super) window: Option<String>,
}

const VERBS: [&str; 9] = [
    "move ",
    "moving ",
    "migrate ",
    "migrating ",
    "copy ",
    "transfer ",
    "port ",
    "switch ",
    "upgrade ",
];
const STRATEGIES: [(&str, &str); 14] = [
    ("dual write", "dual-write"),
    ("dual-write", "dual-write"),
    ("double write", "dual-write"),
    ("write to both", "dual-write"),
    ("writing to both", "dual-write"),
    ("phased", "phased"),
    ("in phases", "phased"),
    ("table by table", "phased"),
    ("step by step", "phased"),
    ("gradually", "phased"),
    ("blue-green", "blue-green"),
    ("blue green", "blue-green"),
    ("big-bang", "big-bang"),
    ("big bang", "big-bang"),
];
/// More words for all at once.
const AT_ONCE: [&str; 2] = ["in one go", "all at once"];
/// What begins the time of a move.
const TIMES: [&str; 14] = [
    "during ",
    "over the weekend",
    "at night",
    "tonight",
    "next ",
    "at midnight",
    "on monday",
    "on tuesday",
    "on wednesday",
    "on thursday",
    "on friday",
    "on saturday",
    "on sunday",
    "on the ",
];
/// What ends the name of a place.
const ENDS: [&str; 14] = [
    ",",
    ";",
    ". ",
    "\n",
    " with ",
    " using ",
    " by ",
    " via ",
    " without ",
    " as a ",
    " in a ",
    " and then ",
    " then ",
    " while ",
];
/// Words of a list of tables that name none.
const EMPTY: [&str; 18] = [
    "the",
    "a",
    "an",
    "all",
    "our",
    "its",
    "every",
    "table",
    "tables",
    "data",
    "rows",
    "of",
    "database",
    "databases",
    "everything",
    "records",
    "collection",
    "collections",
];

/// Reads a sentence or several.
pub(super) fn read(text: &str) -> Said {
    let text = text.trim().trim_end_matches('.');
    // Same length in bytes, so that places in one are places in the other.
    let lower = text.to_ascii_lowercase();
    let verb = VERBS.iter().filter_map(|verb| Some(word(&lower, verb)? + verb.len())).min();
    let from = word(&lower, "from ");
    let to = from.and_then(|from| after(&lower, from, " to ")).or_else(|| lower.find(" to "));
    let place = |at: usize| name(text, &lower, at);
    let mut said = Said {
        from: from.and_then(|at| place(at + 5)),
        to: to.and_then(|at| place(at + 4)),
        strategy: strategy(&lower),
        window: window(text, &lower),
        ..Said::default()
    };
    let things = verb.zip(from.into_iter().chain(to).min());
    let things = things.and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    if said.from.is_none() && said.to.is_some() {
        // "migrate MySQL 5.7 to PostgreSQL 16" names no table.
        said.from = Some(things.trim().to_owned()).filter(|name| !name.is_empty());
    } else {
        said.tables = tables(things);
    }
    said
}

/// Where a word begins that stands at the start or behind a blank.
fn word(lower: &str, word: &str) -> Option<usize> {
    if lower.starts_with(word) {
        return Some(0);
    }
    lower.find(&format!(" {word}")).map(|at| at + 1)
}

fn after(lower: &str, start: usize, phrase: &str) -> Option<usize> {
    lower.get(start..)?.find(phrase).map(|at| at + start)
}

/// The name of a place that begins at `at`, up to what cannot be of it.
fn name(text: &str, lower: &str, at: usize) -> Option<String> {
    let rest = lower.get(at..)?;
    let words = STRATEGIES.iter().map(|(word, _)| *word).chain(AT_ONCE).chain(TIMES);
    let ends = words.filter_map(|word| rest.find(&format!(" {word}")));
    let ends = ends.chain(ENDS.iter().filter_map(|end| rest.find(end)));
    let ends = ends.chain(rest.find(" from ")).chain(rest.find(" to "));
    let end = ends.min().unwrap_or(rest.len());
    let name = text.get(at..at + end)?.trim();
    let name =
        ["the ", "a ", "our "].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    (!name.is_empty()).then(|| name.to_owned())
}

fn strategy(lower: &str) -> Option<&'static str> {
    if AT_ONCE.iter().any(|phrase| lower.contains(phrase)) {
        return Some("big-bang");
    }
    STRATEGIES.iter().find(|(word, _)| lower.contains(word)).map(|(_, strategy)| *strategy)
}

fn window(text: &str, lower: &str) -> Option<String> {
    let start = TIMES.iter().filter_map(|word| self::word(lower, word)).min()?;
    let rest = lower.get(start..)?;
    let end = ENDS.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
    text.get(start..start + end).map(|window| window.trim().to_owned())
}

fn tables(things: &str) -> Vec<String> {
    let mut found: IndexSet<String> = IndexSet::new();
    for part in things.split([',', ';', '\n']).flat_map(|part| part.split(" and ")) {
        let words: Vec<&str> = part
            .split_whitespace()
            .filter(|word| *word != "and" && !EMPTY.contains(&word.to_ascii_lowercase().as_str()))
            .collect();
        // `a` is an article, unless nothing else is left: `the tables a, b and c`.
        let last = part.split_whitespace().last().filter(|last| *last == "a");
        let name = if words.is_empty() { last.unwrap_or_default().into() } else { words.join(" ") };
        if !name.is_empty() {
            found.insert(name);
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{Said, read};

    #[test]
    fn ways_of_saying_it() {
        let of = |text: &str| {
            let Said { from, to, tables, strategy, window } = read(text);
            let or = |text: Option<String>| text.unwrap_or_else(|| "-".into());
            let all =
                [or(from), or(to), tables.join("+"), strategy.unwrap_or("-").into(), or(window)];
            all.join("|")
        };
        for (text, wanted) in [
            (
                "move users and orders from MySQL 5.7 to PostgreSQL 16 with dual writes",
                "MySQL 5.7|PostgreSQL 16|users+orders|dual-write|-",
            ),
            ("Migrate MySQL 5.7 to MariaDB 11.", "MySQL 5.7|MariaDB 11||-|-"),
            (
                "We are moving the tables a, b and c to SQLite from the old Oracle table by table on Saturday night, slowly",
                "old Oracle|SQLite|a+b+c|phased|on Saturday night",
            ),
            ("from Redis 6 to Redis 7 all at once", "Redis 6|Redis 7||big-bang|-"),
            ("move all data from A to B using blue green", "A|B||blue-green|-"),
            ("back up everything", "-|-||-|-"),
            ("", "-|-||-|-"),
            ("from ", "-|-||-|-"),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
    }
}
