//! Arrows: `web [frontend] -> api -> db: SQL`, on lines or between semicolons. A line is a chain, a message or a node.

use std::fmt;

use super::line::{Misfit, SHOWN, lines};
use super::split::split;

/// An example of the form, for errors and help.
pub(super) const EXAMPLE: &str = "web [frontend] -> api -> db: SQL";

/// Largest number of lines.
const MOST: usize = 2_000;

/// A node as written in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its group, in brackets after the name.
    pub group: Option<String>,
}

/// The style of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrow {
    /// `->`: a call or use.
    Solid,
    /// `-->`: a reply or optional use.
    Dashed,
}

/// A chain of nodes; a single node declares that node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The first node.
    pub first: Node,
    /// Each arrow with its target node.
    pub rest: Vec<(Arrow, Node)>,
    /// The text after the colon; it belongs to the last arrow.
    pub label: Option<String>,
}

/// Reads chains; there must be at least one arrow.
///
/// # Errors
/// The first part that does not fit the notation.
pub fn read(text: &str) -> Result<Vec<Chain>, Misfit> {
    let mut found = Vec::new();
    for (line, text) in lines(text) {
        for part in split(text, ';') {
            let misfit =
                |why: String| Misfit { line, part: part.to_owned(), why, example: example(part) };
            if found.len() == MOST {
                return Err(misfit(format!("is over the limit of {MOST} lines")));
            }
            found.push(chain(part).map_err(misfit)?);
        }
    }
    if found.iter().all(|chain: &Chain| chain.rest.is_empty()) {
        let part = text.lines().next().unwrap_or_default().trim().to_owned();
        return Err(Misfit {
            line: 1,
            example: example(&part),
            part,
            why: "has no arrow".to_owned(),
        });
    }
    Ok(found)
}

/// An example of the form with the first words of the part.
fn example(part: &str) -> String {
    let words: Vec<&str> = part
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .take(2)
        .collect();
    match words.as_slice() {
        [from, to] => format!("{from} -> {to}: label"),
        _ => EXAMPLE.to_owned(),
    }
}

fn chain(part: &str) -> Result<Chain, String> {
    let bare = part.strip_prefix("- ").or_else(|| part.strip_prefix("* ")).unwrap_or(part);
    let (body, label) = match label_at(bare) {
        Some(at) => (&bare[..at], Some(bare[at + 1..].trim())),
        None => (bare, None),
    };
    if label == Some("") {
        return Err("has a colon without a label".to_owned());
    }
    let mut rest = Vec::new();
    let mut first = None;
    let mut arrow = Arrow::Solid;
    let mut open = body;
    loop {
        let next = open.find("->");
        let text = next.map_or(open, |at| &open[..at]);
        let (text, is_dashed) =
            text.strip_suffix('-').map_or((text, false), |text| (text, next.is_some()));
        let node = node(text.trim())?;
        if first.is_none() {
            first = Some(node);
        } else {
            rest.push((arrow, node));
        }
        let Some(at) = next else { break };
        arrow = if is_dashed { Arrow::Dashed } else { Arrow::Solid };
        open = &open[at + 2..];
    }
    let first = first.ok_or_else(|| "has no node".to_owned())?;
    if rest.is_empty() && label.is_some() {
        return Err("has a label without an arrow".to_owned());
    }
    Ok(Chain { first, rest, label: label.map(str::to_owned) })
}

/// Offset of the label's colon: after the last arrow, and outside of brackets and URLs.
fn label_at(part: &str) -> Option<usize> {
    let start = part.rfind("->").map_or(0, |at| at + 2);
    let mut depth = 0_usize;
    for (at, c) in part.char_indices().skip_while(|(at, _)| *at < start) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && !part[at + 1..].starts_with("//") => return Some(at),
            _ => {}
        }
    }
    None
}

fn node(text: &str) -> Result<Node, String> {
    let (name, group) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((name, group)) => (name.trim(), Some(group.trim())),
        None => (text, None),
    };
    let name = name.trim_matches('"');
    let is_plain = |text: &str| !text.is_empty() && !text.contains(['[', ']', '>', '<', '|']);
    if !is_plain(name) || group.is_some_and(|group| !is_plain(group)) {
        return Err(if text.is_empty() {
            "has an arrow without a node on one side".to_owned()
        } else {
            let shown: String = text.chars().take(SHOWN).collect();
            format!("has {shown:?}, which is not a node: a name, optionally with [group]")
        });
    }
    Ok(Node { name: name.to_owned(), group: group.map(str::to_owned) })
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.group.as_ref().map_or(Ok(()), |group| write!(f, " [{group}]"))
    }
}
