//! Sentences about parts as arrows: `The browser talks to the api, which reads the orders from the database.`

/// An arrow in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) label: String,
}

/// What one part does to another, and the word that parts a thing from the other part: `sends a mail to the user`.
const VERBS: [(&str, &[&str]); 40] = [
    ("talks to", &[]),
    ("talk to", &[]),
    ("speaks to", &[]),
    ("connects to", &[]),
    ("connect to", &[]),
    ("depends on", &[]),
    ("depend on", &[]),
    ("leads to", &[]),
    ("goes to", &[]),
    ("points to", &[]),
    ("subscribes to", &[]),
    ("listens to", &[]),
    ("belongs to", &[]),
    ("waits for", &[]),
    ("calls", &[]),
    ("call", &[]),
    ("uses", &[]),
    ("use", &[]),
    ("queries", &[]),
    ("notifies", &[]),
    ("triggers", &[]),
    ("starts", &[]),
    ("opens", &[]),
    ("asks", &[]),
    ("pays", &[]),
    ("sends", &["to"]),
    ("send", &["to"]),
    ("writes", &["to", "into"]),
    ("write", &["to", "into"]),
    ("reads", &["from"]),
    ("read", &["from"]),
    ("stores", &["in"]),
    ("saves", &["in", "to"]),
    ("puts", &["in", "into", "on"]),
    ("publishes", &["to", "on"]),
    ("gets", &["from"]),
    ("fetches", &["from"]),
    ("takes", &["from"]),
    ("returns", &["to"]),
    ("forwards", &["to"]),
];
const ARTICLES: [&str; 6] = ["the ", "a ", "an ", "then ", "our ", "it "];
/// Largest text that is read as sentences, in bytes.
const LARGEST: usize = 64 << 10;
/// Longest name of a part, in words.
const LONGEST: usize = 6;

/// How a clause hangs on the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// It begins anew.
    New,
    /// Its subject is the part that the one before ended at.
    Which,
    /// Its subject is that of the one before.
    And,
}

/// The arrows of a text, in its order; none where a sentence says none.
pub(super) fn arrows(text: &str) -> Vec<Arrow> {
    let mut found: Vec<Arrow> = Vec::new();
    if text.len() > LARGEST {
        return found;
    }
    let ends = text.split(['\n', ';']).flat_map(|part| part.split(". "));
    for sentence in ends.map(|part| part.trim().trim_end_matches('.')) {
        let mut is_first = true;
        for (link, clause) in clauses(sentence) {
            let before = if is_first { None } else { found.last() };
            let arrow = clause_arrow(link, clause, before);
            is_first &= arrow.is_none();
            found.extend(arrow);
        }
    }
    found
}

fn clauses(sentence: &str) -> Vec<(Link, &str)> {
    const LINKS: [(&str, Link); 7] = [
        (", which ", Link::Which),
        (" which ", Link::Which),
        (" that ", Link::Which),
        (", and ", Link::And),
        (", then ", Link::And),
        (" and ", Link::And),
        (", ", Link::And),
    ];
    let mut found = Vec::new();
    let (mut link, mut rest) = (Link::New, sentence);
    loop {
        let next =
            LINKS.iter().filter_map(|(word, link)| Some((rest.find(word)?, word.len(), *link)));
        let next = next.min_by_key(|(at, length, _)| (*at, usize::MAX - length));
        let (clause, more) = match next {
            Some((at, length, kind)) => (&rest[..at], Some((kind, &rest[at + length..]))),
            None => (rest, None),
        };
        found.push((link, clause.trim()));
        match more {
            Some(next) => (link, rest) = next,
            None => return found,
        }
    }
}

fn clause_arrow(link: Link, clause: &str, before: Option<&Arrow>) -> Option<Arrow> {
    let lower = clause.to_ascii_lowercase();
    let padded = format!(" {lower} ");
    let found = VERBS.iter().filter_map(|(verb, parts)| {
        padded.find(&format!(" {verb} ")).map(|at| (at, verb.len(), *verb, *parts))
    });
    let Some((at, length, verb, parts)) =
        found.min_by_key(|(at, length, ..)| (*at, usize::MAX - length))
    else {
        // "talks to the api and the cache"
        let before = before.filter(|_| link == Link::And)?;
        let to = name(clause)?;
        return Some(Arrow { from: before.from.clone(), to, label: before.label.clone() });
    };
    let subject = name(clause.get(..at.saturating_sub(1))?);
    let from = match (subject, link, before) {
        (Some(subject), ..) => subject,
        (None, Link::Which, Some(before)) => before.to.clone(),
        (None, Link::And, Some(before)) => before.from.clone(),
        _ => return None,
    };
    let rest = clause.get(at + length..)?.trim();
    let split = parts.iter().find_map(|part| {
        let rest_lower = rest.to_ascii_lowercase();
        if let Some(bare) = rest_lower.strip_prefix(&format!("{part} ")) {
            return Some((format!("{verb} {part}"), rest.get(rest.len() - bare.len()..)?));
        }
        let place = rest_lower.find(&format!(" {part} "))?;
        Some((format!("{verb} {}", rest.get(..place)?), rest.get(place + part.len() + 2..)?))
    });
    let (label, to) = split.unwrap_or_else(|| (verb.to_owned(), rest));
    Some(Arrow { from, to: name(to)?, label })
}

/// A part's name without an article.
fn name(text: &str) -> Option<String> {
    let mut text = text.trim().trim_matches(['"', ',']);
    while let Some(article) = ARTICLES
        .iter()
        .find(|word| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
    {
        text = text.get(article.len()..)?.trim();
    }
    let words = text.split_whitespace().count();
    let is_pronoun =
        ["it", "that", "which", "who"].iter().any(|word| text.eq_ignore_ascii_case(word));
    ((1..=LONGEST).contains(&words) && !is_pronoun).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::arrows;

    #[test]
    fn sentences_are_arrows() {
        let of = |text: &str| {
            let all: Vec<String> = arrows(text)
                .into_iter()
                .map(|arrow| format!("{}>{}:{}", arrow.from, arrow.to, arrow.label))
                .collect();
            all.join("; ")
        };
        for (text, wanted) in [
            (
                "The browser talks to the api, which reads the database",
                "browser>api:talks to; api>database:reads",
            ),
            (
                "A shop sends an order to the till and writes it to the log. The till calls the bank, then notifies the shopper.",
                "shop>till:sends an order; shop>log:writes it; till>bank:calls; till>shopper:notifies",
            ),
            ("The api uses the cache and the queue", "api>cache:uses; api>queue:uses"),
            ("which reads the database", ""),
            (
                "The Straße calls 日本 and reads Ärger from Übung",
                "Straße>日本:calls; Straße>Übung:reads Ärger",
            ),
            ("nothing at all", ""),
            ("", ""),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
    }
}
