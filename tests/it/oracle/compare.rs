//! Whether an answer is the one that was expected.

use super::json::{self, Json, Text};
use super::{At, Body, Expected, Problem, Problems};

/// The difference from the expected answer; `None` if there is none.
pub(crate) fn difference(expected: &Expected, status: u16, body: &[u8]) -> Option<String> {
    if expected.status != status {
        return Some(format!("status {status} in place of {}", expected.status));
    }
    let got = match json::read_answer(body) {
        Ok(got) => got,
        Err(bad) => return Some(format!("the body is not JSON: {bad:?}")),
    };
    match &expected.body {
        Body::Any => (!matches!(got, Json::Map(_))).then(|| "the body is no object".to_owned()),
        Body::Bytes(bytes) => (bytes != body).then(|| first_difference(bytes, body)),
        Body::Problems(list, timestamp) => problems(list, timestamp, &got),
        Body::Attention(expected) => super::attention::difference(expected, &got),
        Body::Error { code, names, lists, has } => {
            let context = has.as_ref().map(|(name, value)| (*name, value.as_str()));
            error(&got, code, context).or_else(|| mentions(names, lists, &got.compact()))
        }
    }
}

/// The two bodies from shortly before the first byte that differs.
fn first_difference(expected: &[u8], got: &[u8]) -> String {
    let same = expected.iter().zip(got).take_while(|(one, other)| one == other).count();
    let part = |bytes: &[u8]| {
        let from = same.saturating_sub(60).min(bytes.len());
        String::from_utf8_lossy(&bytes[from..bytes.len().min(same + 60)]).into_owned()
    };
    format!("at byte {same}\n expected … {}\n but got  … {}", part(expected), part(got))
}

fn error(got: &Json, code: &str, context: Option<(&str, &str)>) -> Option<String> {
    let Json::Map(members) = got else { return Some("the body is no object".to_owned()) };
    let first: Vec<Option<&str>> =
        members.iter().take(2).map(|(key, _)| key.plain.as_deref()).collect();
    if first != [Some("error"), Some("code")] {
        return Some(format!("an error begins with error and code, not {first:?}"));
    }
    let sentence = got.get("error").and_then(Json::plain);
    if sentence.is_none_or(str::is_empty) {
        return Some("the error has no sentence".to_owned());
    }
    if got.get("code").and_then(Json::plain) != Some(code) {
        return Some(format!("code {:?} in place of {code}", got.get("code")));
    }
    let (name, value) = context?;
    let found = got.get(name).and_then(Json::plain);
    (found != Some(value)).then(|| format!("{name} is {found:?} in place of {value:?}"))
}

fn mentions(names: &[String], lists: &[&str], body: &str) -> Option<String> {
    let is_named = |name: &String| body.contains(&Text::made(name).raw);
    if !names.is_empty() && !names.iter().any(is_named) {
        return Some(format!("none of {names:?} is named in {body}"));
    }
    let missing = lists.iter().find(|name| !body.contains(**name))?;
    Some(format!("{missing} is not listed in {body}"))
}

fn problems(expected: &Problems, timestamp: &Json, got: &Json) -> Option<String> {
    let Json::Map(members) = got else { return Some("the body is no object".to_owned()) };
    let names: Vec<_> = members.iter().filter_map(|(key, _)| key.plain.as_deref()).collect();
    if names != ["problems", "count", "timestamp"] {
        return Some(format!("the members are {names:?}"));
    }
    let Some(Json::List(list)) = got.get("problems") else { return Some("no list".to_owned()) };
    if got.get("count") != Some(&Json::count(list.len())) {
        return Some(format!("count is {:?} for {} problems", got.get("count"), list.len()));
    }
    if got.get("timestamp") != Some(timestamp) {
        return Some(format!("timestamp is {:?}, not {timestamp:?}", got.get("timestamp")));
    }
    let mut found = Vec::new();
    for entry in list {
        match problem(entry) {
            Some(entry) => found.push(entry),
            None => return Some(format!("{} is no problem", entry.compact())),
        }
    }
    let is_compared =
        |problem: &&Problem| !expected.is_kept || problem.level != super::Level::Invalid;
    let wanted: Vec<&Problem> = expected.list.iter().filter(is_compared).collect();
    let found: Vec<&Problem> = found.iter().filter(is_compared).collect();
    let same = wanted.iter().zip(&found).take_while(|(one, other)| one == other).count();
    let rest = |list: &[&Problem]| format!("{:#?}", &list[same..list.len().min(same + 8)]);
    (wanted != found).then(|| {
        let (wanted, found) = (rest(&wanted), rest(&found));
        format!("problems differ from the one at {same}\n expected {wanted}\n but got {found}")
    })
}

fn problem(entry: &Json) -> Option<Problem> {
    let Json::Map(members) = entry else { return None };
    let names: Vec<&str> = members.iter().filter_map(|(key, _)| key.plain.as_deref()).collect();
    let source = entry.get("source")?.plain()?;
    let source = ["status", "sessions", "tasks", "bus"].into_iter().find(|name| *name == source)?;
    let level = entry.get("level")?.plain()?;
    let level = super::Level::ALL.into_iter().find(|known| known.name() == level)?;
    entry.get("reason")?.plain().filter(|reason| !reason.is_empty())?;
    let at = match (names.as_slice(), entry.get("line"), entry.get("id")) {
        (["source", "level", "reason"], None, None) => At::File,
        (["source", "line", "level", "reason"], Some(Json::Number(line)), None) => {
            At::Line(line.parse().ok()?)
        }
        (["source", "id", "level", "reason"], None, Some(Json::Text(id))) => {
            At::Id(id.plain.clone()?)
        }
        _ => return None,
    };
    // The reason of a whole file may have a line.
    let at =
        if level == super::Level::Invalid && matches!(at, At::Line(_)) { At::File } else { at };
    Some(Problem { source, at, level })
}
