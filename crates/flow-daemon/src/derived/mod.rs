//! What follows from records and messages together: what needs attention, and what each agent does.
//!
//! Everything is computed from one snapshot, at the first request that needs it, and kept with that snapshot. Only what
//! depends on the time is computed for each request. It opens no file and knows no HTTP.

pub mod conversation;
pub mod sessions;
pub mod item;
pub mod attention;
mod records;
pub mod agents;
pub mod progress;

/// Longest excerpt of a message, error or reason, in characters.
const REPEATED: usize = 300;

/// A text on one line, truncated; `None` if it is blank.
fn excerpt(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let mut line = words.next()?.to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word);
        if line.len() > REPEATED * 4 {
            break;
        }
    }
    if line.chars().nth(REPEATED).is_some() {
        line = line.chars().take(REPEATED - 1).chain(['…']).collect();
    }
    Some(line)
}
