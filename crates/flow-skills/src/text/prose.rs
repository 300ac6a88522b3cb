//! A text on one line of Markdown: code spans, links and strong text are kept, other markup is escaped. An image is never
//! kept, since whoever reads the page would request it. Of a text that is not the user's own, links are not kept either.

use super::{code, line};

/// The text for a paragraph or a list item.
pub(crate) fn prose(text: &str) -> String {
    start(&inline(text))
}

/// Texts for paragraphs or list items.
pub(crate) fn all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| prose(text)).collect()
}

/// The text for a heading, with a hash at its end escaped, which would end the heading.
pub(crate) fn heading(text: &str) -> String {
    let safe = prose(text);
    match safe.strip_suffix('#') {
        Some(rest) if !rest.ends_with('\\') => format!("{rest}\\#"),
        _ => safe,
    }
}

/// The text for a place behind other text on its line.
pub(crate) fn inline(text: &str) -> String {
    written(text, Kept::Links)
}

/// The text of somebody else, such as a commit or a record, for a paragraph or a list item: its links and mentions are
/// shown as text.
pub(crate) fn quoted(text: &str) -> String {
    start(&written(text, Kept::Spans))
}

/// As [`quoted`], with the marks of code and strong text as text.
pub(crate) fn without_spans(text: &str) -> String {
    start(&written(text, Kept::Nothing))
}

/// The markup of a text that stays markup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Code, strong text, emphasis and links.
    Links,
    /// Code and strong text.
    Spans,
    Nothing,
}

/// The text with all other markup escaped.
fn written(text: &str, kept: Kept) -> String {
    let text = line(text);
    // Brackets form a link only if certain characters follow.
    let is_even = text.matches('[').count() == text.matches(']').count();
    let has_links = !is_even || ["](", "][", "]:"].iter().any(|link| text.contains(link));
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let (taken, written) = if let Some(markup) = markup(rest, &safe, kept) {
            (markup.len(), markup.to_owned())
        } else if let Some(live) = live(rest, &safe, kept) {
            // No reader of Markdown makes a link of what is in a code span, or tells anybody.
            let is_link = kept == Kept::Links;
            (live.len(), if is_link { format!("<{live}>") } else { format!("`{live}`") })
        } else if matches!(c, '[' | ']') && !has_links && !text.starts_with('[') {
            (1, c.to_string())
        } else {
            (c.len_utf8(), escaped(c, &safe, rest))
        };
        safe.push_str(&written);
        rest = rest.get(taken..).unwrap_or_default();
    }
    safe
}

/// The markup at the beginning that is kept.
fn markup<'a>(rest: &'a str, before: &str, kept: Kept) -> Option<&'a str> {
    let link = || link(rest).filter(|_| !before.ends_with('!'));
    match kept {
        Kept::Links => {
            code(rest).or_else(|| strong(rest)).or_else(link).or_else(|| emphasis(rest, before))
        }
        Kept::Spans => code(rest).or_else(|| strong(rest)),
        Kept::Nothing => None,
    }
}

/// A URL at the beginning; of a text of somebody else, also a host such as `www.example.org`, an e-mail address or a
/// mention such as `@everyone`.
fn live<'a>(rest: &'a str, before: &str, kept: Kept) -> Option<&'a str> {
    let address = address(rest, before);
    // Only what is taken may be searched for: else each character would cost the length of the rest.
    if kept == Kept::Links { address } else { address.or_else(|| host_or_mention(rest, before)) }
}

fn host_or_mention<'a>(rest: &'a str, before: &str) -> Option<&'a str> {
    if before.ends_with(char::is_alphanumeric) {
        return None;
    }
    let is_name = |text: &str| text.starts_with(char::is_alphanumeric);
    let is_host = super::after(rest, &["www."]).is_some_and(is_name);
    // Each part before an @ is searched once: from its first character.
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let part = if before.ends_with(is_part) { Some(0) } else { rest.find(|c| !is_part(c)) };
    let after = part.and_then(|end| rest.get(end..)?.strip_prefix('@'));
    (is_host || after.is_some_and(is_name)).then(|| up_to_end(rest))
}

/// The address at the beginning: up to what ends one, without the marks that end a sentence.
fn up_to_end(rest: &str) -> &str {
    let ends = [' ', '<', '>', '`', '"', '\'', ')', ']', '\\', '|'];
    let end = rest.find(ends).unwrap_or(rest.len());
    rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?'])
}

/// A link with plain text at the beginning.
fn link(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix('[')?;
    // Neither may contain these, so the search ends at the first: a text of brackets alone costs a step each.
    let (text, target) = inner.split_at_checked(inner.find(['[', ']'])?)?;
    let target = target.strip_prefix("](")?;
    let target = target.get(..target.find([')', ' ', '(', '<', '>', '"', '\\'])?)?;
    // A code span alone is a text too.
    let inner = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    let is_plain = !inner.is_empty()
        && inner.trim() == inner
        && !inner.contains(['`', '<', '*', '_', '\\'])
        && is_target(target)
        && rest.get(text.len() + target.len() + 3..)?.starts_with(')');
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

/// Emphasis of plain words by `*` that touches no word.
fn emphasis<'a>(rest: &'a str, before: &str) -> Option<&'a str> {
    let inner = rest.strip_prefix('*')?;
    let inner = inner.get(..inner.find('*')?)?;
    let after = rest.get(inner.len() + 2..)?;
    let is_plain = inner.starts_with(char::is_alphanumeric)
        && inner.ends_with(char::is_alphanumeric)
        && inner.chars().all(|c| c.is_alphanumeric() || " ',.-/".contains(c));
    let is_beside = !before.ends_with(|c: char| c.is_alphanumeric() || c == '*' || c == '\\')
        && !after.starts_with(|c: char| c.is_alphanumeric() || c == '*');
    (is_plain && is_beside).then(|| rest.get(..inner.len() + 2)).flatten()
}

/// Whether a text begins as a character reference does: `&amp;`, `&#38;`.
fn is_reference(text: &str) -> bool {
    let Some(name) = text.strip_prefix('&') else { return false };
    let name = name.strip_prefix('#').unwrap_or(name);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && name[end..].starts_with(';'))
}

fn address<'a>(rest: &'a str, before: &str) -> Option<&'a str> {
    if super::after(rest, &["https://", "http://"]).is_none()
        || before.ends_with(|c: char| c.is_alphanumeric())
    {
        return None;
    }
    let address = up_to_end(rest);
    // More than the scheme.
    (address.len() > "https://".len()).then_some(address)
}

fn escaped(c: char, before: &str, rest: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric();
    let after = rest.chars().nth(1);
    let is_inside = before.ends_with(is_word) && after.is_some_and(is_word);
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '$' => format!("\\{c}"),
        // It would make an image of the link behind it.
        '!' if after == Some('[') => "\\!".to_owned(),
        '_' if !is_inside => "\\_".to_owned(),
        '&' if is_reference(rest) => "\\&".to_owned(),
        _ => c.to_string(),
    }
}

/// Escapes a first character that would begin a list, a heading, a quotation or a rule.
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
    if text.starts_with(['-', '+', '#', '=', ':', '>']) {
        format!("\\{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{inline, prose, quoted};

    #[test]
    fn no_image_is_kept_and_links_only_in_the_users_own_text() {
        let text = "![x](http://evil/p.png) [a](https://evil/b) https://evil/c";
        assert_eq!(
            prose(text),
            "\\!\\[x\\](<http://evil/p.png>) [a](https://evil/b) <https://evil/c>"
        );
        assert_eq!(
            quoted(text),
            "\\!\\[x\\](`http://evil/p.png`) \\[a\\](`https://evil/b`) `https://evil/c`"
        );
    }

    #[test]
    fn no_host_and_no_mention_of_somebody_else_is_live() {
        for (text, markdown) in [
            ("see www.example.org/a_b.", "see `www.example.org/a_b`."),
            ("(WWW.example.org)", "(`WWW.example.org`)"),
            ("_www.example.org", "\\_`www.example.org`"),
            ("@everyone: ping @a/b-c", "`@everyone`: ping `@a/b-c`"),
            ("_@here (ada.b@example.org)", "`_@here` (`ada.b@example.org`)"),
            ("a @ b, a@, www. and wwww.a", "a @ b, a@, www. and wwww.a"),
        ] {
            assert_eq!(quoted(text), markdown, "{text}");
        }
        assert_eq!(prose("@ada, see www.example.org"), "@ada, see www.example.org");
    }

    #[test]
    fn marks_that_open_and_do_not_close_cost_a_step_each() {
        // Each of them searched the rest of the text, which takes many minutes here.
        for mark in ["[", "[a", "[a](", "&", "&a", "![", "*", "`", "**", "@", ".a", "(a", "www."] {
            let text = mark.repeat(50_000);
            assert!(quoted(&text).len() >= text.len() && prose(&text).len() >= text.len());
        }
    }

    #[test]
    fn only_markup_is_escaped() {
        assert_eq!(
            prose("read `a_b` of snake_case, see [#1](https://example.org/1)"),
            "read `a_b` of snake_case, see [#1](https://example.org/1)"
        );
        assert_eq!(prose("[`A.B`](https://example.org/#b)"), "[`A.B`](https://example.org/#b)");
        assert_eq!(prose("go to https://example.org/a_b."), "go to <https://example.org/a_b>.");
        assert_eq!(prose("<b> *x _y_ `open"), "\\<b> \\*x \\_y\\_ \\`open");
        assert_eq!((prose("a -> b"), prose("> a")), ("a -> b".to_owned(), "\\> a".to_owned()));
        assert_eq!(prose("*just the code* a*b*c ** *"), "*just the code* a\\*b\\*c \\*\\* \\*");
        assert_eq!((inline("#12"), prose("#12")), ("#12".to_owned(), "\\#12".to_owned()));
        assert_eq!(prose("Q&A &amp; &#38;"), "Q&A \\&amp; \\&#38;");
        assert_eq!(prose("- a\n\tb\u{7}"), "\\- a b");
        assert_eq!(prose("1. a"), "1\\. a");
        assert_eq!(prose("Cache lookups [RECURRING]"), "Cache lookups [RECURRING]");
        assert_eq!(prose("[ ] a"), "\\[ \\] a");
        assert_eq!(prose("a [b [c] d](javascript:e)"), "a \\[b \\[c\\] d\\](javascript:e)");
    }
}
