//! The query string, on any route: it is refused with a reason, or its canonical text is the same for all forms of the
//! same query, and differs for other queries.

use flow_daemon::routes::{ROUTES, Route};
use flow_daemon::web::query::Query;
use flow_daemon::web::reply::Reply;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(raw) = std::str::from_utf8(rest) else { return };
    let route = &ROUTES[usize::from(*first) % ROUTES.len()];
    match read(route, raw) {
        Ok(query) => is_stable(route, &query),
        Err(reply) => {
            let told: serde_json::Value = serde_json::from_slice(&reply.body).expect("no JSON");
            assert_eq!((reply.status.as_u16(), &told["code"]), (400, &"invalid_parameter".into()));
            assert!(told["parameter"].is_string() && told["error"].is_string(), "{told}");
        }
    }
}

/// Reads a query; records are assumed to have all values without a comma.
fn read(route: &'static Route, raw: &str) -> Result<Query, Reply> {
    Query::read(route, raw, |_, value| !value.contains(','))
}

/// A parameter before the equals sign, and its values.
type Given<'a> = (String, Vec<&'a str>);

fn is_stable(route: &'static Route, query: &Query) {
    let mut given: Vec<Given<'_>> = Vec::new();
    for (name, mark, value) in query.pairs() {
        let name = format!("{name}{mark}");
        match given.last_mut().filter(|(last, _)| *last == name) {
            Some((_, values)) => values.push(value),
            None => given.push((name, vec![value])),
        }
    }
    assert_eq!(given.is_empty(), query.is_empty());
    let encode = |value: &&str| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    // Once with commas, once reversed and repeated; the order of sort keys is significant.
    let lists = given.iter().map(|(name, values)| {
        format!("{name}={}", values.iter().map(encode).collect::<Vec<_>>().join(","))
    });
    let single = given.iter().rev().flat_map(|(name, values)| {
        let mut pairs: Vec<String> =
            values.iter().map(|value| format!("{name}={}", encode(value))).collect();
        if name != "sort" {
            pairs.reverse();
        }
        pairs
    });
    for text in
        [lists.collect::<Vec<_>>().join("&"), single.collect::<Vec<_>>().join("&&") + "&_=1"]
    {
        let again = read(route, &text).expect("the same query is refused");
        assert_eq!(canonical(&again), canonical(query), "{text}");
    }
    if let Some((name, values)) = given.first() {
        let fewer = read(route, "").expect("no query is none");
        assert_ne!(canonical(&fewer), canonical(query), "{name} {values:?}");
    }
}

fn canonical(query: &Query) -> Vec<u8> {
    let mut text = Vec::new();
    query.write_canonical(&mut text);
    text
}
