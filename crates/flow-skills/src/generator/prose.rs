//! Text of the user's on one line of Markdown: code spans and links stay, what would become other markup is escaped.

/// The text for a paragraph or an item of a list.
pub(super) fn prose(text: &str) -> String {
    let text = one_line(text);
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let kept = code(rest).or_else(|| link(rest)).map(str::to_owned);
        let (taken, written) =
            match kept.map(|kept| (kept.len(), kept)).or_else(|| address(rest, &safe)) {
                Some(found) => found,
                None => (c.len_utf8(), escaped(c, &safe, rest)),
            };
        safe.push_str(&written);
        rest = rest.get(taken..).unwrap_or_default();
    }
    start(&safe)
}

/// Line breaks and blanks become one blank; control characters go.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let plain: String = spaced.chars().filter(|c| !c.is_control()).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A code span: one backtick, something that neither begins nor ends with a blank, one backtick.
fn code(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix('`')?;
    let end = inner.find('`')?;
    let span = inner.get(..end)?;
    let is_plain =
        !span.is_empty() && span.trim() == span && !inner.get(end + 1..)?.starts_with('`');
    is_plain.then(|| rest.get(..end + 2)).flatten()
}

/// A link to the web with plain text.
fn link(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix('[')?;
    let (text, target) = inner.split_once("](")?;
    let target = target.get(..target.find(')')?)?;
    let is_plain = !text.is_empty()
        && text.trim() == text
        && !text.contains(['[', ']', '`', '<', '*', '_', '\\'])
        && (target.starts_with("https://") || target.starts_with("http://"))
        && !target.contains([' ', '(', '<', '>', '"', '\\']);
    is_plain.then(|| rest.get(..text.len() + target.len() + 4)).flatten()
}

/// An address, which Markdown wants in angle brackets.
fn address(rest: &str, before: &str) -> Option<(usize, String)> {
    if !(rest.starts_with("https://") || rest.starts_with("http://"))
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
    if digits > 0 && text.get(digits..).is_some_and(|rest| rest.starts_with(['.', ')'])) {
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
    }
}
