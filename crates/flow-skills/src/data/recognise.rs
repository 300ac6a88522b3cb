//! Recognises formats of texts and keys: dates, addresses, ids. Only formats that every validator accepts count.

use flow_model::time::{self, Edge};

pub(super) fn format_of(text: &str) -> Option<&'static str> {
    let formats = [
        ("uuid", is_uuid(text)),
        ("date", is_date(text)),
        ("date-time", is_date_time(text)),
        ("email", is_email(text)),
        ("uri", is_uri(text)),
    ];
    formats.iter().find(|(_, is_it)| *is_it).map(|(format, _)| *format)
}

/// Whether a key is data: a number, a UUID, a date, a long hexadecimal number, or an address.
pub(super) fn is_id(key: &str) -> bool {
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    let hex = key.len() >= 12
        && key.bytes().all(|byte| byte.is_ascii_hexdigit())
        && key.bytes().any(|byte| byte.is_ascii_digit());
    digits || hex || format_of(key).is_some()
}

/// Words whose singular does not follow from their ending, each with it.
const IRREGULAR: [(&str, &str); 10] = [
    ("people", "person"),
    ("children", "child"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("caches", "cache"),
    ("aliases", "alias"),
    ("data", "data"),
    ("series", "series"),
    ("species", "species"),
    ("news", "news"),
];

/// The singular of a plural: `post` for `posts`. Of a name of several words, the last one counts.
pub(crate) fn singular(key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    let cut = |count: usize, add: &str| format!("{}{add}", &key[..key.len() - count]);
    let ends = |ends: &[&str]| ends.iter().any(|end| lower.ends_with(end));
    if let Some((many, one)) = IRREGULAR.iter().find(|(many, _)| lower.ends_with(many)) {
        // The first letter stays as it is.
        cut(many.len() - 1, &one[1..])
    } else if lower.len() > 4 && lower.ends_with("ies") {
        cut(3, "y")
    } else if ends(&["sses", "xes", "ches", "shes"]) || ends(&["tuses", "nuses", "ruses"]) {
        cut(2, "")
    } else if lower.len() > 3 && lower.ends_with('s') && !ends(&["ss", "us", "is"]) {
        cut(1, "")
    } else {
        key.to_owned()
    }
}

/// The plural of a singular: `categories` for `category`; a plural is returned as it is.
pub(crate) fn plural(word: &str) -> String {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    let cut = |end: &str| word.strip_suffix(end).map(str::to_owned);
    let is_plural = IRREGULAR.iter().any(|(many, _)| word.ends_with(many));
    if is_plural || singular(word) != word {
        return word.to_owned();
    }
    if let Some((many, start)) =
        IRREGULAR.iter().find_map(|(many, one)| Some((many, word.strip_suffix(one)?)))
    {
        format!("{start}{many}")
    } else if let Some(start) = cut("y").filter(|_| !ends(&["ay", "ey", "oy", "uy"])) {
        start + "ies"
    } else if ends(&["s", "x", "ch", "sh"]) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// Whether a text has a form, in which `d` stands for a digit and `x` for a hexadecimal one.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(byte, form): (u8, u8)| match form {
        b'd' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        other => byte == other,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(fits)
}

fn is_uuid(text: &str) -> bool {
    has_form(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
}

fn is_date(text: &str) -> bool {
    has_form(text, "dddd-dd-dd") && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_date_time(text: &str) -> bool {
    let zone = text.len().checked_sub(6).and_then(|at| text.get(at..));
    let has_zone = text.ends_with(['Z', 'z'])
        || zone.is_some_and(|zone| has_form(&zone.replace('-', "+"), "+dd:dd"));
    has_zone && text.contains(['T', 't']) && time::parse(text, Edge::Start).is_some()
}

fn is_email(text: &str) -> bool {
    let Some((user, host)) = text.split_once('@') else { return false };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
    let user_fits = user.split('.').all(|part| !part.is_empty() && part.bytes().all(is_part));
    let is_label = |part: &str| {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (1..=63).contains(&part.len()) && letters && !part.starts_with('-') && !part.ends_with('-')
    };
    user_fits && host.contains('.') && host.split('.').all(is_label)
}

fn is_uri(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte);
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_part))
}
