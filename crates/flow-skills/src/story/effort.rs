//! A story's size, in points or working time. They are never converted into each other.

use std::fmt;

use serde_json::Value;

/// Minutes of an hour, of a working day of eight hours, and of a working week of five days.
const HOUR: u32 = 60;
const DAY: u32 = 8 * HOUR;
const WEEK: u32 = 5 * DAY;
/// A larger number, of points or of any unit of time, is taken for a mistake.
const MOST: f64 = 10_000.0;

/// The unit of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Story points, in hundredths.
    Points,
    /// Working time, in minutes.
    Time,
}

/// A story's size: one figure, or a range of working time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Its unit.
    pub unit: Unit,
    /// The lower end of a range, else the figure.
    pub least: u32,
    /// The upper end of a range, else the figure; what sums and capacities count.
    pub most: u32,
}

impl Effort {
    /// Reads a member: a number, which counts as points, or text such as `5`, `3h`, `30m`, `1.5d`, `2-3d`, `16 h to 24
    /// h`.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => points(number.as_f64()?),
            Value::String(text) => Self::parse(text),
            _ => None,
        }
    }

    /// Parses a size.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let Some((low, high)) = text.split_once(" to ") else { return Self::single(&text) };
        let (low, high) = (Self::single(low)?, Self::single(high)?);
        let is_range = low.unit == Unit::Time && high.unit == Unit::Time && low.least <= high.most;
        is_range.then_some(Self { most: high.most, ..low })
    }

    /// The points, if it is a whole number of them.
    pub fn whole_points(self) -> Option<u64> {
        let is_whole = self.unit == Unit::Points && self.most.is_multiple_of(100);
        is_whole.then_some(u64::from(self.most / 100))
    }

    /// Parses a size that is not written as two sizes with their units.
    fn single(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return points(number);
        }
        let end = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (figures, unit) = text.split_at(end);
        let minutes = match unit.trim() {
            "m" | "min" | "minutes" => 1,
            "h" | "hour" | "hours" => HOUR,
            "d" | "day" | "days" => DAY,
            "w" | "week" | "weeks" => WEEK,
            "pt" | "pts" | "sp" | "point" | "points" | "story point" | "story points" => {
                return points(figures.trim().parse().ok()?);
            }
            _ => return None,
        };
        let (low, high) = figures.split_once('-').unwrap_or((figures, figures));
        let figure = |text: &str| scaled(text.trim().parse().ok()?, f64::from(minutes));
        let (least, most) = (figure(low)?, figure(high)?);
        (least <= most).then_some(Self { unit: Unit::Time, least, most })
    }
}

impl Unit {
    /// A sum of sizes as text.
    pub fn show(self, sum: u64) -> String {
        match self {
            Self::Points if sum == 100 => "1 point".to_owned(),
            Self::Points => format!("{} points", hundredths(sum)),
            Self::Time => time(sum),
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least != self.most {
            write!(f, "{} to ", self.unit.show(self.least.into()))?;
        }
        f.write_str(&self.unit.show(self.most.into()))
    }
}

/// Minutes as hours if they are at least one and exact to the hundredth, else as minutes.
fn time(minutes: u64) -> String {
    let hour = u64::from(HOUR);
    let is_short = (1..hour).contains(&minutes);
    if is_short || !minutes.is_multiple_of(3) {
        return format!("{minutes} min");
    }
    format!("{} h", hundredths(minutes * 100 / hour))
}

/// Hundredths as a decimal number.
fn hundredths(sum: u64) -> String {
    let (whole, rest) = (sum / 100, sum % 100);
    match (rest, rest % 10) {
        (0, _) => whole.to_string(),
        (_, 0) => format!("{whole}.{}", rest / 10),
        _ => format!("{whole}.{rest:02}"),
    }
}

fn points(number: f64) -> Option<Effort> {
    let most = scaled(number, 100.0)?;
    Some(Effort { unit: Unit::Points, least: most, most })
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be from 0 to 10,000 before"
)]
fn scaled(number: f64, by: f64) -> Option<u32> {
    (0.0..=MOST).contains(&number).then(|| (number * by).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(hundredths: u32) -> Effort {
        Effort { unit: Unit::Points, least: hundredths, most: hundredths }
    }

    fn time(least: u32, most: u32) -> Effort {
        Effort { unit: Unit::Time, least, most }
    }

    #[test]
    fn sizes_read_as_people_write_them() {
        let cases = [
            ("5", Some(points(500))),
            ("0.5", Some(points(50))),
            ("3 points", Some(points(300))),
            ("3h", Some(time(180, 180))),
            ("30m", Some(time(30, 30))),
            ("1.5d", Some(time(720, 720))),
            ("2-3d", Some(time(960, 1440))),
            ("3-2d", None),
            ("soon", None),
            ("-1", None),
            ("1e9", None),
            ("NaN", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Effort::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for minutes in 0..2_000 {
            let size = time(minutes, minutes + minutes % 7);
            assert_eq!(Effort::parse(&size.to_string()), Some(size), "{size}");
            let size = points(minutes * 7);
            assert_eq!(Effort::parse(&size.to_string()), Some(size), "{size}");
        }
        assert_eq!(Effort::parse(&"1h to ".repeat(9_000)), None);
    }
}
