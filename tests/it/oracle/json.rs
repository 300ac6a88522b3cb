//! A strict JSON reader that preserves the text of strings and numbers, the order of members, and duplicate keys.
//! Written for these tests, so that it shares no error with the product's library.

/// The deepest nesting of a file that is read, counting the outermost object or array as one.
const DEEPEST: usize = 128;
/// The same for an answer, which wraps the content of files.
const DEEPEST_ANSWER: usize = 2 * DEEPEST;

/// A string as written, without its quotes, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) raw: String,
    /// `None` if it contains a lone surrogate.
    pub(crate) plain: Option<String>,
}

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// Its text.
    Number(String),
    Text(Text),
    List(Vec<Json>),
    /// Its members in order, including duplicate ones.
    Map(Vec<(Text, Json)>),
}

/// The byte at which reading stopped, and the reason.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bad(pub(crate) usize, pub(crate) &'static str);

impl Text {
    /// A string that is not from a file, escaped in the shortest common way.
    pub(crate) fn made(plain: &str) -> Self {
        let mut raw = String::new();
        for letter in plain.chars() {
            match letter {
                '"' => raw.push_str("\\\""),
                '\\' => raw.push_str("\\\\"),
                '\n' => raw.push_str("\\n"),
                '\r' => raw.push_str("\\r"),
                '\t' => raw.push_str("\\t"),
                '\u{8}' => raw.push_str("\\b"),
                '\u{c}' => raw.push_str("\\f"),
                letter if letter < ' ' => raw.extend(format!("\\u{:04x}", letter as u32).chars()),
                letter => raw.push(letter),
            }
        }
        Self { raw, plain: Some(plain.to_owned()) }
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.plain.as_deref() == Some(name)
    }
}

impl Json {
    pub(crate) fn text(plain: &str) -> Self {
        Self::Text(Text::made(plain))
    }

    pub(crate) fn count(number: usize) -> Self {
        Self::Number(number.to_string())
    }

    /// A map with these members.
    pub(crate) fn map(members: Vec<(&str, Json)>) -> Self {
        Self::Map(members.into_iter().map(|(name, value)| (Text::made(name), value)).collect())
    }

    /// The member of this name, the last one of several.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        let Self::Map(members) = self else { return None };
        members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| value)
    }

    /// The string's value.
    pub(crate) fn plain(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        text.plain.as_deref()
    }

    /// The value without white space.
    pub(crate) fn compact(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(value) => value.to_string(),
            Self::Number(text) => text.clone(),
            Self::Text(text) => format!("\"{}\"", text.raw),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::compact).collect();
                format!("[{}]", items.join(","))
            }
            Self::Map(members) => {
                let member =
                    |(key, value): &(Text, Json)| format!("\"{}\":{}", key.raw, value.compact());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// The value with each duplicate key once, at its first position, as it is written last and with its last value, at every
    /// level.
    pub(crate) fn without_doubles(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::without_doubles).collect()),
            Self::Map(members) => {
                let mut once: Vec<(Text, Json)> = Vec::new();
                for (key, value) in members {
                    let value = value.without_doubles();
                    match once.iter_mut().find(|(other, _)| same_key(other, &key)) {
                        Some(place) => *place = (key, value),
                        None => once.push((key, value)),
                    }
                }
                Self::Map(once)
            }
            scalar => scalar,
        }
    }

    /// Whether it contains something that JSON permits but that cannot be served: half a surrogate pair, or a number
    /// that no `f64` can represent.
    pub(crate) fn is_unservable(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) => false,
            Self::Number(text) => text.parse::<f64>().unwrap().is_infinite(),
            Self::Text(text) => text.plain.is_none(),
            Self::List(items) => items.iter().any(Self::is_unservable),
            Self::Map(members) => {
                members.iter().any(|(key, value)| key.plain.is_none() || value.is_unservable())
            }
        }
    }
}

fn same_key(one: &Text, other: &Text) -> bool {
    if one.plain.is_some() { one.plain == other.plain } else { one.raw == other.raw }
}

/// Reads the whole of `bytes` as one value.
pub(crate) fn read(bytes: &[u8]) -> Result<Json, Bad> {
    read_whole(bytes, DEEPEST)
}

/// Reads the body of an answer.
pub(crate) fn read_answer(bytes: &[u8]) -> Result<Json, Bad> {
    read_whole(bytes, DEEPEST_ANSWER)
}

fn read_whole(bytes: &[u8], deepest: usize) -> Result<Json, Bad> {
    let (value, end) = read_value(bytes, 0, deepest)?;
    let end = skip_space(bytes, end);
    if end == bytes.len() { Ok(value) } else { Err(Bad(end, "more than one value")) }
}

/// Reads the value that begins at `at` or after white space there; also returns its end.
pub(crate) fn read_first(bytes: &[u8], at: usize) -> Result<(Json, usize), Bad> {
    read_value(bytes, at, DEEPEST)
}

fn read_value(bytes: &[u8], at: usize, deepest: usize) -> Result<(Json, usize), Bad> {
    let mut reader = Reader { bytes, at, deepest };
    let value = reader.value(0)?;
    Ok((value, reader.at))
}

/// The first position from `at` that is not JSON white space.
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    deepest: usize,
}

impl Reader<'_> {
    fn bad<T>(&self, why: &'static str) -> Result<T, Bad> {
        Err(Bad(self.at, why))
    }

    fn peek(&mut self) -> Option<u8> {
        self.at = skip_space(self.bytes, self.at);
        self.bytes.get(self.at).copied()
    }

    fn value(&mut self, depth: usize) -> Result<Json, Bad> {
        match self.peek() {
            Some(b'{' | b'[') if depth == self.deepest => self.bad("nested too deeply"),
            Some(b'{') => self.map(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => Ok(Json::Text(self.text()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            _ => self.bad("not a value"),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, Bad> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return self.bad("not a value");
        }
        self.at += word.len();
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Json, Bad> {
        let mut items = Vec::new();
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.bad("a list goes on with , or ]"),
            }
        }
        self.at += 1;
        Ok(Json::List(items))
    }

    fn map(&mut self, depth: usize) -> Result<Json, Bad> {
        let mut members = Vec::new();
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Map(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.bad("a key is a string");
            }
            let key = self.text()?;
            if self.peek() != Some(b':') {
                return self.bad("a key is followed by :");
            }
            self.at += 1;
            members.push((key, self.value(depth)?));
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.bad("a map goes on with , or }"),
            }
        }
        self.at += 1;
        Ok(Json::Map(members))
    }

    fn digits(&mut self) -> Result<(), Bad> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { self.bad("a digit is missing") } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Json, Bad> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
            if self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                return self.bad("a number does not begin with 0");
            }
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Json::Number(String::from_utf8(self.bytes[start..self.at].to_vec()).unwrap()))
    }

    fn text(&mut self) -> Result<Text, Bad> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.bytes.get(self.at) {
                None => return self.bad("a string has no end"),
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(0..0x20) => return self.bad("a control character in a string"),
                Some(_) => self.at += 1,
            }
        }
        let raw = std::str::from_utf8(&self.bytes[start..self.at]);
        let raw = raw.map_err(|_| Bad(start, "not UTF-8"))?;
        let plain = unescape(raw).map_err(|why| Bad(start, why))?;
        self.at += 1;
        Ok(Text { raw: raw.to_owned(), plain })
    }
}

/// The value of a string; `None` if it contains a lone surrogate.
fn unescape(raw: &str) -> Result<Option<String>, &'static str> {
    let mut units: Vec<u16> = Vec::new();
    let mut letters = raw.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            units.extend(letter.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        units.push(match letters.next() {
            Some(same @ ('"' | '\\' | '/')) => same as u16,
            Some('b') => 8,
            Some('f') => 12,
            Some('n') => 10,
            Some('r') => 13,
            Some('t') => 9,
            Some('u') => {
                let hex: String = letters.by_ref().take(4).collect();
                let right = hex.len() == 4 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !right {
                    return Err("\\u is followed by four hex digits");
                }
                u16::from_str_radix(&hex, 16).map_err(|_| "\\u is followed by four hex digits")?
            }
            _ => return Err("an escape that JSON does not know"),
        });
    }
    Ok(String::from_utf16(&units).ok())
}
