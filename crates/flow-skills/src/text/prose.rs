//! The user's text on one line of Markdown: code spans, links and strong text are kept, other markup is escaped.

use super::code;

/// The text for a paragraph or a list item.
pub fn prose(text: &str) -> String {
    let text = one_line(text);
    // Brackets form a link only if certain characters follow.
    let is_even = text.matches('[').count() == text.matches(']').count();
    let has_links = !is_even || ["](", "][", "]:"].iter().any(|link| text.contains(link));
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let kept = code(rest).or_else(|| link(rest)).or_else(|| strong(rest)).map(str::to_owned);
        let (taken, written) =
            match kept.map(|kept| (kept.len(), kept)).or_else(|| address(rest, &safe)) {
                Some(found) => found,
                None if matches!(c, '[' | ']') && !has_links && !text.starts_with('[') => {
                    (1, c.to_string())
                }
                None => (c.len_utf8(), escaped(c, &safe, rest)),
            };
        safe.push_str(&written);
        rest = rest.get(taken..).unwrap_or_default();
    }
    start(&safe)
}

/// Text on one line: line breaks and runs of blanks become one blank, control characters are removed.
pub fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let plain: String = spaced.chars().filter(|c| !c.is_control()).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A link with plain text at the beginning.
fn link(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix('[')?;
    let (text, target) = inner.split_once("](")?;
    let target = target.get(..target.find(')')?)?;
    let is_plain = !text.is_empty()
        && text.trim() == text
        && !text.contains(['[', ']', '`', '<', '*', '_', '\\'])
        && is_target(target)
        && !target.contains([' ', '(', '<', '>', '"', '\\']);
    is_plain.then(|| rest.get(..text.len() + target.len() + 4)).flatten()
}

/// Whether a target is a web URL or a path of plain characters; other schemes, such as `javascript:`, are not.
fn is_target(target: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | '#');
    target.starts_with("https://")
        || target.starts_with("http://")
        || !target.is_empty() && !target.starts_with("//") && target.chars().all(is_plain)
}

/// Strong text without other markup, at the beginning.
fn strong(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix("**")?;
    let inner = inner.get(..inner.find("**")?)?;
    let is_plain = !inner.is_empty()
        && inner.trim() == inner
        && !inner.contains(['*', '_', '`', '[', ']', '<', '>', '\\', '&', '~', '|']);
    is_plain.then(|| rest.get(..inner.len() + 4)).flatten()
}

/// Multi-line text as Markdown: lists, quotes and fenced code are kept; a heading becomes text, so that it cannot end
/// its section.
pub fn block(text: &str) -> String {
    let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count();
    let mut is_fenced = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_mark = fences % 2 == 0 && line.trim_start().starts_with("```");
        if is_fenced || is_mark {
            is_fenced ^= is_mark;
            lines.push(line.trim_end().to_owned());
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let marker =
            ["- ", "* ", "> "].into_iter().find(|marker| line[indent..].starts_with(marker));
        let shown = match (marker, super::item(line)) {
            (Some(marker @ "> "), _) => format!("{marker}{}", prose(&line[indent + 2..])),
            (_, Some(item)) => {
                let number = line[indent..]
                    .split(['.', ')'])
                    .next()
                    .filter(|number| number.parse::<u32>().is_ok());
                let marker = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
                format!("{}{marker}{}", &line[..indent], prose(item))
            }
            _ => prose(line),
        };
        lines.push(shown);
    }
    lines.join("\n")
}

/// A URL, which Markdown needs in angle brackets.
fn address(rest: &str, before: &str) -> Option<(usize, String)> {
    if super::after(rest, &["https://", "http://"]).is_none()
        || before.ends_with(|c: char| c.is_alphanumeric())
    {
        return None;
    }
    let end = rest.find([' ', '<', '>', '`', '"', '\'', ')', ']', '\\', '|']).unwrap_or(rest.len());
    let address = rest.get(..end)?.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (address.len() > 8).then(|| (address.len(), format!("<{address}>")))
}

fn escaped(c: char, before: &str, rest: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric();
    let after = rest.chars().nth(1);
    let is_inside = before.ends_with(is_word) && after.is_some_and(is_word);
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '$' => format!("\\{c}"),
        '_' if !is_inside => "\\_".to_owned(),
        '&' if after.is_some_and(|c| c.is_alphanumeric() || c == '#') => "\\&".to_owned(),
        _ => c.to_string(),
    }
}

/// Escapes a first character that would begin a list, a heading or a rule.
fn start(text: &str) -> String {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    // A number without a blank after it does not begin a list: `1.5 h`.
    let begins_list = |rest: &str| {
        let after = rest.strip_prefix(['.', ')']);
        after.is_some_and(|after| after.is_empty() || after.starts_with(' '))
    };
    if digits > 0 && text.get(digits..).is_some_and(begins_list) {
        let (number, rest) = text.split_at(digits);
        return format!("{number}\\{rest}");
    }
    if text.starts_with(['-', '+', '#', '=', ':']) { format!("\\{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn only_markup_is_escaped() {
        assert_eq!(
            prose("read `a_b` of snake_case, see [#1](https://example.org/1)"),
            "read `a_b` of snake_case, see [#1](https://example.org/1)"
        );
        assert_eq!(prose("go to https://example.org/a_b."), "go to <https://example.org/a_b>.");
        assert_eq!(prose("<b> *x* _y_ `open"), "\\<b\\> \\*x\\* \\_y\\_ \\`open");
        assert_eq!(prose("- a\n\tb\u{7}"), "\\- a b");
        assert_eq!(prose("1. a"), "1\\. a");
        assert_eq!(prose("Cache lookups [RECURRING]"), "Cache lookups [RECURRING]");
        assert_eq!(prose("[ ] a"), "\\[ \\] a");
        assert_eq!(prose("a [b [c] d](javascript:e)"), "a \\[b \\[c\\] d\\](javascript:e)");
    }
}
