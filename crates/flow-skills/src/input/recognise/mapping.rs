//! Distinguishes YAML from labels, notations and prose.

use serde_json::Value;

/// YAML that cannot be prose: an OpenAPI document or a schema, a document marker, nesting, or lower-case keys only.
pub(super) fn yaml(text: &str) -> Option<Value> {
    let marked = text
        .strip_prefix("---\n")
        .filter(|rest| !rest.contains("\n---\n") && !rest.ends_with("\n---"));
    let body = marked.unwrap_or(text);
    let lines = || {
        body.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    };
    let first = lines().next()?;
    let key = |line: &str| {
        let (key, rest) = line.trim_start_matches("- ").split_once(':')?;
        let is_key = !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '/'));
        (is_key && (rest.is_empty() || rest.starts_with(' '))).then(|| key.to_owned())
    };
    let is_lower = |key: &str| !key.starts_with(char::is_uppercase);
    let head = key(first).filter(|_| !first.starts_with(char::is_whitespace))?;
    if marked.is_none() {
        let top = lines().filter(|line| !line.starts_with([' ', '\t', '-', ']', '}']));
        let keys: Option<Vec<String>> = top.map(key).collect();
        let is_mapping = keys.is_some_and(|keys| keys.iter().all(|key| is_lower(key)));
        let is_list = first.starts_with("- ")
            && is_lower(&head)
            && lines().any(|line| line.starts_with("  "));
        if !is_mapping && !is_list {
            return None;
        }
    }
    crate::text::yaml::read::<Value>(text)
        .ok()
        .filter(|value| value.is_object() || value.is_array())
}
