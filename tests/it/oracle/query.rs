//! Parameters of a request: the known ones, their values, and errors.

use std::sync::LazyLock;

use flow::model::filter;
use flow::model::record::Kind as Filtered;

use super::time;

/// The values of a parameter.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Terms,
    Words(&'static [&'static str]),
    /// One of these, once.
    Word(&'static [&'static str]),
    /// A whole number up to this, once.
    Number(u128),
    /// Once.
    Time,
    /// Words to search for, once, not divided at commas.
    Search,
    /// Names of fields, at most so many, in the order in which they are given.
    Names(usize),
    /// Any text, once.
    Once,
    /// Seconds, or a number with a unit, once.
    Span,
}

pub(crate) type Known = &'static [(&'static str, Kind)];

pub(crate) const HEALTH: Known =
    &[("require", Kind::Words(&["ok", "status_file", "sessions_file", "tasks_file", "bus_log"]))];
type Lazy = LazyLock<Vec<(&'static str, Kind)>>;

const READY: (&str, Kind) = ("ready", Kind::Words(&["true", "false"]));
pub(crate) static SESSIONS: Lazy =
    LazyLock::new(|| list(&["active"], &[("active", Kind::Words(&["true", "false", "all"]))]));
pub(crate) static TASKS: Lazy = LazyLock::new(|| filtered(filters(Filtered::Task), &[READY]));
pub(crate) static STORIES: Lazy = LazyLock::new(|| filtered(filters(Filtered::Story), &[READY]));
pub(crate) static EPICS: Lazy = LazyLock::new(|| filtered(filters(Filtered::Epic), &[]));
pub(crate) static MESSAGES: Lazy = LazyLock::new(|| {
    const FIELDS: &[&str] = &["story_id", "from", "type", "to"];
    let own = [
        ("since", Kind::Time),
        ("until", Kind::Time),
        ("order", Kind::Word(&["asc", "desc"])),
        ("cursor", Kind::Once),
        ("buckets", Kind::Word(&["1h", "1d", "1w"])),
        ("by", Kind::Word(FIELDS)),
    ];
    filtered(FIELDS, &own)
});
pub(crate) static ATTENTION: Lazy = LazyLock::new(|| {
    let kinds = "task_failed task_blocked story_blocked question_unanswered session_silent session_gone plan_weakened \
                 plan_contradiction reopened overlap source_degraded dependency_cycle";
    let kinds = kinds.split(' ').collect::<Vec<_>>().leak();
    vec![("silent_after", Kind::Span), ("kind", Kind::Words(kinds))]
});

/// The fields that the list of a kind can be filtered by: the product's table, of which only the names are used here.
pub(crate) fn filters(kind: Filtered) -> &'static [&'static str] {
    let names: Vec<&str> = filter::filters(kind).iter().map(|filter| filter.field).collect();
    names.leak()
}

/// What a list can be asked that counts the values of these fields.
fn list(
    fields: &'static [&'static str],
    own: &[(&'static str, Kind)],
) -> Vec<(&'static str, Kind)> {
    let of_all = [
        ("q", Kind::Search),
        ("sort", Kind::Names(8)),
        ("fields", Kind::Names(64)),
        ("facets", Kind::Words(fields)),
        ("limit", Kind::Number(10_000)),
        ("offset", Kind::Number((1 << 63) - 1)),
    ];
    [own, &of_all].concat()
}

/// What a list can be asked that is filtered by these fields too.
fn filtered(
    fields: &'static [&'static str],
    own: &[(&'static str, Kind)],
) -> Vec<(&'static str, Kind)> {
    let terms: Vec<_> = fields.iter().map(|name| (*name, Kind::Terms)).collect();
    list(fields, &[&terms, own].concat())
}

/// A value as given: once complete, since commas may belong to it, and once split at them.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) undivided: String,
    pub(crate) pieces: Vec<String>,
}

/// A parsed query.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    /// Each known parameter and its values, without empty ones.
    values: Vec<(&'static str, Vec<String>)>,
    /// The same of `name!=value`.
    excluded: Vec<(&'static str, Vec<String>)>,
    /// The decoded values as given, of both kinds of filters.
    given: Vec<(&'static str, Vec<Given>)>,
    /// Parameters with an invalid value.
    pub(crate) wrong: Vec<String>,
    /// Unknown parameters.
    pub(crate) unknown: Vec<String>,
}

impl Parameters {
    /// The values of a parameter; none if it was not given.
    pub(crate) fn all(&self, name: &str) -> &[String] {
        self.values.iter().find(|(other, _)| *other == name).map_or(&[], |(_, values)| values)
    }

    /// The values of a parameter as they were given.
    pub(crate) fn given(&self, name: &str) -> &[Given] {
        self.given.iter().find(|(other, _)| *other == name).map_or(&[], |(_, given)| given)
    }

    /// The value of a parameter that may be given once.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// The value of a number.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.one(name).map(|digits| digits.parse().expect("it was read before"))
    }

    /// The value of a length of time, in seconds.
    pub(crate) fn seconds(&self, name: &str) -> Option<f64> {
        self.one(name).map(|text| seconds(text).expect("it was read before"))
    }

    /// Whether no value was requested, or this one.
    pub(crate) fn wants(&self, name: &str, value: &str) -> bool {
        self.wants_as(name, value, str::to_owned)
    }

    /// The same with a normalised spelling of the requested value.
    pub(crate) fn wants_as(&self, name: &str, value: &str, spell: impl Fn(&str) -> String) -> bool {
        let excluded = self.excluded.iter().filter(|(other, _)| *other == name);
        let is_excluded =
            excluded.flat_map(|(_, values)| values).any(|other| spell(other) == value);
        let asked = self.all(name);
        !is_excluded && (asked.is_empty() || asked.iter().any(|wanted| spell(wanted) == value))
    }
}

/// Reads a query.
pub(crate) fn read(query: &str, known: Known) -> Parameters {
    let mut read = Parameters {
        values: known.iter().map(|(name, _)| (*name, Vec::new())).collect(),
        excluded: known.iter().map(|(name, _)| (*name, Vec::new())).collect(),
        given: known.iter().map(|(name, _)| (*name, Vec::new())).collect(),
        ..Parameters::default()
    };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name).unwrap_or_else(|| name.to_owned());
        if name == "_" {
            continue;
        }
        let (plain, is_not) =
            name.strip_suffix('!').map_or((name.as_str(), false), |name| (name, true));
        let at = known
            .iter()
            .position(|(other, kind)| *other == plain && (!is_not || matches!(kind, Kind::Terms)));
        let Some(at) = at else {
            read.unknown.push(name);
            continue;
        };
        let Some(undivided) = decode(text) else {
            read.wrong.push(plain.to_owned());
            continue;
        };
        let is_terms = matches!(known[at].1, Kind::Terms);
        let mut pieces: Vec<String> = if matches!(known[at].1, Kind::Once) {
            vec![undivided.clone()].into_iter().filter(|text| !text.is_empty()).collect()
        } else if matches!(known[at].1, Kind::Search) {
            vec![undivided.clone()].into_iter().filter(|text| !text.trim().is_empty()).collect()
        } else {
            undivided.split(',').filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
        };
        read.given[at].1.push(Given { undivided: undivided.clone(), pieces: pieces.clone() });
        // The complete text matches only a record with exactly that value.
        if is_terms && !pieces.is_empty() {
            pieces.push(undivided);
        }
        let values = if is_not { &mut read.excluded } else { &mut read.values };
        values[at].1.extend(pieces);
    }
    for ((name, kind), (_, values)) in known.iter().zip(&read.values) {
        if !is_right(*kind, values) {
            read.wrong.push((*name).to_owned());
        }
    }
    read
}

fn is_right(kind: Kind, values: &[String]) -> bool {
    let one_of = |words: &[&str]| values.iter().all(|value| words.contains(&value.as_str()));
    match kind {
        Kind::Terms => true,
        Kind::Once => values.len() < 2,
        Kind::Names(most) => values.len() <= most,
        Kind::Search => {
            values.len() < 2 && values.iter().all(|text| text.split_whitespace().count() <= 16)
        }
        Kind::Words(words) => one_of(words),
        Kind::Word(words) => values.len() < 2 && one_of(words),
        Kind::Number(most) => values.len() < 2 && values.iter().all(|value| is_number(value, most)),
        Kind::Time => values.len() < 2 && values.iter().all(|value| time::read(value).is_some()),
        Kind::Span => values.len() < 2 && values.iter().all(|value| seconds(value).is_some()),
    }
}

fn is_number(value: &str, most: u128) -> bool {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits && value.parse().is_ok_and(|number: u128| number <= most)
}

/// The seconds of a duration.
fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = match text.chars().last()? {
        's' => (&text[..text.len() - 1], 1.0),
        'm' => (&text[..text.len() - 1], 60.0),
        'h' => (&text[..text.len() - 1], 3600.0),
        'd' => (&text[..text.len() - 1], 86_400.0),
        _ => (text, 1.0),
    };
    let mut parts = number.split('.');
    let is_part = |part: &str, most| {
        (1..=most).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit())
    };
    let (whole, decimals) = (parts.next()?, parts.next());
    let is_number = is_part(whole, 8) && decimals.is_none_or(|part| is_part(part, 3));
    (is_number && parts.next().is_none()).then(|| number.parse::<f64>().unwrap() * unit)
}

/// Decodes percent-encoding; `None` if it is invalid or not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, after @ ..] = after else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).unwrap());
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
