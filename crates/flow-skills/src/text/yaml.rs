//! JSON values as YAML for every parser: block style, literal blocks for multi-line text, and quotes wherever a plain
//! text would be ambiguous.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::output::{Fault, Result};
use crate::stack;

/// Parses YAML 1.2, in which `y`, `no` and `on` are text and not booleans.
pub(crate) fn read<T: DeserializeOwned + Send>(
    text: &str,
) -> std::result::Result<T, serde_saphyr::Error> {
    let options = || serde_saphyr::options! { strict_booleans: true };
    let parse = || serde_saphyr::from_str_with_options(text, options());
    // It is recursive, to a depth of 64.
    stack::run(|| Ok(parse())).unwrap_or_else(|_| parse())
}

/// The value as a YAML document, in which long lines stay.
pub(crate) fn write(value: &Value) -> Result<String> {
    let options = serde_saphyr::ser_options! {
        compact_list_indent: false,
        folded_wrap_chars: usize::MAX / 2,
    };
    let mut out = String::new();
    serde_saphyr::to_fmt_writer_with_options(&mut out, value, options)
        .map_err(|error| Fault::Refused(format!("the document cannot be written: {error}")))?;
    Ok(out)
}

/// JSON with characters escaped that YAML does not allow: some parsers read JSON as YAML. White space between values
/// stays.
pub(crate) fn printable(json: &str) -> String {
    let is_unsafe = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    json.chars()
        .map(|c| if is_unsafe(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_true_and_false_are_booleans() {
        let value: Value = read("required: [x, y]\ncountry: NO\non: off\nis: true\n").unwrap();
        assert_eq!(
            value,
            json!({"required": ["x", "y"], "country": "NO", "on": "off", "is": true})
        );
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[a-z:# '\"{}\\[\\]|>&*!%@`,.\n\t-]{0,12}",
            "\\PC{0,6}",
            "(yes|null|~|1e3|0x1f|2026-01-31|1.2.3|<<|=|\\.inf)"
        ];
        let leaf = prop_oneof![
            text.clone().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text.clone(), inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in value()) {
            let document = json!({"document": value});
            let text = write(&document).unwrap();
            prop_assert_eq!(read::<Value>(&text).ok(), Some(document), "{}", text);
        }
    }
}
