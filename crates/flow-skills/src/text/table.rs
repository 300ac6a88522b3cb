//! Cells of Markdown and Gherkin tables: writing and reading them.

use super::md::escape;

/// A text as a cell of a Markdown table. Pipes are escaped in code spans too, since a table is split before them.
pub fn cell(text: &str) -> String {
    // A cell cannot contain a backslash before a pipe in a code span, so such text gets no spans.
    if text.contains("\\|") {
        return super::prose::without_spans(text);
    }
    escape(text)
}

/// Whether a line may be a row of a table.
pub fn is_row(line: &str) -> bool {
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

/// Whether cells are the delimiter row below a header, such as `| --- | :-: |`.
pub fn is_rule(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')))
}

/// The cells of a row, trimmed; an escaped pipe is part of a cell, other escapes are kept.
pub fn cells(row: &str) -> Vec<String> {
    let inner = row.trim();
    let inner = inner.strip_prefix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '|' {
            cells.push(String::new());
            continue;
        }
        let Some(cell) = cells.last_mut() else { continue };
        match chars.peek().copied() {
            Some('|') if c == '\\' => cell.extend(chars.next()),
            Some(next) if c == '\\' => {
                cell.extend([c, next]);
                chars.next();
            }
            _ => cell.push(c),
        }
    }
    if cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;

    #[test]
    fn cells_read_back() {
        for text in
            ["a | b", "`a | b`", "\\", "a \\| b", "`a \\| b`", "x\\", "", "*a* _b_ [c](d)", "| |"]
        {
            let row = format!("| {} | end |", cell(text));
            let read: Vec<String> = cells(&row).iter().map(|cell| plain(cell)).collect();
            assert_eq!(read, [text, "end"], "{row}");
        }
    }
}
