//! Requests: paths and queries that a client may send, valid and invalid.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use flow::model::record::Kind as Filtered;

use super::super::query::filters;
use super::values::{WORDS, plain_id, plain_time};
use super::{one_of, words};

/// Words that some texts have.
const SHAPE_WORDS: &[&str] =
    &["us", "US-1", "a", "A", "t", "ü", "Ü", "7", "e", "script", "api", "1", "\"", "\\", "none"];

/// Some requests, including those about complete files.
pub(crate) fn queries() -> BoxedStrategy<Vec<String>> {
    let one = prop_oneof![6 => list(), 3 => record(), 1 => one_of(words("strange requests"))];
    vec(one, 0..40)
        .prop_map(|mut some| {
            some.extend(words("always asked").iter().map(|path| (*path).to_owned()));
            some
        })
        .boxed()
}

fn record() -> BoxedStrategy<String> {
    let parent = one_of(&["/api/stories", "/api/epics", "/api/tasks", "/api/sessions"]);
    (parent, plain_id(), one_of(&["", "", "", "/", "?_=1", "?x=1"]), any::<bool>())
        .prop_map(|(parent, id, after, all)| format!("{parent}/{}{after}", encode(&id, all)))
        .boxed()
}

fn list() -> BoxedStrategy<String> {
    let parameters = vec(parameter(), 0..4).prop_map(|pairs| pairs.join("&"));
    let of_bus = vec(bus_parameter(), 0..5).prop_map(|pairs| pairs.join("&"));
    let any = (one_of(words("paths")), one_of(&["", "", "", "/"]), parameters)
        .prop_map(|(path, slash, query)| format!("{path}{slash}?{query}"));
    let filter = prop_oneof![
        filtered("/api/stories", filters(Filtered::Story)),
        filtered("/api/tasks", filters(Filtered::Task)),
    ];
    let bus = of_bus.prop_map(|query| format!("/api/bus/messages?{query}"));
    let shaped = prop_oneof![
        shaped("/api/stories", filters(Filtered::Story)),
        shaped("/api/tasks", filters(Filtered::Task)),
        shaped("/api/epics", filters(Filtered::Epic)),
        shaped("/api/sessions", &["active"]),
        shaped("/api/bus/messages", &["story_id", "from", "type", "to"]),
    ];
    let page = (0..6_usize, 0..6_usize, one_of(&["", "&order=desc"])).prop_map(
        |(limit, offset, order)| format!("/api/bus/messages?limit={limit}&offset={offset}{order}"),
    );
    prop_oneof![2 => any, 4 => filter, 5 => bus, 1 => page, 6 => shaped].boxed()
}

/// A list with the options that all lists have.
fn shaped(path: &'static str, names: &'static [&'static str]) -> BoxedStrategy<String> {
    let field = prop_oneof![
        6 => one_of(words("fields of a shape")),
        2 => select(names).prop_map(str::to_owned),
    ];
    let list = |signs: &'static [&'static str]| {
        let signed =
            (one_of(signs), field.clone()).prop_map(|(sign, name)| format!("{sign}{name}"));
        vec(signed, 1..4).prop_map(|names| names.join(","))
    };
    let facet = vec(select(names), 1..3).prop_map(|names| format!("facets={}", names.join(",")));
    let excluded = select(names).prop_flat_map(terms).prop_map(|term| term.replacen('=', "!=", 1));
    let words = vec(one_of(SHAPE_WORDS), 1..3).prop_map(|words| words.join(" "));
    let part = prop_oneof![
        4 => list(&["", "-", "-"]).prop_map(|keys| format!("sort={keys}")),
        3 => list(&[""]).prop_map(|names| format!("fields={names}")),
        3 => words.prop_map(|words| format!("q={}", encode(&words, false))),
        3 => facet,
        4 => excluded,
        3 => select(names).prop_flat_map(terms),
        3 => (one_of(&["limit", "offset"]), 0..6_u8).prop_map(|(name, n)| format!("{name}={n}")),
        2 => one_of(&["ready=true", "ready=false", "ready=true,false", "active=all", "order=desc"]),
        1 => one_of(&["ready=yes", "cursor=7", "facets=title", "fields=no_such_field", "q=%20"]),
    ];
    vec(part, 1..5).prop_map(move |parts| format!("{path}?{}", parts.join("&"))).boxed()
}

/// A list with one filter, whose values usually occur.
fn filtered(path: &'static str, names: &'static [&'static str]) -> BoxedStrategy<String> {
    select(names).prop_flat_map(terms).prop_map(move |term| format!("{path}?{term}")).boxed()
}

fn terms(name: &'static str) -> BoxedStrategy<String> {
    let fitting = match name {
        "status" | "state" => one_of(words("statuses")),
        "story_id" | "epic_id" | "parent" => plain_id(),
        _ => one_of(WORDS),
    };
    let fitting = (fitting, 0..6_u8).prop_map(|(word, how)| encode(&word, how == 0));
    let term = prop_oneof![6 => fitting, 1 => term()];
    vec(term, 1..4).prop_map(move |terms| format!("{name}={}", terms.join(","))).boxed()
}

fn parameter() -> BoxedStrategy<String> {
    let name = one_of(words("parameters"));
    let value = prop_oneof![
        4 => vec(term(), 0..3).prop_map(|terms| terms.join(",")),
        1 => one_of(&["true", "false", "all", "1", "no", ",", "TRUE"]),
    ];
    (name, value).prop_map(|(name, value)| format!("{name}={value}")).boxed()
}

fn bus_parameter() -> BoxedStrategy<String> {
    let time = (one_of(&["since", "until"]), plain_time(), any::<bool>())
        .prop_map(|(name, time, all)| format!("{name}={}", encode(&time, all)));
    let small = (one_of(&["limit", "limit", "offset"]), one_of(&["0", "1", "2", "3", "5"]));
    let number = prop_oneof![
        6 => small,
        1 => (one_of(&["limit", "offset"]), one_of(words("numbers at the limits"))),
    ];
    let good = one_of(&["order=asc", "order=desc", "order=", "order", "_=x"]);
    let other = prop_oneof![8 => good, 1 => one_of(&["order=up", "x=1"])];
    prop_oneof![
        3 => terms("story_id"),
        3 => terms("from"),
        3 => terms("type"),
        2 => terms("to"),
        5 => time,
        5 => number.prop_map(|(name, value)| format!("{name}={value}")),
        3 => other,
    ]
    .boxed()
}

fn term() -> BoxedStrategy<String> {
    let word = prop_oneof![plain_id(), one_of(WORDS), one_of(words("statuses"))];
    (word, 0..6_u8).prop_map(|(word, how)| encode(&word, how == 0)).boxed()
}

/// Percent-encodes the characters that a query cannot contain, or all.
fn encode(text: &str, all: bool) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:+".contains(&byte);
    let byte = |byte: u8| {
        if plain(byte) && !all { char::from(byte).to_string() } else { format!("%{byte:02x}") }
    };
    text.bytes().map(byte).collect()
}
