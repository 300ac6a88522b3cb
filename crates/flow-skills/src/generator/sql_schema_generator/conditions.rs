//! The conditions on the rows that a conversion would change, in MySQL and SQLite. Those of PostgreSQL are in
//! [`super::using`].

use super::sort::{Sort, Text};

/// Rows of SQLite that a cast would change: one that is cast back to what it was is not as it was. Blobs always are.
pub(super) fn sqlite(column: &str, new: &Sort) -> String {
    let Sort::Affinity(affinity) = new else { return "1".to_owned() };
    let Some(name) = affinity.name() else { return "0".to_owned() };
    let back = |of: &str| {
        format!("WHEN '{}' THEN CAST(CAST({column} AS {name}) AS {of})", of.to_lowercase())
    };
    let all = ["INTEGER", "REAL", "TEXT"].map(back).join(" ");
    format!("CASE typeof({column}) {all} END IS NOT {column}")
}

/// Rows of MySQL that a conversion would change. It has no cast to most types, so that the condition says what fits; of
/// conversions of which nothing is known, every value.
pub(super) fn mysql(column: &str, old: &Sort, new: &Sort) -> String {
    const WHOLE: &str = "'^(0|-?[1-9][0-9]{0,18})\\\\z'";
    let is_number = matches!(old, Sort::Integer(..) | Sort::Decimal(_) | Sort::Float(_));
    match (old, new) {
        (_, Sort::Integer(least, most)) if is_number => {
            format!("{column} NOT BETWEEN {least} AND {most} OR {column} <> floor({column})")
        }
        (Sort::Text(_), Sort::Integer(least, most)) => format!(
            "CASE WHEN {column} REGEXP {WHOLE} THEN CAST({column} AS DECIMAL(65)) NOT BETWEEN {least} AND {most} ELSE {column} IS NOT NULL END"
        ),
        (_, Sort::Decimal(Some(digits))) if is_number => {
            let scale = digits.after_point();
            let nines = |count: u16| "9".repeat(usize::from(count));
            let whole = nines(digits.precision.saturating_sub(scale));
            let most = format!("{whole}.{}", nines(scale));
            let most = if whole.is_empty() { format!("0{most}") } else { most };
            let most = most.trim_end_matches('.');
            format!(
                "{column} NOT BETWEEN -{most} AND {most} OR {column} <> round({column}, {scale})"
            )
        }
        (Sort::Integer(..), Sort::Float(bits)) => {
            let most = 1_u64 << bits;
            format!("{column} NOT BETWEEN -{most} AND {most}")
        }
        (Sort::Float(_), Sort::Float(_)) => format!("{column} <> CAST({column} AS FLOAT)"),
        (Sort::Float(_) | Sort::Bytes(_) | Sort::Other(_), Sort::Text(_)) => {
            format!("{column} IS NOT NULL")
        }
        // Their texts say the values.
        (_, Sort::Text(text)) => texts(column, text),
        (Sort::Bytes(_), Sort::Bytes(Some(most))) => format!("octet_length({column}) > {most}"),
        (Sort::Timestamp { .. } | Sort::Date, Sort::Timestamp { has_zone, digits }) => {
            let fraction = format!("{column} <> CAST({column} AS DATETIME({digits}))");
            // Before and after these, the type has no values.
            let range = "'1970-01-01 00:00:01' AND '2038-01-19 03:14:07'";
            if *has_zone && !old.has_zone() {
                format!("{column} NOT BETWEEN {range} OR {fraction}")
            } else {
                fraction
            }
        }
        (Sort::Timestamp { .. }, Sort::Date) => format!("{column} <> CAST({column} AS DATE)"),
        (Sort::Time(_), Sort::Time(digits)) => {
            format!("{column} <> CAST({column} AS TIME({digits}))")
        }
        (Sort::Text(_), Sort::Json) => format!("NOT json_valid({column})"),
        _ => format!("{column} IS NOT NULL"),
    }
}

fn texts(column: &str, text: &Text) -> String {
    let longer = text.characters.map(|most| format!("char_length({column}) > {most}"));
    let larger = text.bytes.map(|most| format!("octet_length({column}) > {most}"));
    let blank = text.is_padded.then(|| format!("{column} LIKE '% '"));
    longer.into_iter().chain(larger).chain(blank).collect::<Vec<_>>().join(" OR ")
}
