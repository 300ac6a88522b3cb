//! The values below, at and above the bounds in a criterion, and the expected outcome of each.

use super::refusal::{is_forbidden, is_refusal};
use super::test_case::Kind;
use crate::data::recognise::{plural, singular};
use crate::input::notation::bounds::{Bounds, CURRENCIES, Sort};

/// A value at a bound.
pub(super) struct Value {
    /// The number and its unit.
    text: String,
    /// Its position relative to the bound: `below`, `at`, `above`.
    place: &'static str,
    pub(super) kind: Kind,
    /// The expected outcome; `None` if it is what the criterion says.
    pub(super) outcome: Option<&'static str>,
}

impl Value {
    pub(super) fn name(&self) -> String {
        format!("{}, {} the bound", self.text, self.place)
    }

    pub(super) fn given(&self) -> String {
        given(&self.text)
    }
}

/// The step with a number and its unit.
pub(super) fn given(value: &str) -> String {
    format!("a value of {value}")
}

/// The values below, at and above each number of a range, and those of which the text states no outcome.
pub(super) fn values(text: &str, bounds: &Bounds) -> (Vec<Value>, Vec<String>) {
    let outcomes = outcomes(text, bounds);
    let is_included = bounds.sort != Sort::Comparison;
    let mut open = Vec::new();
    let mut found = Vec::new();
    let mut add = |number: &str, place, is_inside: bool| {
        let text = with_unit(number, bounds);
        match outcomes[usize::from(!is_inside)] {
            Some((kind, outcome)) => found.push(Value { text, place, kind, outcome }),
            None => open.push(text),
        }
    };
    let is_range = bounds.least.is_some() && bounds.most.is_some();
    if let Some([below, at, above]) = bounds.least.as_ref().and_then(around) {
        add(&below, "below", false);
        add(&at, "at", is_included);
        if !is_range {
            add(&above, "above", true);
        }
    }
    if let Some([below, at, above]) = bounds.most.as_ref().and_then(around) {
        // Nothing at all is often refused for another reason.
        if !is_range && (below != "0" || bounds.sort == Sort::Expiry) {
            add(&below, "below", true);
        }
        if bounds.least != bounds.most {
            add(&at, "at", is_included);
        }
        add(&above, "above", false);
    }
    match bounds.sort {
        // What happens in such a time, or to what can expire, is said by the other words of the criterion.
        Sort::Expiry if !bounds.is_limit => (Vec::new(), Vec::new()),
        Sort::Deadline if !bounds.is_limit => (Vec::new(), open),
        _ => (found, open),
    }
}

/// A number with the unit of bounds, in the number's grammatical form: `1 try`, `2 tries`.
fn with_unit(number: &str, bounds: &Bounds) -> String {
    let Some(unit) = &bounds.unit else { return number.to_owned() };
    let is_of_one =
        bounds.most.as_ref().or(bounds.least.as_ref()).is_some_and(|most| most.as_u64() == Some(1));
    match number {
        _ if unit.starts_with(CURRENCIES) => format!("{unit}{number}"),
        _ if unit.len() <= 3 || unit == "percent" => format!("{number} {unit}"),
        "1" => format!("1 {}", singular(unit)),
        _ if is_of_one => format!("{number} {}", plural(unit)),
        _ => format!("{number} {unit}"),
    }
}

/// The kind of a case, and its outcome; `None` is what the criterion says.
type Outcome = (Kind, Option<&'static str>);

/// The outcomes inside and outside of a bound; outside of one that is no limit, none is stated.
fn outcomes(text: &str, bounds: &Bounds) -> [Option<Outcome>; 2] {
    let (positive, negative) =
        (|text| (Kind::Positive, Some(text)), |text| (Kind::Negative, Some(text)));
    let (accepted, refused) = (positive("it is accepted"), negative("it is refused"));
    let [inside, outside] = match bounds.sort {
        Sort::Expiry if bounds.is_limit => {
            [positive("it has not expired"), negative("it has expired")]
        }
        Sort::Deadline if bounds.is_limit => {
            [positive("it is in time"), negative("it is too late")]
        }
        // "Over 5 MB is refused" names the values outside.
        Sort::Comparison if is_refusal(text) || is_forbidden(text) => [refused, accepted],
        Sort::Limit | Sort::Comparison
            if !is_forbidden(text) && (bounds.is_limit || is_acceptance(text)) =>
        {
            [accepted, refused]
        }
        _ => return [Some((Kind::Positive, None)), None],
    };
    [Some(inside), Some(outside)]
}

/// Whether a text ends by accepting what it is of: `Names between 2 and 50 characters are accepted`.
fn is_acceptance(text: &str) -> bool {
    let mut words = text.trim_end_matches('.').rsplit(' ');
    words.next().is_some_and(|last| ["accepted", "allowed"].contains(&last))
        && words.next().is_some_and(|verb| ["is", "are", "be"].contains(&verb))
}

/// A number with its neighbours below and above, in its last decimal place.
fn around(number: &serde_json::Number) -> Option<[String; 3]> {
    if let Some(whole) = number.as_i64() {
        let (below, above) = (whole.checked_sub(1)?, whole.checked_add(1)?);
        return Some([below, whole, above].map(|number| number.to_string()));
    }
    let written = number.to_string();
    let places = written.split_once('.')?.1.len();
    let number = number.as_f64()?;
    let step = 10_f64.powi(-i32::try_from(places).ok()?);
    let shown = |number: f64| format!("{number:.places$}");
    Some([shown(number - step), written, shown(number + step)])
}
