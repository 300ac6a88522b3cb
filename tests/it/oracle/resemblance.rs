//! Whether a name may be a misspelling of another.

/// How a name is like a documented one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// But for case, `_`, `-` and spaces they are equal.
    Plain,
    /// A few characters differ.
    Near,
}

/// A name without case and separators.
pub(crate) fn plain(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| !['_', '-', ' '].contains(letter)).collect()
}

/// The number of differences that a misspelling of a member's name may have; `None` if none counts as one.
pub(crate) fn most_of_name(name: &str) -> Option<usize> {
    let is_short = name.ends_with("_at") || name.ends_with("_id");
    match name.chars().count() {
        0..=3 => None,
        4..=5 => Some(1),
        _ => Some(if is_short { 1 } else { 2 }),
    }
}

/// The same of a status.
pub(crate) fn most_of_status(word: &str) -> Option<usize> {
    match word.chars().count() {
        0..=3 => None,
        4..=8 => Some(1),
        _ => Some(2),
    }
}

/// How `given` is like `meant`, if `most` differences are a misspelling.
pub(crate) fn likeness(given: &str, meant: &str, most: Option<usize>) -> Option<Likeness> {
    let (one, other) = (plain(given), plain(meant));
    if given == meant {
        return None;
    }
    if one == other {
        return Some(Likeness::Plain);
    }
    let is_near = given.chars().count() >= 4
        && one.chars().next() == other.chars().next()
        && most.is_some_and(|most| distance(&one, &other) <= most);
    is_near.then_some(Likeness::Near)
}

/// The number of characters to insert, delete, substitute or swap with their neighbour (optimal string alignment).
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let differs = usize::from(one[i - 1] != other[j - 1]);
            let mut least = table[i - 1][j - 1] + differs;
            least = least.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                least = least.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = least;
        }
    }
    table[one.len()][other.len()]
}
