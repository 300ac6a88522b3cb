//! Diagrams of plain characters: each box, with its arrows below it.

use std::fmt::Write as _;

use super::drawing::{Drawing, Node};
use crate::text;

/// Width of a diagram, in columns.
const WIDTH: usize = 80;

/// Draws the graph: each group between two rules, then nodes without a group.
pub(super) fn draw(drawing: &Drawing) -> String {
    let mut out = String::new();
    for group in drawing.groups() {
        let lines = wrap(&plain(group), WIDTH - 6);
        let longest = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
        for line in &lines {
            let _ = writeln!(out, "== {line} {}", "=".repeat(longest - columns(line) + 2));
        }
        out.push('\n');
        draw_nodes(&mut out, drawing, Some(group));
        let _ = writeln!(out, "{}\n", "=".repeat(longest + 6));
    }
    draw_nodes(&mut out, drawing, None);
    out
}

fn draw_nodes(out: &mut String, drawing: &Drawing, group: Option<&str>) {
    let members = drawing.nodes.values().filter(|node| node.group.as_deref() == group);
    members.for_each(|node| draw_node(out, drawing, node));
}

fn label<'a>(drawing: &'a Drawing, id: &str) -> &'a str {
    drawing.nodes.get(id).map_or("", Node::text)
}

fn draw_node(out: &mut String, drawing: &Drawing, node: &Node) {
    let mut lines = wrap(&plain(node.text()), WIDTH - 4);
    let heading = lines.len();
    for column in &node.columns {
        let marks = column.marks.join(" ");
        lines.extend(wrap(&plain(&format!("{} {} {marks}", column.name, column.kind)), WIDTH - 4));
    }
    let inner = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
    let border = format!("+{}+\n", "-".repeat(inner + 2));
    out.push_str(&border);
    for (number, line) in lines.iter().enumerate() {
        if number == heading {
            out.push_str(&border);
        }
        let _ = writeln!(out, "| {line}{} |", " ".repeat(inner - columns(line)));
    }
    out.push_str(&border);
    for edge in drawing.edges.iter().filter(|edge| edge.from == node.id) {
        let arrow = if edge.is_dashed() { "- - >" } else { "---->" };
        let colon = if edge.text().is_empty() { "" } else { ": " };
        let text = plain(&format!("{}{colon}{}", label(drawing, &edge.to), edge.text()));
        arrows(out, arrow, &text);
    }
    out.push('\n');
}

fn arrows(out: &mut String, arrow: &str, text: &str) {
    for (number, line) in wrap(text, WIDTH - 10).iter().enumerate() {
        let start = if number == 0 { format!("  |{arrow} ") } else { "  |      ".into() };
        let _ = writeln!(out, "{start}{line}");
    }
}

fn plain(text: &str) -> String {
    let safe = text
        .chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    safe.collect::<String>().trim_end().to_owned()
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    text::wrap(text, width, columns)
}

/// The width of a text in a terminal: East Asian characters and emoji take two columns.
pub(super) fn columns(text: &str) -> usize {
    let wide = |c: char| matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0x1F300..=0x1FAFF | 0x20000..=0x3FFFD);
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}
