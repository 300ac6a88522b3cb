//! Arrows: `web [frontend] -> api -> db: SQL`, on lines or between semicolons. A line is a chain, a message or a node.

use std::collections::HashSet;

use super::line::split;
use super::line::{Misfit, SHOWN, lines};

/// An example of the form, for errors and help.
pub(crate) const EXAMPLE: &str = "web [frontend] -> api -> db: SQL";

/// What is wrong with arrows between commas, which would be read as one chain.
const SEVERAL: &str =
    "has several arrows between commas; put a semicolon or a new line between them";

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

/// A chain of nodes; a single node declares that node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The first node.
    pub first: Node,
    /// Each arrow, whether it is dashed (`-->`: a reply or optional use), with its target node.
    pub rest: Vec<(bool, Node)>,
    /// The text after the colon; it belongs to the last arrow.
    pub label: Option<String>,
}

/// Reads chains; there must be at least one arrow.
///
/// # Errors
/// The first part that does not fit the notation.
pub fn read(text: &str) -> Result<Vec<Chain>, Misfit> {
    let mut all = Vec::new();
    let is_one_line = lines(text).nth(1).is_none();
    for (line, text) in lines(text) {
        for part in parts(text, is_one_line) {
            let misfit = |why: String| Misfit::new(line, part, why, EXAMPLE);
            if all.len() == MOST {
                return Err(misfit(format!("is over the limit of {MOST} lines")));
            }
            all.extend(chains(part).map_err(misfit)?);
        }
    }
    if all.iter().all(|chain: &Chain| chain.rest.is_empty()) {
        let part = text.lines().next().unwrap_or_default().trim();
        return Err(Misfit::new(1, part, "has no arrow", EXAMPLE));
    }
    Ok(all)
}

/// The parts of a line between semicolons. Where each line is a chain, a semicolon belongs to the label before it, unless an
/// arrow follows.
fn parts(line: &str, is_one_line: bool) -> Vec<&str> {
    let has_label = |chain: &str| chain.contains("->") && label_at(chain).is_some();
    let mut parts: Vec<&str> = Vec::new();
    let (mut start, mut end) = (0, 0);
    let mut is_labelled = false;
    for part in split(line, ';') {
        let at = end + line[end..].find(part).unwrap_or(0);
        end = at + part.len();
        match parts.last_mut() {
            Some(last) if !is_one_line && is_labelled && !part.contains("->") => {
                *last = &line[start..end];
            }
            _ => {
                (start, is_labelled) = (at, has_label(part));
                parts.push(part);
            }
        }
    }
    parts
}

/// The chains of a part: one, or one for each arrow if several nodes are between commas.
fn chains(part: &str) -> Result<Vec<Chain>, String> {
    let bare = part.strip_prefix("- ").or_else(|| part.strip_prefix("* ")).unwrap_or(part);
    let (body, label) = match label_at(bare) {
        Some(at) => (&bare[..at], Some(bare[at + 1..].trim())),
        None => (bare, None),
    };
    if label == Some("") {
        return Err("has a colon without a label".to_owned());
    }
    let mut stages = Vec::new();
    let mut is_dashed = false;
    let mut open = body;
    loop {
        let next = open.find("->");
        let text = next.map_or(open, |at| &open[..at]);
        let dash = text.strip_suffix('-');
        stages.push((is_dashed, nodes(dash.unwrap_or(text).trim())?));
        let Some(at) = next else { break };
        is_dashed = dash.is_some();
        open = &open[at + 2..];
    }
    if stages.len() == 1 && label.is_some() {
        return Err("has a label without an arrow".to_owned());
    }
    let label = label.map(str::to_owned);
    if stages.iter().all(|(_, nodes)| nodes.len() == 1) {
        let mut all = stages
            .into_iter()
            .flat_map(|(dashed, nodes)| nodes.into_iter().map(move |node| (dashed, node)));
        let first = all.next().ok_or("has no node")?.1;
        return Ok(vec![Chain { first, rest: all.collect(), label }]);
    }
    let several = |(_, nodes): &(bool, Vec<Node>)| nodes.len() > 1;
    let is_list = stages.len() > 2 && stages[1..stages.len() - 1].iter().any(several);
    let mut names = HashSet::new();
    let mut all = stages.iter().flat_map(|(_, nodes)| nodes);
    if is_list && all.any(|node| !names.insert(&node.name)) {
        return Err(SEVERAL.to_owned());
    }
    spread(&stages, label.as_ref())
}

/// A chain for each arrow between two nodes, or for each node if there is no arrow.
fn spread(stages: &[(bool, Vec<Node>)], label: Option<&String>) -> Result<Vec<Chain>, String> {
    let alone = |node: &Node| Chain { first: node.clone(), rest: Vec::new(), label: None };
    let [(_, nodes)] = stages else {
        let mut all = Vec::new();
        for (number, pair) in stages.windows(2).enumerate() {
            let [(_, before), (is_dashed, after)] = pair else { continue };
            let label = label.filter(|_| number + 2 == stages.len());
            for from in before {
                for to in after {
                    if all.len() == MOST {
                        return Err(format!("is over the limit of {MOST} arrows"));
                    }
                    let rest = vec![(*is_dashed, to.clone())];
                    all.push(Chain { first: from.clone(), rest, label: label.cloned() });
                }
            }
        }
        return Ok(all);
    };
    Ok(nodes.iter().map(alone).collect())
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

/// The nodes between commas; a name in quotes may contain one.
fn nodes(text: &str) -> Result<Vec<Node>, String> {
    let parts = split(text, ',');
    if parts.is_empty() {
        return node(text).map(|node| vec![node]);
    }
    parts.into_iter().map(node).collect()
}

fn node(text: &str) -> Result<Node, String> {
    let (name, group) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((name, group)) => (name.trim(), Some(group.trim())),
        None => (text, None),
    };
    if !name.starts_with('"') && name.contains(": ") {
        return Err(SEVERAL.to_owned());
    }
    if !name.starts_with('"') && name.contains("? ") {
        return Err("has a text behind a question mark; the answer is a label".to_owned());
    }
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
