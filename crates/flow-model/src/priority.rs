//! The order of priorities: the words that have a rank. Any other word has none.

/// The words of each rank, the most urgent first.
const RANKS: [&[&str]; 5] = [
    &["p0", "critical", "highest", "urgent"],
    &["p1", "high"],
    &["p2", "medium", "normal"],
    &["p3", "low"],
    &["p4", "lowest"],
];

/// The rank of a priority in any case, 0 for the most urgent; `None` for a word without one.
pub fn rank(word: &str) -> Option<usize> {
    let plain = word.trim().to_lowercase();
    RANKS.iter().position(|words| words.contains(&plain.as_str()))
}
