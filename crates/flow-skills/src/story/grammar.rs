//! English grammar for stories: a phrase in the first person rewritten in the third, articles and plurals.

use super::pattern;

const MODALS: &[&str] = &[
    "can", "could", "may", "might", "must", "shall", "should", "will", "would", "cannot", "can't",
    "won't", "never", "always", "did", "had", "got", "was", "were", "knew", "no",
];
/// Words that show that the word before them is a verb, though an "and" precedes it.
const ARTICLES: &[&str] = &["a", "an", "the", "my", "our", "their", "its"];

/// Whether a role is plural: `shoppers`, `people`.
pub fn is_plural(role: &str) -> bool {
    let head = role.split([' ', ',']).next().unwrap_or_default().to_lowercase();
    let last =
        role.split(" with ").next().unwrap_or_default().split(" of ").next().unwrap_or_default();
    let noun = last.rsplit(' ').next().unwrap_or_default().to_lowercase();
    matches!(noun.as_str(), "people" | "staff" | "everyone")
        || (noun.ends_with('s')
            && !noun.ends_with("ss")
            && !noun.ends_with("us")
            && !noun.ends_with("is")
            && !noun.ends_with("ics")
            && head != "each")
}

/// The article of a role: `a`, `an`, or none for a plural.
pub fn article(role: &str) -> &'static str {
    let lower = role.to_lowercase();
    let is_a = ["uni", "use", "usa", "uti", "eu", "one", "once", "ur"]
        .iter()
        .any(|head| lower.starts_with(head));
    let is_an = ["hour", "honest", "heir", "hr "].iter().any(|head| lower.starts_with(head));
    if is_plural(role) {
        ""
    } else if is_an || (!is_a && lower.starts_with(['a', 'e', 'i', 'o', 'u'])) {
        "an "
    } else {
        "a "
    }
}

/// A phrase with first-person pronouns replaced by third-person ones.
pub fn person(phrase: &str) -> String {
    let words: Vec<String> = phrase.split(' ').map(pronoun).collect();
    words.join(" ").replace("they am ", "they are ")
}

fn pronoun(word: &str) -> String {
    let core = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    let third = match core.to_lowercase().replace('’', "'").as_str() {
        "i" | "we" => "they",
        "my" | "our" => "their",
        "mine" | "ours" => "theirs",
        "me" | "us" if core != "US" => "them",
        "myself" | "ourselves" => "themselves",
        "i'm" | "we're" => "they are",
        "i've" | "we've" => "they have",
        "i'll" | "we'll" => "they will",
        "i'd" | "we'd" => "they would",
        _ => return word.to_owned(),
    };
    word.replacen(core, third, 1)
}

/// An action in the third person: `reset my password` → `resets their password`.
pub fn third(action: &str, plural: bool) -> String {
    let mut words: Vec<String> = person(action).split(' ').map(str::to_owned).collect();
    let negated = words.first().is_some_and(|word| word == "not");
    if negated {
        if plural { "do not" } else { "does not" }.clone_into(&mut words[0]);
        return words.join(" ");
    }
    let verb = words
        .iter()
        .position(|word| !word.ends_with("ly") || word == "apply" || word == "reply")
        .unwrap_or(0);
    let mut starts = vec![verb];
    starts.extend((verb + 2..words.len()).filter(|at| {
        matches!(words[at - 1].as_str(), "and" | "or")
            && pattern::is_verb(&words[*at])
            && !words[*at].ends_with('s')
            && words
                .get(at + 1)
                .is_none_or(|next| ARTICLES.contains(&next.as_str()) || *at == verb + 2)
    }));
    for at in starts {
        words[at] = conjugated(&words[at], plural);
    }
    words.join(" ")
}

/// A clause in the first person, rewritten for a subject: `I can get in` → `the shopper can get in`.
pub fn clause(text: &str, who: &str, plural: bool) -> String {
    let Some(rest) = crate::text::after(text, &["i ", "we "]) else { return person(text) };
    let (verb, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let tail = person(tail);
    format!("{who} {} {tail}", conjugated(verb, plural)).trim_end().to_owned()
}

fn conjugated(verb: &str, plural: bool) -> String {
    let core = verb.trim_end_matches([',', ';']);
    let tail = &verb[core.len()..];
    let third = match core.to_lowercase().as_str() {
        "am" | "be" | "are" => if plural { "are" } else { "is" }.to_owned(),
        _ if plural => core.to_owned(),
        "have" => "has".to_owned(),
        "do" | "go" => format!("{core}es"),
        "don't" => "doesn't".to_owned(),
        lower if MODALS.contains(&lower) || !lower.is_ascii() => core.to_owned(),
        lower if ["s", "x", "z", "ch", "sh"].iter().any(|end| lower.ends_with(end)) => {
            format!("{core}es")
        }
        lower => match lower.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => {
                format!("{}ies", &core[..core.len() - 1])
            }
            _ if lower.ends_with(|c: char| c.is_ascii_alphabetic()) => format!("{core}s"),
            _ => core.to_owned(),
        },
    };
    third + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_person_reads_well() {
        for (action, expected) in [
            ("reset my password", "resets their password"),
            ("quickly find what I need", "quickly finds what they need"),
            ("be told when it fails", "is told when it fails"),
            ("try it", "tries it"),
            ("pay by card", "pays by card"),
            ("create and share a list", "creates and shares a list"),
            ("see terms and orders", "sees terms and orders"),
            ("not receive mail", "does not receive mail"),
        ] {
            assert_eq!(third(action, false), expected);
        }
        assert_eq!(third("edit our team", true), "edit their team");
        assert_eq!(
            clause("I can get back in", "the shopper", false),
            "the shopper can get back in"
        );
        assert_eq!(
            clause("I know my balance", "the shopper", false),
            "the shopper knows their balance"
        );
        assert_eq!(clause("orders reach me", "the shopper", false), "orders reach them");
        assert_eq!(
            [article("admin"), article("user"), article("users"), article("boss")],
            ["an ", "a ", "", "a "]
        );
    }
}
