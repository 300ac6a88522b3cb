//! The supported databases: their quoting, and the shell commands for counting and backups.

use crate::generator::shell;
use crate::generator::steps::Variable;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    Postgres,
    MySql,
    Sqlite,
    /// A store that is not queried with SQL.
    NoSql,
    /// Any other name; its tables are assumed to be queried with SQL.
    Other,
}

/// Names of stores that are queried with SQL, in lower case, with `|` between them.
const SQL: &str = "postgres|mysql|mariadb|sqlite|oracle|sql server|mssql|bigquery|snowflake|redshift|clickhouse|db2|cockroach";
/// Names of other data stores, in lower case.
const NO_SQL: &str = "mongo|redis|valkey|memcached|dynamodb|cassandra|elasticsearch|opensearch|firestore|couchdb|neo4j|\
    influxdb|s3|gcs|cloud storage|blob storage|minio";

pub(super) fn is_store(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SQL.split('|').chain(NO_SQL.split('|')).any(|store| name.contains(store))
}

impl System {
    pub(super) fn of(place: &str) -> Self {
        let place = place.to_ascii_lowercase();
        let has = |words: &str| words.split('|').any(|word| place.contains(word));
        if has("postgres") {
            Self::Postgres
        } else if has("mysql|mariadb") {
            Self::MySql
        } else if has("sqlite") {
            Self::Sqlite
        } else if has(NO_SQL) {
            Self::NoSql
        } else {
            Self::Other
        }
    }

    pub(super) fn count(self, table: &str) -> String {
        let mark = if self == Self::MySql { '`' } else { '"' };
        let name = format!("{mark}{}{mark}", table.replace(mark, &format!("{mark}{mark}")));
        let text = table.replace('\'', "''");
        let text = if self == Self::MySql { text.replace('\\', "\\\\") } else { text };
        format!("SELECT '{text}' AS table_name, count(*) AS row_count FROM {name};")
    }

    /// The variables by which the commands find the database; `side` is `SOURCE`, `TARGET` or `DATABASE`.
    pub(super) fn variables(self, side: &str) -> Vec<Variable> {
        let variable =
            |name: &str, description| Variable::required(&format!("{side}_{name}"), description);
        match self {
            Self::Postgres => {
                vec![variable("URL", "the address of the database, with user and name")]
            }
            Self::MySql => vec![
                variable("OPTIONS", "an option file with host, user and password"),
                variable("NAME", "the name of the database"),
            ],
            Self::Sqlite => vec![variable("FILE", "the file of the database")],
            Self::NoSql | Self::Other => Vec::new(),
        }
    }

    /// The command that backs the database up to a file, and the file.
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
            Self::NoSql | Self::Other => return None,
        })
    }

    /// The command that counts rows to a file, one table per line with the number at its end.
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
            Self::NoSql | Self::Other => return None,
        })
    }

    /// The command that runs a script and stops at its first error.
    pub(super) fn script(self, side: &str, file: &str) -> Option<String> {
        Some(match self {
            Self::Postgres => format!(
                "psql \"${side}_URL\" --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file={file}"
            ),
            Self::MySql => {
                format!("mysql --defaults-extra-file=\"${side}_OPTIONS\" \"${side}_NAME\" < {file}")
            }
            Self::Sqlite => format!("sqlite3 -bail \"${side}_FILE\" < {file}"),
            Self::NoSql | Self::Other => return None,
        })
    }
}
