//! What a text promises, apart from how it is spelled: whether two texts are the same, whether one is the other in different
//! words, and what a new wording drops.
//!
//! ```text
//! "T014 Answer **400** to a bad signature"   the same as "1.2. Answer 400 to a bad signature."
//! "Answer 400 where a signature is bad"      another wording: nothing is dropped
//! "Answer to a bad signature"                drops a number: 400
//! ```

use std::collections::{HashMap, HashSet};

/// Most words of a text that are compared; a longer text is compared by its beginning.
const MOST_WORDS: usize = 2_000;
/// Most pairs of texts that are compared for similarity. Beyond that, texts are paired only where they are the same.
const MOST_COMPARISONS: usize = 200_000;

/// The likeness, in thousandths, from which two texts count as one in other words.
pub const ALIKE: usize = 500;

/// Most words of a text of which each number counts.
const SHORT: usize = 40;
/// The likeness, in thousandths, of a sentence that is kept.
const KEPT: usize = 700;
/// Longest unit of a number: `req/s`.
const LONGEST_UNIT: usize = 5;

/// Words that negate.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "without", "none", "neither", "nor", "cannot", "nothing", "nobody",
    "nowhere",
];
/// Words that are in most texts, so that sharing them shows nothing.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "if", "in", "into", "is", "it",
    "its", "of", "on", "or", "that", "the", "their", "then", "this", "to", "was", "when", "will",
    "with",
];

/// What a new wording drops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// This number.
    Number(String),
    /// This word that negates.
    Negation(String),
    /// More than half of the words.
    Words,
}

/// A text as it is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wording {
    /// Its words in order, in lower case, without marks.
    words: Vec<String>,
    /// The same, sorted, each once, without common ones.
    bag: Vec<String>,
}

impl Wording {
    /// Reads a text. A number or an id at its beginning belongs to the list that it stands in, and is left out.
    pub fn of(text: &str) -> Self {
        let text = without_label(text.trim());
        let words = text.split(|c: char| !is_of_word(c)).flat_map(ideographs).map(trimmed);
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_lowercase).take(MOST_WORDS).collect();
        let mut bag: Vec<String> =
            words.iter().filter(|word| !COMMON.contains(&word.as_str())).cloned().collect();
        bag.sort_unstable();
        bag.dedup();
        Self { words, bag }
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Number of its words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// A text that is equal for texts that are the same but for spelling.
    pub fn key(&self) -> String {
        self.words.join(" ")
    }

    /// The share of the words that both have in common, from 0 to 1000.
    pub fn likeness(&self, other: &Self) -> usize {
        match self.bag.len() + other.bag.len() {
            0 => 0,
            all => 2_000 * self.shared(other) / all,
        }
    }

    /// Whether the other one has at least half of its words.
    pub fn is_kept_in(&self, other: &Self) -> bool {
        2 * self.shared(other) >= self.bag.len()
    }

    /// The first number or negation that the other one drops.
    fn dropped_by(&self, after: &Self) -> Option<Loss> {
        let kept: HashSet<&str> = after.words.iter().map(String::as_str).collect();
        let is_dropped = |word: &&str| !kept.contains(word);
        let words = self.words.iter().map(String::as_str);
        if let Some(number) = words.filter(is_dropped).find(|word| is_number(word)) {
            return Some(Loss::Number(number.to_owned()));
        }
        if negations(&self.words).count() <= negations(&after.words).count() {
            return None;
        }
        let word =
            negations(&self.words).find(is_dropped).or_else(|| negations(&self.words).next());
        word.map(|word| Loss::Negation(word.to_owned()))
    }

    /// Number of words that both have. The bags are sorted.
    fn shared(&self, other: &Self) -> usize {
        let (mut left, mut right, mut shared) = (0, 0, 0);
        while let (Some(one), Some(two)) = (self.bag.get(left), other.bag.get(right)) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => left += 1,
                std::cmp::Ordering::Greater => right += 1,
                std::cmp::Ordering::Equal => {
                    (left, right, shared) = (left + 1, right + 1, shared + 1);
                }
            }
        }
        shared
    }
}

/// What a new wording of a text drops, if it is a promise less: a number, a negation, or more than half of the words. Of a long
/// text, numbers and negations count only in sentences that are otherwise kept: the rest was written anew. A remark in brackets
/// may go, unless it has a number or a negation.
pub fn loss(before: &str, after: &str) -> Option<Loss> {
    let (old, new) = (Wording::of(before), Wording::of(after));
    if old.words.len() <= SHORT {
        return old.dropped_by(&new).or_else(|| words_lost(before, &old, &new));
    }
    let now: Vec<Wording> = sentences(after).map(Wording::of).collect();
    let dropped = |sentence: &str| {
        let old = Wording::of(sentence);
        let nearest = now.iter().max_by_key(|new| old.likeness(new))?;
        if old.likeness(nearest) >= KEPT { old.dropped_by(nearest) } else { None }
    };
    sentences(before).find_map(dropped).or_else(|| words_lost(before, &old, &new))
}

fn words_lost(before: &str, old: &Wording, new: &Wording) -> Option<Loss> {
    let is_kept = old.is_kept_in(new) || {
        let core = Wording::of(&without_brackets(before));
        !core.is_empty() && core.is_kept_in(new)
    };
    (!is_kept).then_some(Loss::Words)
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', ';', '。']).flat_map(|line| line.split_inclusive(". "))
}

/// A text without remarks in round brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = |c: &char| match c {
        '(' | '（' => {
            depth += 1;
            false
        }
        ')' | '）' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    };
    text.chars().filter(outside).collect()
}

/// The words that negate. What is not yet done is not a negation.
fn negations(words: &[String]) -> impl Iterator<Item = &str> {
    let negates = |word: &str| NEGATIONS.contains(&word) || word.ends_with("n't");
    let is_yet = |at: usize| words.get(at + 1).is_some_and(|next| next == "yet");
    let numbered = words.iter().map(String::as_str).enumerate();
    numbered.filter(move |(at, word)| negates(word) && !is_yet(*at)).map(|(_, word)| word)
}

/// Whether a word is a quantity: digits, with a sign or a unit. `v2`, `US-7` and `001-search` are names.
fn is_number(word: &str) -> bool {
    let bare = word.trim_start_matches(['-', '+', '<', '>', '=', '~', '$', '€']);
    let unit =
        bare.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_'));
    let is_unit = |c: char| c.is_alphabetic() || matches!(c, '%' | '/');
    bare.starts_with(|c: char| c.is_ascii_digit())
        && unit.len() <= LONGEST_UNIT
        && unit.chars().all(is_unit)
}

/// The parts of a word: scripts without spaces between words count by character.
fn ideographs(word: &str) -> impl Iterator<Item = &str> {
    let is_ideograph = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3134f}');
    word.split_inclusive(is_ideograph).flat_map(move |part| {
        let last = part.char_indices().next_back().filter(|(_, c)| is_ideograph(*c));
        let (before, character) = part.split_at(last.map_or(part.len(), |(at, _)| at));
        [before, character]
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || "'-_./%$€+<>=~@#".contains(c)
}

/// A word without marks around it. A sign before a number is a part of it, and a comparison stands by itself.
fn trimmed(word: &str) -> &str {
    if ["<", ">", "<=", ">="].contains(&word) {
        return word;
    }
    let word = word.trim_end_matches(['\'', '-', '_', '.', '/', '+', '=', '~', '@', '#', '<', '>']);
    let bare =
        word.trim_start_matches(['\'', '-', '_', '.', '/', '+', '=', '~', '@', '#', '<', '>']);
    let sign = word.len() - bare.len();
    let is_signed = bare.starts_with(|c: char| c.is_ascii_digit())
        && sign == 1
        && !word.starts_with(['#', '@', '_', '/', '\'', '=']);
    if is_signed { word } else { bare }
}

/// A text without the number or id of a list at its beginning: `1.`, `2.3`, `T014:`, `**1.2**`, `[US1]`.
fn without_label(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    let label = first.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = label.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_digits = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_marked =
        label.contains('.') || label.len() > digits.len() || first.ends_with(['.', ':', ')', ']']);
    let is_label = is_digits && is_marked && label.len() - digits.len() <= 4;
    if is_label && !rest.trim().is_empty() { without_label(rest.trim_start()) } else { text }
}

/// Pairs the texts of two lists: the same ones first, then those that are alike, the most alike first. Returns positions.
pub fn pairs(before: &[Wording], after: &[Wording]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut left: Vec<usize> = Vec::new();
    let mut same: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, wording) in after.iter().enumerate().rev() {
        same.entry(wording.key()).or_default().push(at);
    }
    let mut taken = vec![false; after.len()];
    for (at, wording) in before.iter().enumerate() {
        match same.get_mut(&wording.key()).and_then(Vec::pop) {
            Some(other) => {
                taken[other] = true;
                found.push((at, other));
            }
            None => left.push(at),
        }
    }
    let rest: Vec<usize> = (0..after.len()).filter(|at| !taken[*at]).collect();
    let texts = [before, after].map(|list| list.iter().collect::<Vec<_>>());
    found.extend(alike([&texts[0], &texts[1]], [&left, &rest]).unwrap_or_default());
    found
}

/// Pairs the texts at these positions of two lists that share at least half of their words, the most alike first. `None` if there
/// are too many.
pub fn alike(
    [before, after]: [&[&Wording]; 2],
    [left, right]: [&[usize]; 2],
) -> Option<Vec<(usize, usize)>> {
    if left.len().saturating_mul(right.len()) > MOST_COMPARISONS {
        return None;
    }
    let all = left.iter().flat_map(|one| right.iter().map(move |two| (*one, *two)));
    let scored = all.map(|(one, two)| (before[one].likeness(after[two]), one, two));
    let mut scored: Vec<(usize, usize, usize)> =
        scored.filter(|(score, ..)| *score >= ALIKE).collect();
    scored.sort_by_key(|(score, one, two)| (std::cmp::Reverse(*score), *one, *two));
    let mut taken = [HashSet::new(), HashSet::new()];
    let mut found = Vec::new();
    for (_, one, two) in scored {
        if !taken[0].contains(&one) && !taken[1].contains(&two) {
            taken[0].insert(one);
            taken[1].insert(two);
            found.push((one, two));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_no_difference() {
        let same = |one, two| Wording::of(one).key() == Wording::of(two).key();
        for (one, two) in [
            ("T014 Answer **400** to a bad signature", "1.2. Answer 400 to a bad signature."),
            ("- Write the `index`", "write the index"),
            ("[US1] Find books", "Find books"),
            ("3 retries at most", "3 retries, at most"),
            ("Read `src/a.rs`", "Read src/a.rs"),
        ] {
            assert!(same(one, two), "{one} | {two}: {:?} {:?}", Wording::of(one), Wording::of(two));
        }
        for (one, two) in
            [("3 retries", "retries"), ("v1 API", "v2 API"), ("at < 3 s", "at > 3 s"), ("1 2", "2")]
        {
            assert!(!same(one, two), "{one} | {two}");
        }
    }

    #[test]
    fn a_loss_is_named() {
        let number = |text: &str| Some(Loss::Number(text.to_owned()));
        assert_eq!(loss("Answer within 200 ms", "Answer fast"), number("200"));
        assert_eq!(loss("Answer within 200ms", "Answer within 500ms"), number("200ms"));
        let not = Some(Loss::Negation("not".to_owned()));
        assert_eq!(
            loss("It must not fail at a bad signature", "It may fail at a bad signature"),
            not
        );
        assert_eq!(loss("Sign, verify and store each token", "Store things"), Some(Loss::Words));
        for (before, after) in [
            ("Answer 400 to a bad signature", "A bad signature is answered with 400"),
            ("Add search", "Add search over authors, titles and years"),
            ("Update US-7 for v2", "Update US-7 and its guide"),
            ("1. Add search", "2. Add search"),
            ("Write the records (001-store, 002-index)", "Write the records (six of them)"),
            ("Close the issue (waiting for a review of the text by the others)", "Close the issue"),
            ("Update the whole graph of records, not yet run", "Update the whole graph of records"),
            ("接続を配線（受け皿の実値は後で）", "接続を配線"),
        ] {
            assert_eq!(loss(before, after), None, "{before} | {after}");
        }
        let long = format!(
            "{}It must not block. {}",
            "A sentence of five words. ".repeat(6),
            "Another one here. ".repeat(4)
        );
        assert_eq!(loss(&long, &long.replace("must not", "must")), not);
        let anew = long.replace("It must not block. ", "Writers go on while it reads. ");
        assert_eq!(loss(&long, &anew), None);
    }

    #[test]
    fn the_same_texts_are_paired_before_those_that_are_alike() {
        let list = |texts: &[&str]| texts.iter().map(|text| Wording::of(text)).collect::<Vec<_>>();
        let before = list(&["Write the parser", "Write the lexer", "Ship it"]);
        let after = list(&["Write the lexer", "Write the whole parser", "Tell nobody"]);
        assert_eq!(pairs(&before, &after), [(1, 0), (0, 1)]);
    }
}
