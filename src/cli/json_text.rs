//! JSON text with line breaks and indentation. Values are not changed: digits, escapes and order stay.

/// The text on several lines, two spaces per level. A text that is not JSON is returned unchanged.
pub(super) fn indented(json: &str) -> String {
    if serde_json::from_str::<serde::de::IgnoredAny>(json).is_err() {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut rest = json.trim_ascii();
    while let Some(c) = rest.chars().next() {
        let length = if c == '"' { string_length(rest) } else { c.len_utf8() };
        let (token, after) = rest.split_at(length);
        rest = after.trim_ascii_start();
        match c {
            '{' | '[' if rest.starts_with(['}', ']']) => {
                out.push(c);
                out.push_str(&rest[..1]);
                rest = rest[1..].trim_ascii_start();
            }
            '{' | '[' => {
                depth += 1;
                out.push(c);
                break_line(&mut out, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push_str(token),
        }
    }
    out
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// The length of the string at the beginning of a text, including quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_as_they_are_written() {
        let text = r#"{"a":[1.10,1e2,{}],"b":"x\"{,:é","c":[],"d":{"e":null}}"#;
        let expected = "{\n  \"a\": [\n    1.10,\n    1e2,\n    {}\n  ],\n  \"b\": \"x\\\"{,:é\",\n  \"c\": [],\n  \"d\": {\n    \"e\": null\n  }\n}";
        assert_eq!(indented(text), expected);
        assert_eq!(indented(expected), expected);
        assert_eq!(indented("<html>"), "<html>");
    }
}
