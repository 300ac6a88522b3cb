//! Finds the option that a record states as chosen: `"A", because …` as in MADR, or an option's name with more or fewer
//! words.

use super::options::Choice;

/// Marks around the name of the chosen option.
const MARKS: [(&str, &str); 4] = [("**", "**"), ("\"", "\""), ("“", "”"), ("'", "'")];
/// Phrases between a name and its reason.
const BECAUSE: [&str; 4] = [", because ", " because ", ", due to ", ", since "];
/// Largest number of words besides the name of an option: a longer statement is more than a choice.
const MOST_BESIDE: usize = 4;

#[derive(Debug, Clone, Copy)]
pub(super) struct Stated<'a> {
    /// The name of the option, as stated.
    pub(super) name: &'a str,
    pub(super) because: Option<&'a str>,
    /// The option that it refers to.
    pub(super) option: Option<&'a Choice>,
}

impl<'a> Stated<'a> {
    /// Whether it is an option's name, with nothing but a reason.
    pub(super) fn is_whole(&self) -> bool {
        self.option.is_some_and(|option| is_same(&option.name, self.name))
    }

    /// Reads a statement. Of its readings, one that names an option exactly is preferred, else one that names a single
    /// option with more or fewer words.
    pub(super) fn read(text: &'a str, options: &'a [Choice]) -> Self {
        let readings = readings(text);
        let named = |stated: &Self, option| Some(Self { option: Some(option?), ..*stated });
        let by = |is_same: fn(&str, &str) -> bool| {
            let option = |stated: &Self| options.iter().find(|all| is_same(&all.name, stated.name));
            readings.iter().find_map(|stated| named(stated, option(stated)))
        };
        let near = |stated: &Self| named(stated, nearest(stated.name, options));
        by(|option, name| option.to_lowercase() == name.to_lowercase())
            .or_else(|| by(is_same))
            .or_else(|| readings.iter().rev().find_map(near))
            .unwrap_or_else(|| plain(text))
    }
}

/// The reading that depends on no option: without MADR's reason, and without quotes around the whole name.
fn plain(text: &str) -> Stated<'_> {
    let (name, because) = match text.split_once(", because ") {
        Some((name, why)) => (name, Some(why)),
        None => (text, None),
    };
    let name = name.strip_suffix(" because").unwrap_or(name).trim_end_matches([',', ' ']);
    let inner = |(open, close): &(&str, &str)| name.strip_prefix(open)?.strip_suffix(close);
    let name = MARKS.iter().find_map(inner).unwrap_or(name.trim_end_matches('.'));
    Stated { name, because, option: None }
}

/// The possible readings of a statement: the whole, up to a phrase for a reason, and between marks.
fn readings(text: &str) -> Vec<Stated<'_>> {
    let mut found = vec![Stated { name: text, because: None, option: None }, plain(text)];
    for word in BECAUSE {
        let split = text.split_once(word);
        found.extend(split.map(|(name, why)| Stated { name, because: Some(why), option: None }));
    }
    for (open, close) in MARKS {
        let Some(inner) = text.strip_prefix(open) else { continue };
        for (name, rest) in inner.rsplit_once(close).into_iter().chain(inner.split_once(close)) {
            found.push(Stated { name, because: reason(rest), option: None });
        }
    }
    found
}

/// The reason after a name, without its introductory phrase.
fn reason(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([',', '.', ' ']);
    let words = ["because", "due to", "since"];
    let bare = words.into_iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest).trim();
    Some(bare).filter(|bare| bare.contains(char::is_alphanumeric))
}

/// Whether two names are of the same option: their words are, beside a number as in `Option 3: …`.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let bare = |words: &[String]| match words {
        [first, number, rest @ ..]
            if first == "option" && !rest.is_empty() && number.parse::<u32>().is_ok() =>
        {
            rest.to_vec()
        }
        all => all.to_vec(),
    };
    one == other && !one.is_empty() || bare(&one) == bare(&other) && one.len() != other.len()
}

/// A name without the address of the link that it is.
pub(super) fn unlinked(name: &str) -> &str {
    let link = name.strip_prefix('[').and_then(|rest| rest.split_once("]("));
    link.filter(|(_, target)| target.ends_with(')')).map_or(name, |(text, _)| text)
}

/// The only option whose words are among the stated ones, or vice versa; else the only one whose number is stated, as
/// in `Option 3: …`.
fn nearest<'a>(name: &str, options: &'a [Choice]) -> Option<&'a Choice> {
    let stated = words(name);
    let only = |is_near: &dyn Fn(&[String]) -> bool| {
        let mut near = options.iter().filter(|option| is_near(&words(&option.name)));
        near.next().filter(|_| near.next().is_none())
    };
    let is_stated =
        |part: &[String]| contains(&stated, part) && stated.len() <= part.len() + MOST_BESIDE;
    only(&|option| is_stated(option) || contains(option, &stated)).or_else(|| {
        only(&|option| {
            option.len() > 2
                && option.first().is_some_and(|word| word == "option")
                && option.get(..2).is_some_and(is_stated)
        })
    })
}

fn contains(all: &[String], part: &[String]) -> bool {
    !part.is_empty() && all.windows(part.len()).any(|window| window == part)
}

/// The words of a name in lower case, without marks and link targets.
fn words(name: &str) -> Vec<String> {
    let mut bare = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("](") {
        bare.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    bare.push_str(rest);
    let parts = bare.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn names(text: &str, options: [&str; 2], expected: Option<&str>, because: Option<&str>) {
        let options: Vec<Choice> = options.map(Choice::bare).into();
        let stated = Stated::read(text, &options);
        assert_eq!(stated.option.map(|option| option.name.as_str()), expected, "{text}");
        assert_eq!(stated.because, because, "{text}");
    }

    #[test]
    fn records_name_options_with_marks_and_reasons() {
        let tools = ["[MADR](https://example.org) 4 – the template", "Formless"];
        names("\"MADR 4\", because", tools, Some(tools[0]), None);
        names("\"Formless\", because it is free", tools, Some("Formless"), Some("it is free"));
        names("**Formless**. It is free", tools, Some("Formless"), Some("It is free"));
        names(
            "\"Formless\" because, all in all, it is free",
            tools,
            Some("Formless"),
            Some(", all in all, it is free"),
        );
        names("MySQL", tools, None, None);
    }

    #[test]
    fn an_option_is_named_by_its_number_and_never_by_a_word_of_two() {
        let clients = ["Option 1: a new client", "Option 2: the old client"];
        names(
            "We take Option 2, since it is there",
            clients,
            Some(clients[1]),
            Some("it is there"),
        );
        names("the client", clients, None, None);
        names("client", clients, None, None);
        let long = "After a careful look at all of them we build on the old client";
        names(long, ["the old client", "a new one"], None, None);
    }

    #[test]
    fn quotes_inside_of_a_name_are_part_of_it() {
        let places = ["Section \"Pros\" after \"Outcome\"", "Neutral, because …"];
        names("Section 'Pros' after 'Outcome'", places, Some(places[0]), None);
        names(
            "\"Neutral, because …\", because it reads well",
            places,
            Some(places[1]),
            Some("it reads well"),
        );
    }
}
