//! What a view must say beside its lists: files whose current content is not served, and the number of records that may
//! not be read as meant, with the places of the first. It follows from the answers of `/api/health` and `/api/problems`, for every view in the same way.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

/// The states of a source whose current content is not served.
const UNREAD: [&str; 4] = ["invalid", "unreadable", "refused", "too_large"];
/// The levels of problems of records that may not be read as meant: those that are not served are not.
const DOUBTFUL: [&str; 2] = ["suspicious", "skipped"];

/// Largest number of places that are kept.
const PLACES: usize = 3;

/// What may be missing or wrong in the lists of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// The files whose current content is not served.
    pub unread: Vec<Unread>,
    /// Number of records, and of lines of the log, that are skipped or suspicious.
    pub records: u64,
    /// The places of the first of them: an id, or a line of a file.
    pub places: Vec<String>,
}

/// A file whose current content is not served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Its path, relative to the root.
    pub path: String,
    /// Why it is not served.
    pub reason: String,
    /// When the version that is served instead was loaded, RFC 3339 in UTC; `None` if no version was valid yet.
    pub loaded_at: Option<String>,
}

#[derive(Deserialize)]
struct Health {
    sources: BTreeMap<String, Source>,
}

#[derive(Deserialize)]
struct Source {
    path: String,
    state: String,
    loaded_at: Option<String>,
    last_error: Option<String>,
    #[serde(default)]
    skipped: u64,
    #[serde(default)]
    suspicious: u64,
}

#[derive(Deserialize)]
struct Problems {
    problems: Vec<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    source: String,
    #[serde(default)]
    level: String,
    id: Option<String>,
    line: Option<u64>,
}

impl Caveats {
    /// Reads the answers of `/api/health` and `/api/problems`.
    ///
    /// # Errors
    /// When one of them is another JSON document.
    pub fn read(health: &str, problems: &str) -> serde_json::Result<Self> {
        let health: Health = serde_json::from_str(health)?;
        let Problems { mut problems } = serde_json::from_str(problems)?;
        problems.retain(|problem| DOUBTFUL.contains(&problem.level.as_str()));
        let listed = problems.len() as u64;
        let places: IndexSet<(&str, Option<&str>, Option<u64>)> = problems
            .iter()
            .map(|problem| (problem.source.as_str(), problem.id.as_deref(), problem.line))
            .collect();
        let counted: u64 =
            health.sources.values().map(|source| source.skipped + source.suspicious).sum();
        // Of many problems only the newest are listed.
        let records = places.len() as u64 + counted.saturating_sub(listed);
        let unread = health.sources.into_values().filter_map(Source::unread).collect();
        let place = |(source, id, line): &(&str, Option<&str>, Option<u64>)| match (id, line) {
            (Some(id), _) => (*id).to_owned(),
            (None, Some(line)) => format!("line {line} of {source}"),
            (None, None) => (*source).to_owned(),
        };
        let places = places.iter().take(PLACES).map(place).collect();
        Ok(Self { unread, records, places })
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.unread.is_empty() && self.records == 0
    }

    /// A sentence with the number of records; `None` if there are none.
    pub fn of_records(&self) -> Option<String> {
        match self.records {
            0 => None,
            1 => Some("1 record may not be read as meant".to_owned()),
            count => Some(format!("{count} records may not be read as meant")),
        }
    }
}

impl Source {
    fn unread(self) -> Option<Unread> {
        let is_unread = UNREAD.contains(&self.state.as_str());
        is_unread.then(|| Unread {
            path: self.path,
            reason: self.last_error.unwrap_or(self.state),
            loaded_at: self.loaded_at,
        })
    }
}

impl Unread {
    /// A sentence with the cause. `age` is that of the version that is served, as `5 s ago`, or its time.
    pub fn sentence(&self, age: Option<&str>) -> String {
        let Self { path, reason, .. } = self;
        let version = match age {
            Some(age) => format!("showing the version from {age}"),
            None => "no valid version read yet".to_owned(),
        };
        format!("{path} cannot be read: {reason}; {version}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(state: &str, counts: &str) -> String {
        format!(
            r#""{state}":{{"path":"{state}.json","state":"{state}","loaded_at":null,"last_error":null{counts}}}"#
        )
    }

    #[test]
    fn a_record_with_several_problems_counts_once_and_a_repaired_one_does_not() {
        let sources = [
            source("present", r#","skipped":1,"suspicious":3,"repaired":1"#),
            source("invalid", r#","suspicious":2"#),
        ];
        let health = format!("{{\"sources\":{{{}}}}}", sources.join(","));
        let problems = r#"{"problems":[
            {"source":"invalid","level":"invalid","line":3,"reason":""},
            {"source":"status","level":"suspicious","id":"US-1","reason":"a"},
            {"source":"status","level":"suspicious","id":"US-1","reason":"b"},
            {"source":"status","level":"repaired","id":"US-2","reason":""},
            {"source":"tasks","level":"suspicious","id":"US-1","reason":""},
            {"source":"bus","level":"skipped","line":3,"reason":""}]}"#;
        let found = Caveats::read(&health, problems).unwrap();
        assert_eq!(found.unread.len(), 1);
        assert_eq!(found.records, 5, "two of the suspicions are not listed");
        assert_eq!(found.of_records().unwrap(), "5 records may not be read as meant");
        assert_eq!(
            found.unread[0].sentence(None),
            "invalid.json cannot be read: invalid; no valid version read yet"
        );
    }

    #[test]
    fn a_sound_project_has_none() {
        let health = format!("{{\"sources\":{{{}}}}}", source("missing", ",\"skipped\":0"));
        let found = Caveats::read(&health, r#"{"problems":[]}"#).unwrap();
        assert!(found.is_empty() && found.of_records().is_none());
    }
}
