//! One-line texts: normalising and truncating them, deriving file names, and writing and reading them as Markdown.

pub(crate) mod block;
pub mod fence;
pub mod md;
pub(crate) mod mermaid;
pub(crate) mod prose;
pub mod table;
pub(crate) mod yaml;

/// Prints the variants of enums as serde writes them.
macro_rules! display_as_serde {
    ($($name:ty),+) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        }
    )+};
}
pub(crate) use display_as_serde;

use fence::Fence;

/// Longest name of a file or a scenario, in characters.
const SHORT: usize = 80;

/// A text on one line: runs of white space become one space, control characters go.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !c.is_control() && *c != '\u{feff}').collect();
        if !word.is_empty() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&word);
        }
    }
    out
}

/// A text as a title: one line, no full stop at the end, truncated at a word.
pub fn title(text: &str) -> String {
    capital(&bare(text))
}

/// The first of some sentences as a title, and the text that the title lacks: all of it if the title is truncated.
pub fn headline(sentences: &[String]) -> (String, String) {
    let first = sentences.first().map_or("", String::as_str);
    let title = title(first);
    let is_cut = title.ends_with('…') && !first.ends_with('…');
    let rest = sentences.get(usize::from(!is_cut)..).unwrap_or_default();
    (title, rest.join(" "))
}

/// Like [`title`], but never truncated: for a text that stands nowhere else.
pub fn whole_title(text: &str) -> String {
    capital(without_stop(&line(text)))
}

/// A line without the marks at its end that end a sentence.
fn without_stop(line: &str) -> &str {
    let bare = line.trim_end_matches(['.', ',', ';', ':', '!', '。', '，', '；', '：', '！', ' ']);
    if bare.is_empty() { line } else { bare }
}

/// Like [`title`], without capitalising: `iOS` must not become `IOS`.
pub fn bare(text: &str) -> String {
    let text = line(text);
    let bare = without_stop(&text);
    if bare.chars().count() <= SHORT {
        return bare.to_owned();
    }
    let cut: String = bare.chars().take(SHORT - 1).collect();
    let at_word = cut.rfind(' ').filter(|at| *at > SHORT / 2).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{}…", at_word.trim_end_matches([',', ';', ':', '.', '!']))
}

/// Breaks a text into lines of at most `width` columns, at spaces if possible.
pub fn wrap(text: &str, width: usize, columns: impl Fn(&str) -> usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut line = lines.pop().unwrap_or_default();
        let gap = usize::from(!line.is_empty());
        if columns(&line) + gap + columns(word) > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        } else if gap == 1 {
            line.push(' ');
        }
        for c in word.chars() {
            if columns(&line) + columns(c.encode_utf8(&mut [0; 4])) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
        lines.push(line);
    }
    lines
}

/// Length of the white space at the beginning of a line, in bytes.
pub fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a list of words with spaces between them has a word.
pub fn lists(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|other| other == word)
}

/// Whether a text consists of digits.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is an id such as `US-0001`.
pub fn is_id(word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(head, number)| {
        !head.is_empty()
            && head.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
            && number.len() <= 9
            && is_number(number)
    })
}

/// The first blank of a text that says what belongs there: `<who decides, and by when>`. It has several words, and no
/// attributes, as an element has.
pub fn blank(text: &str) -> Option<&str> {
    let starts = text.match_indices('<').map(|(at, _)| at);
    starts.filter_map(|at| text.get(at..=at + 1 + bracketed(&text[at..])?.len())).find(|blank| {
        let inner = &blank[1..blank.len() - 1];
        inner.starts_with(char::is_lowercase) && inner.contains(' ') && !inner.contains(['=', '/'])
    })
}

/// The text in angle brackets at the beginning, without others in it. The next bracket ends the search, so that a text of
/// many costs a step for each character.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find(['<', '>'])?;
    inner[end..].starts_with('>').then(|| &inner[..end])
}

/// Whether a text is a blank and nothing else.
pub fn is_blank(text: &str) -> bool {
    blank(text).is_some_and(|blank| blank.len() == text.len())
}

/// Whether a text can be the name of an environment variable.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The first `most` names of a list, and after `and` how many more there are: `a, b and 3 more`.
pub fn first<T: AsRef<str>>(names: impl IntoIterator<Item = T>, most: usize, and: &str) -> String {
    let mut names = names.into_iter();
    let shown: Vec<T> = names.by_ref().take(most).collect();
    let shown: Vec<&str> = shown.iter().map(AsRef::as_ref).collect();
    match names.count() {
        0 => shown.join(", "),
        more => format!("{}{and}{more} more", shown.join(", ")),
    }
}

/// The text with its first letter in upper case, unless its first word is a name with a capital inside, such as `iOS`.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    if text.split_whitespace().next().is_some_and(|word| word.contains(char::is_uppercase)) {
        return text.to_owned();
    }
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A part of a file name: letters and digits in lower case, everything else as one hyphen.
pub fn slug(text: &str, otherwise: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| *c != '\'' && *c != '’').flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= 60 {
            break;
        }
    }
    let slug = out.trim_end_matches('-');
    if slug.is_empty() { otherwise.to_owned() } else { slug.to_owned() }
}

/// The sentences of a text on one line.
pub fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut rest = text.trim();
    while let Some(end) = sentence_end(rest) {
        sentences.push(rest[..end].trim().to_owned());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        sentences.push(rest.to_owned());
    }
    sentences
}

/// The end of the first sentence: a stop that is followed by white space and a capital, a digit or a quote.
fn sentence_end(text: &str) -> Option<usize> {
    let begins = |c: char| c.is_uppercase() || c.is_numeric() || c == '"' || c == '\'';
    let is_between = |end: &usize| {
        let after = &text[*end..];
        let next = after.trim_start();
        after.len() != next.len() && next.starts_with(begins)
    };
    // Only for the few stops between sentences, since the word before a stop may be as long as the text.
    let is_short = |end: &usize| {
        let before = text[..end - 1].rsplit(' ').next().unwrap_or_default();
        matches!(before.to_ascii_lowercase().as_str(), "e.g" | "i.e" | "etc" | "vs")
    };
    let ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    ends.filter(is_between).find(|end| !is_short(end))
}

/// The text of Markdown, without its escapes.
pub fn plain(markdown: &str) -> String {
    line(&unescape(markdown))
}

/// Markdown text without its escapes and without the angle brackets around URLs that `prose` adds. Code spans
/// and fences have no escapes and are kept as they are.
pub fn unescape(markdown: &str) -> String {
    let mut fence = Fence::default();
    let unescaped =
        |line: &str| if fence.holds(line) { line.to_owned() } else { unescape_line(line) };
    markdown.split('\n').map(unescaped).collect::<Vec<_>>().join("\n")
}

fn unescape_line(markdown: &str) -> String {
    // A bar that is escaped in a row of a table is part of its cell.
    let row = markdown.trim();
    let is_row = row.starts_with('|') && row.ends_with('|');
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(c) = rest.chars().next() {
        if let Some(span) = code(rest) {
            out.push_str(span);
            rest = &rest[span.len()..];
            continue;
        }
        let after = &rest[c.len_utf8()..];
        let is_address = |text: &&str| {
            self::after(text, &["https://", "http://"]).is_some() && !text.contains(' ')
        };
        if let Some(address) = bracketed(rest).filter(is_address) {
            out.push_str(address);
            rest = &after[address.len() + 1..];
        } else if c == '\\'
            && !(is_row && after.starts_with('|'))
            && after.starts_with(|next: char| next.is_ascii_punctuation())
        {
            out.push_str(&after[..1]);
            rest = &after[1..];
        } else {
            out.push(c);
            rest = after;
        }
    }
    out
}

/// A code span at the beginning: one backtick, text that neither begins nor ends with a blank, one backtick.
fn code(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix('`')?;
    let end = inner.find('`')?;
    let span = inner.get(..end)?;
    let is_plain =
        !span.is_empty() && span.trim() == span && !inner.get(end + 1..)?.starts_with('`');
    is_plain.then(|| rest.get(..end + 2)).flatten()
}

/// The boxes of a task: open, and done in two spellings.
const BOXES: [&str; 3] = ["[ ]", "[x]", "[X]"];

/// The text of a list item, without its marker and its box; `None` if the line is not one.
pub fn item(line: &str) -> Option<&str> {
    let text = with_box(line)?;
    Some(text[box_of(text).map_or(0, str::len)..].trim_start())
}

/// Whether a line is a list item with a box that is not ticked.
pub fn is_unticked(line: &str) -> bool {
    with_box(line).and_then(box_of) == Some(BOXES[0])
}

/// Whether a line is a list item with a box that is ticked.
pub fn is_ticked(line: &str) -> bool {
    with_box(line).and_then(box_of).is_some_and(|mark| mark != BOXES[0])
}

/// The box at the beginning of an item: a link has no blank behind its brackets.
fn box_of(text: &str) -> Option<&'static str> {
    BOXES.into_iter().find(|mark| {
        text.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// The text of a list item, without its marker, but with its box.
pub fn with_box(line: &str) -> Option<&str> {
    let line = line.trim();
    let bulleted = ["- ", "* ", "+ ", "• "].into_iter().find_map(|mark| line.strip_prefix(mark));
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    bulleted.or_else(|| numbered.filter(|_| rest.len() < line.len())).map(str::trim)
}

/// A text without the tags at its end (` #bug #ui`), and the tags.
pub fn tagged(text: &str) -> (&str, &str) {
    let mut whole = text;
    while let Some((before, tag)) = whole.rsplit_once(' ')
        && tag.starts_with('#')
    {
        whole = before.trim_end();
    }
    text.split_at(whole.len())
}

/// The lines between `---` at the beginning, and the text after them.
pub fn front_matter(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n")?.split_once("\n---\n")
}

/// The wanted name if it is unused, else the first one with a number behind it that is.
pub fn unused(wanted: &str, is_unused: impl FnMut(&str) -> bool) -> String {
    unused_with("", wanted, is_unused)
}

/// As [`unused`], with a separator before the number.
pub fn unused_with(
    separator: &str,
    wanted: &str,
    mut is_unused: impl FnMut(&str) -> bool,
) -> String {
    let numbered = (2_u64..).map(|number| format!("{wanted}{separator}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| is_unused(name)).unwrap_or_default()
}

/// A heading's level and text.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' ')).then(|| (level, rest.trim()))
}

/// The text after the first of several prefixes that it has, ignoring case.
pub fn after<'a>(text: &'a str, prefixes: &[&str]) -> Option<&'a str> {
    prefixes.iter().find_map(|prefix| {
        let head = text.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_reads_back() {
        for text in [
            "a | b",
            "- x",
            "1. y",
            "12) z",
            "a\\",
            "<b>*_`[x](y)`_*</b>",
            "http://x.org www.x.y a@b.c",
            "# h",
            "+1",
            "日本 🎉",
            "\\*",
            "$x$ &amp; ~~no~~",
            "*Open.*",
        ] {
            assert_eq!(plain(&prose::prose(text)), text);
        }
    }

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(
            sentences("A 1.5 MB file. It is e.g. A4. 3 tries!"),
            ["A 1.5 MB file.", "It is e.g. A4.", "3 tries!"]
        );
        assert_eq!(slug("Use  PostgreSQL's JSON/B!", "x"), "use-postgresqls-json-b");
        assert_eq!(line("a\u{2028}b\r\n\tc\u{1b}[0m"), "a b c[0m");
    }
}
