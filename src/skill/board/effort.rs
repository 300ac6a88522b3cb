//! A story's size: points, or working time. One is never turned into the other.

use std::fmt;

use serde_json::Value;

/// Minutes of a working hour and hours of a working day: `1d` is eight hours.
const HOUR: u32 = 60;
const DAY: u32 = 8 * HOUR;
/// A size above this is taken for a mistake: 10,000 points, or as many hours.
const MOST: f64 = 10_000.0;

/// A story's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Story points, in hundredths.
    Points(u32),
    /// Working time from … to …, in minutes; equal where one figure is given.
    Time(u32, u32),
}

impl Effort {
    /// Reads what a member says: a number, which counts as points, or text such as `5`, `3h`, `30m`, `1.5d`, `2-3d`.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => points(number.as_f64()?),
            Value::String(text) => Self::parse(text),
            _ => None,
        }
    }

    /// Reads a size from text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        if let Ok(number) = text.parse() {
            return points(number);
        }
        let end = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (figures, unit) = text.split_at(end);
        let minutes = match unit.trim() {
            "m" | "min" | "minutes" => 1,
            "h" | "hour" | "hours" => HOUR,
            "d" | "day" | "days" => DAY,
            "pt" | "pts" | "point" | "points" => return points(figures.trim().parse().ok()?),
            _ => return None,
        };
        let (low, high) = figures.split_once('-').unwrap_or((figures, figures));
        let (low, high) = (whole(low, minutes)?, whole(high, minutes)?);
        (low <= high).then_some(Self::Time(low, high))
    }

    /// What has to fit: points in hundredths, or the longer time in minutes.
    pub fn most(self) -> u32 {
        match self {
            Self::Points(points) => points,
            Self::Time(_, high) => high,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Points(100) => write!(f, "1 point"),
            Self::Points(points) => write!(f, "{} points", f64::from(points) / 100.0),
            Self::Time(low, high) if low == high => write!(f, "{}", hours(low)),
            Self::Time(low, high) => write!(f, "{} to {}", hours(low), hours(high)),
        }
    }
}

fn hours(minutes: u32) -> String {
    if minutes.is_multiple_of(HOUR) || minutes > HOUR {
        format!("{} h", f64::from(minutes) / f64::from(HOUR))
    } else {
        format!("{minutes} min")
    }
}

fn points(number: f64) -> Option<Effort> {
    scaled(number, 100.0).map(Effort::Points)
}

fn whole(figure: &str, minutes: u32) -> Option<u32> {
    scaled(figure.trim().parse().ok()?, f64::from(minutes))
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

    #[test]
    fn sizes_read_as_people_write_them() {
        let cases = [
            ("5", Some(Effort::Points(500))),
            ("0.5", Some(Effort::Points(50))),
            ("3 points", Some(Effort::Points(300))),
            ("3h", Some(Effort::Time(180, 180))),
            ("30m", Some(Effort::Time(30, 30))),
            ("1.5d", Some(Effort::Time(720, 720))),
            ("2-3d", Some(Effort::Time(960, 1440))),
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
    fn sizes_are_shown_as_they_were_meant() {
        let shown = |text: &str| Effort::parse(text).unwrap().to_string();
        assert_eq!(shown("5"), "5 points");
        assert_eq!(shown("1"), "1 point");
        assert_eq!(shown("2.5"), "2.5 points");
        assert_eq!(shown("30m"), "30 min");
        assert_eq!(shown("90m"), "1.5 h");
        assert_eq!(shown("2-3d"), "16 h to 24 h");
    }
}
