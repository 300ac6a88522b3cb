//! What a criterion has that can be negated: a bound, a role, or a precondition.

use super::scenario::Scenario;

/// Something to negate, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negation {
    /// `bound`, `role` or `precondition`.
    pub basis: &'static str,
    /// The precondition of the positive case at a bound; none otherwise.
    pub inside: Option<String>,
    /// What holds in the negative case.
    pub outside: String,
}

/// On which side of its number a bound lets pass; an exact number is tried one above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Most,
    Least,
    Below,
    Above,
}

const BOUNDS: &[(&str, Side)] = &[
    ("at most ", Side::Most),
    ("no more than ", Side::Most),
    ("not more than ", Side::Most),
    ("up to ", Side::Most),
    ("maximum of ", Side::Most),
    ("max ", Side::Most),
    ("maximum ", Side::Most),
    ("within ", Side::Most),
    ("limited to ", Side::Most),
    ("expires after ", Side::Most),
    ("expire after ", Side::Most),
    ("at least ", Side::Least),
    ("no fewer than ", Side::Least),
    ("no less than ", Side::Least),
    ("minimum of ", Side::Least),
    ("minimum ", Side::Least),
    ("min ", Side::Least),
    ("less than ", Side::Below),
    ("fewer than ", Side::Below),
    ("under ", Side::Below),
    ("more than ", Side::Above),
    ("over ", Side::Above),
    ("longer than ", Side::Above),
    ("exactly ", Side::Most),
    ("after ", Side::Above),
];
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// The ways in which a criterion can be negated, a bound first.
pub fn negations(scenario: &Scenario) -> Vec<Negation> {
    let texts = scenario.given.iter().chain(&scenario.when).chain(&scenario.then);
    let mut found: Vec<Negation> = texts.clone().filter_map(|text| bound(text)).take(1).collect();
    found.extend(texts.filter_map(|text| only(text)).take(1));
    for given in &scenario.given {
        let words: Vec<&str> = given.split(' ').collect();
        let is_role = matches!(words[0], "a" | "an") && words.len() <= 4;
        let anybody = ["user", "visitor", "guest", "person", "anyone"]
            .iter()
            .any(|any| words.last() == Some(any));
        if is_role && !anybody {
            found.push(Negation {
                basis: "role",
                inside: None,
                outside: format!("somebody who is not {given}"),
            });
        } else if words.len() > 2 {
            found.push(Negation {
                basis: "precondition",
                inside: None,
                outside: format!("not given: {given}"),
            });
        }
    }
    found
}

/// A bound in a text, with its number just inside and just outside.
fn bound(text: &str) -> Option<Negation> {
    let lower = text.to_ascii_lowercase();
    let found = BOUNDS.iter().filter_map(|(phrase, side)| {
        let at = lower
            .match_indices(phrase)
            .map(|(at, _)| at)
            .find(|at| *at == 0 || !lower[..*at].ends_with(|c: char| c.is_alphanumeric()))?;
        let rest = &lower[at + phrase.len()..];
        let (number, unit) = quantity(rest)?;
        Some((at, *side, number, unit))
    });
    let (_, side, number, unit) = found.min_by_key(|(at, ..)| *at)?;
    let (inside, outside) = match side {
        Side::Most => (number, number.checked_add(1)?),
        Side::Least => (number, number.checked_sub(1)?),
        Side::Below => (number.checked_sub(1)?, number),
        Side::Above => (number.checked_add(1)?, number),
    };
    let with = |number: u64| format!("a value of {number}{unit}");
    Some(Negation {
        basis: "bound",
        inside: Some(format!("{}, just inside the bound", with(inside))),
        outside: format!("{}, just outside the bound", with(outside)),
    })
}

/// The whole number that a text begins with, and its unit with a space before it.
fn quantity(text: &str) -> Option<(u64, String)> {
    let mut words = text.split(' ');
    let first = words.next()?.trim_end_matches([',', '.', ';']);
    let digits = first.replace(',', "");
    let number = digits
        .parse()
        .ok()
        .or_else(|| NUMBERS.iter().position(|word| *word == first).map(|number| number as u64))?;
    let unit =
        words.next().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%'));
    let unit = unit
        .filter(|unit| !unit.is_empty() && !matches!(*unit, "and" | "or" | "then" | "the" | "a"));
    Some((number, unit.map(|unit| format!(" {unit}")).unwrap_or_default()))
}

/// A role that alone may: "only admins can …".
fn only(text: &str) -> Option<Negation> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find("only ").filter(|at| *at == 0 || lower[..*at].ends_with(' '))?;
    let rest = &text[at + 5..];
    let end = [" can ", " may ", " must ", " are ", " is ", " see ", " sees "]
        .iter()
        .filter_map(|verb| rest.find(verb))
        .min()?;
    let role = rest[..end].trim();
    (!role.is_empty() && role.split(' ').count() <= 4).then(|| Negation {
        basis: "role",
        inside: None,
        outside: format!("somebody who is none of: {role}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_roles_and_preconditions_are_found() {
        let of = |text: &str| {
            bound(text).map(|found| found.outside.replace(", just outside the bound", ""))
        };
        assert_eq!(of("a file is at most 5 MB"), Some("a value of 6 mb".into()));
        assert_eq!(of("at least three tries"), Some("a value of 2 tries".into()));
        assert_eq!(of("The link expires after 30 minutes"), Some("a value of 31 minutes".into()));
        assert_eq!(of("up to 1,000 rows"), Some("a value of 1001 rows".into()));
        assert_eq!(of("it is fast"), None);
        assert_eq!(of("at most 18446744073709551615 x"), None);
        assert_eq!(
            only("Only admins can see it").unwrap().outside,
            "somebody who is none of: admins"
        );
    }
}
