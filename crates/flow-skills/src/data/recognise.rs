//! Recognises formats of texts and keys: dates, addresses, ids. Only formats that every validator accepts count.

/// The format of a text.
pub(super) fn format_of(text: &str) -> Option<&'static str> {
    if is_uuid(text) {
        Some("uuid")
    } else if is_date(text) {
        Some("date")
    } else if is_date_time(text) {
        Some("date-time")
    } else if is_email(text) {
        Some("email")
    } else if is_uri(text) {
        Some("uri")
    } else {
        None
    }
}

/// Whether a key is data: a number, a UUID, a date, a long hexadecimal number, or an address.
pub(super) fn is_id(key: &str) -> bool {
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    let hex = key.len() >= 12
        && key.bytes().all(|byte| byte.is_ascii_hexdigit())
        && key.bytes().any(|byte| byte.is_ascii_digit());
    digits || hex || format_of(key).is_some()
}

/// The singular of a plural: `post` for `posts`.
pub(crate) fn singular(key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    let cut = |count: usize, add: &str| format!("{}{add}", &key[..key.len() - count]);
    if lower.len() > 4 && lower.ends_with("ies") {
        cut(3, "y")
    } else if ["sses", "xes", "ches", "shes"].iter().any(|end| lower.ends_with(end)) {
        cut(2, "")
    } else if lower.len() > 3
        && lower.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| lower.ends_with(end))
    {
        cut(1, "")
    } else {
        key.to_owned()
    }
}

/// The plural of a singular: `categories` for `category`; a plural is returned as it is.
pub(crate) fn plural(word: &str) -> String {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    let cut = |end: &str| word.strip_suffix(end).map(str::to_owned);
    if let Some(start) = cut("person") {
        start + "people"
    } else if let Some(start) = cut("child") {
        start + "children"
    } else if ends(&["people", "children", "data"]) || singular(word) != word {
        word.to_owned()
    } else if let Some(start) = cut("y").filter(|_| !ends(&["ay", "ey", "oy", "uy"])) {
        start + "ies"
    } else if ends(&["s", "x", "ch", "sh"]) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_date(text: &str) -> bool {
    let form = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() }
        });
    form && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    is_date(date) && is_time(time)
}

fn is_time(text: &str) -> bool {
    let clock = |text: &str, most: &[&str]| {
        let parts: Vec<&str> = text.split(':').collect();
        parts.len() == most.len()
            && parts.iter().zip(most).all(|(part, most)| {
                part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()) && *part <= *most
            })
    };
    let (time, zone) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => text.split_at(at),
        None => return false,
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let zone_fits =
        zone.eq_ignore_ascii_case("z") || clock(zone.get(1..).unwrap_or_default(), &["23", "59"]);
    let fraction_fits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    clock(time, &["23", "59", "59"]) && fraction_fits && zone_fits
}

fn is_email(text: &str) -> bool {
    let Some((user, host)) = text.split_once('@') else { return false };
    let user_fits = user.split('.').all(|part| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-'))
    });
    let is_label = |part: &str| {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (1..=63).contains(&part.len()) && letters && !part.starts_with('-') && !part.ends_with('-')
    };
    user_fits && host.contains('.') && host.split('.').all(is_label)
}

fn is_uri(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte))
    })
}
