//! The databases that are known by name: how they quote, count, and are backed up from a shell.

use crate::generator::shell;

/// What holds the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    Postgres,
    MySql,
    Sqlite,
    Other,
}

/// A variable that a command needs: its name and what it is.
pub(super) type Variable = (String, &'static str);

impl System {
    pub(super) fn of(place: &str) -> Self {
        let place = place.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| place.contains(word));
        if has(&["postgres"]) {
            Self::Postgres
        } else if has(&["mysql", "mariadb"]) {
            Self::MySql
        } else if has(&["sqlite"]) {
            Self::Sqlite
        } else {
            Self::Other
        }
    }

    /// A query that counts the rows of a table.
    pub(super) fn count(self, table: &str) -> String {
        let mark = if self == Self::MySql { '`' } else { '"' };
        let name = format!("{mark}{}{mark}", table.replace(mark, &format!("{mark}{mark}")));
        let text = table.replace('\'', "''");
        let text = if self == Self::MySql { text.replace('\\', "\\\\") } else { text };
        format!("SELECT '{text}' AS table_name, count(*) AS row_count FROM {name};")
    }

    /// The variables by which the commands find the database; `side` is `SOURCE`, `TARGET` or `DATABASE`.
    pub(super) fn variables(self, side: &str) -> Vec<Variable> {
        let url = "the address of the database, with user and name";
        let file = "the file of the database";
        match self {
            Self::Postgres => vec![(format!("{side}_URL"), url)],
            Self::MySql => vec![
                (format!("{side}_OPTIONS"), "an option file with host, user and password"),
                (format!("{side}_NAME"), "the name of the database"),
            ],
            Self::Sqlite => vec![(format!("{side}_FILE"), file)],
            Self::Other => Vec::new(),
        }
    }

    /// Backs the database up into a file: the command and the file.
    pub(super) fn backup(self, side: &str) -> Option<(String, &'static str)> {
        Some(match self {
            Self::Postgres => (
                format!("pg_dump --format=custom --file=backup.dump \"${side}_URL\""),
                "backup.dump",
            ),
            Self::MySql => (
                format!(
                    "mysqldump --defaults-extra-file=\"${side}_OPTIONS\" --single-transaction --result-file=backup.sql \"${side}_NAME\""
                ),
                "backup.sql",
            ),
            Self::Sqlite => {
                (format!("sqlite3 \"${side}_FILE\" \".backup 'backup.db'\""), "backup.db")
            }
            Self::Other => return None,
        })
    }

    /// Counts rows into a file, one table on a line, the number at its end.
    pub(super) fn counts(self, side: &str, tables: &[String], file: &str) -> Option<String> {
        let queries: Vec<String> = tables.iter().map(|table| self.count(table)).collect();
        let queries = shell::quote(&queries.join(" "));
        Some(match self {
            _ if tables.is_empty() => return None,
            Self::Postgres => format!(
                "printf '%s' {queries} | psql \"${side}_URL\" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 > {file}"
            ),
            Self::MySql => format!(
                "mysql --defaults-extra-file=\"${side}_OPTIONS\" --batch --raw --skip-column-names --execute {queries} \"${side}_NAME\" > {file}"
            ),
            Self::Sqlite => {
                format!("sqlite3 -bail -list -separator '|' \"${side}_FILE\" {queries} > {file}")
            }
            Self::Other => return None,
        })
    }

    /// Runs a script, and stops at its first error.
    pub(super) fn script(self, side: &str, file: &str) -> Option<String> {
        Some(match self {
            Self::Postgres => format!(
                "psql \"${side}_URL\" --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file={file}"
            ),
            Self::MySql => {
                format!("mysql --defaults-extra-file=\"${side}_OPTIONS\" \"${side}_NAME\" < {file}")
            }
            Self::Sqlite => format!("sqlite3 -bail \"${side}_FILE\" < {file}"),
            Self::Other => return None,
        })
    }
}
