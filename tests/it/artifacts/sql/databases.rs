//! Temporary databases for migrations: one server of PostgreSQL and of MariaDB for all tests, in which each has a database
//! of its own, and files of SQLite. The tests define the expected results.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::artifacts::judge::{are_there, said};
use crate::support::{fed, wait_until};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Postgres,
    MariaDb,
    Sqlite,
}
use Dialect::{MariaDb, Postgres, Sqlite};

pub(super) const ALL: [Dialect; 3] = [Postgres, MariaDb, Sqlite];

impl Dialect {
    #[track_caller]
    pub(super) fn is_there(self) -> bool {
        are_there(match self {
            Postgres => &[POSTGRES],
            MariaDb => &["/usr/sbin/mariadbd", "mariadb-install-db"],
            Sqlite => &["sqlite3"],
        })
    }
}

/// Checks something on a database, if it is installed.
#[track_caller]
pub(super) fn on(dialect: Dialect, check: impl FnOnce(&Judge)) {
    if dialect.is_there() {
        check(&Judge::start(dialect));
    }
}

/// Checks something on each database, if all are installed.
#[track_caller]
pub(super) fn on_all(check: impl Fn(&Judge)) {
    if ALL.iter().all(|dialect| dialect.is_there()) {
        ALL.map(Judge::start).iter().for_each(check);
    }
}

/// A temporary server in its own folder. A shell ends it and removes the folder when this process ends and closes its input.
struct Server {
    _shell: Child,
    folder: PathBuf,
}

const WATCHED: &str =
    "\"$@\" </dev/null >/dev/null 2>&1 & cat >/dev/null; kill -9 $!; wait; rm -rf \"$0\"";

impl Server {
    fn start(folder: tempfile::TempDir, command: &Command) -> Self {
        let folder = folder.keep();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", WATCHED])
            .arg(&folder)
            .arg(command.get_program())
            .args(command.get_args());
        shell.env("TMPDIR", &folder).current_dir(&folder).stdin(Stdio::piped());
        Self { _shell: shell.spawn().unwrap(), folder }
    }
}

/// A command as the database's own user, who may not be root.
fn as_user(user: &str, program: &str) -> Command {
    if !nix::unistd::getuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([
        &format!("--reuid={user}"),
        &format!("--regid={user}"),
        "--clear-groups",
        program,
    ]);
    command
}

fn folder_of(user: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    if let Some(user) =
        nix::unistd::User::from_name(user).unwrap().filter(|_| nix::unistd::getuid().is_root())
    {
        chown(folder.path(), Some(user.uid.as_raw()), Some(user.gid.as_raw())).unwrap();
    }
    folder
}

const POSTGRES: &str = "/usr/lib/postgresql/15/bin/postgres";

fn postgres() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = folder_of("postgres");
        let data = folder.path().join("data");
        let bin = Path::new(POSTGRES).parent().unwrap();
        let mut init = as_user("postgres", bin.join("initdb").to_str().unwrap());
        init.arg("-D").arg(&data).args(["-A", "trust", "-U", "postgres", "-E", "UTF8"]);
        said(init.args(["--no-sync", "--locale=C"]).current_dir(folder.path()));
        let mut server = as_user("postgres", POSTGRES);
        server.arg("-D").arg(&data).arg("-k").arg(folder.path());
        server.args(["-c", "listen_addresses=", "-c", "fsync=off"]);
        Server::start(folder, &server)
    })
}

fn mariadb() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = folder_of("mysql");
        let data = format!("--datadir={}", folder.path().join("data").display());
        let mut init = as_user("mysql", "mariadb-install-db");
        init.args(["--no-defaults", &data, "--auth-root-authentication-method=normal"]);
        // A server that starts removes the temporary tables of every other from the folder that they share.
        init.arg("--skip-test-db").env("TMPDIR", folder.path());
        said(init.current_dir(folder.path()));
        let mut server = as_user("mysql", "/usr/sbin/mariadbd");
        server.args(["--no-defaults", &data, &socket(folder.path()), "--skip-networking"]);
        server.arg("--innodb-flush-log-at-trx-commit=0");
        // Nothing needs to be on the disk after a test.
        server.args(["--innodb-flush-method=nosync", "--debug-no-sync"]);
        server.arg("--innodb-file-per-table=0");
        Server::start(folder, &server)
    })
}

fn socket(folder: &Path) -> String {
    format!("--socket={}", folder.join("s").display())
}

/// A database to run scripts in, initially empty.
pub(super) struct Judge {
    dialect: Dialect,
    /// That of its server, or of its file.
    folder: PathBuf,
    name: String,
    _own: tempfile::TempDir,
}

impl Judge {
    pub(super) fn start(dialect: Dialect) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let own = tempfile::tempdir().unwrap();
        let (folder, usual) = match dialect {
            Postgres => (postgres().folder.as_path(), "postgres"),
            MariaDb => (mariadb().folder.as_path(), "information_schema"),
            Sqlite => (own.path(), ""),
        };
        let mut judge = Self { dialect, folder: folder.into(), name: usual.into(), _own: own };
        wait_until("the database answers", || judge.run("SELECT 1;").is_ok());
        let name = format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let made = match dialect {
            Postgres => format!("CREATE DATABASE {name} TEMPLATE template0;"),
            MariaDb => format!("CREATE DATABASE {name} CHARACTER SET utf8mb4;"),
            Sqlite => String::new(),
        };
        judge.run(&made).unwrap();
        judge.name = name;
        judge
    }

    pub(super) fn dialect(&self) -> &'static str {
        match self.dialect {
            Postgres => "postgresql",
            MariaDb => "mariadb",
            Sqlite => "sqlite",
        }
    }

    /// What a client says of a text.
    fn feed(&self, program: &str, options: &[&str], text: &str) -> Result<String, String> {
        let mut command = Command::new(program);
        match self.dialect {
            Postgres => {
                command = Command::new(Path::new(POSTGRES).with_file_name(program));
                command.args(["-U", "postgres", "-d", &self.name, "-h"]).arg(&self.folder);
                command.args(options);
            }
            MariaDb => {
                command.args(["--no-defaults", &socket(&self.folder), "-u", "root"]).args(options);
                command.args(["--default-character-set=utf8mb4", &self.name]);
            }
            Sqlite => _ = command.args(options).arg(self.file()),
        }
        let output = fed(&mut command, text.as_bytes());
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(out) } else { Err(format!("{err}{out}")) }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("t.db")
    }

    pub(super) fn run(&self, script: &str) -> Result<String, String> {
        match self.dialect {
            Postgres => {
                self.feed("psql", &["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-"], script)
            }
            MariaDb => self.feed("mariadb", &["--binary-mode"], script),
            Sqlite => {
                // Nothing needs to be on the disk after a test.
                let before = "PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;\n";
                self.feed("sqlite3", &["-bail"], &[before, script].concat())
            }
        }
    }

    /// The same by a client that goes on after an error, where that is how it usually runs.
    pub(super) fn run_on(&self, script: &str) -> Result<String, String> {
        match self.dialect {
            Postgres => self.feed("psql", &["-X", "-q", "-f", "-"], script),
            MariaDb => self.run(script),
            Sqlite => self.feed("sqlite3", &[], script),
        }
    }

    /// The output of a client that goes on after each error.
    pub(super) fn batch(&self, script: &str) -> String {
        let said = match self.dialect {
            Postgres => self.run_on(script),
            MariaDb => self.feed("mariadb", &["--binary-mode", "--force"], script),
            Sqlite => self.run_on(&format!("PRAGMA synchronous = OFF;\n{script}")),
        };
        said.unwrap_or_else(|said| said)
    }

    /// The statements, or a command of the client, that make the database empty within a batch.
    pub(super) fn emptied(&self) -> String {
        let Self { name, .. } = self;
        match self.dialect {
            Postgres => "SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS sales, archive CASCADE;".to_owned(),
            MariaDb => format!("DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4; USE {name};"),
            Sqlite => format!(".open --new {}\nPRAGMA synchronous = OFF;", self.file().display()),
        }
    }

    /// The names of the tables that are there, as a query.
    pub(super) fn tables(&self) -> &'static str {
        match self.dialect {
            Postgres => {
                "SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
            }
            MariaDb => {
                "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database()"
            }
            Sqlite => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"
            }
        }
    }

    pub(super) fn dump(&self) -> String {
        // SQLite quotes the name of a renamed table, and has its own table of counters.
        const OF_SQLITE: &str = "SELECT type, name, tbl_name, replace(sql, '\"', '') FROM sqlite_master \
                                 WHERE name <> 'sqlite_sequence' ORDER BY type, name;";
        let dump = match self.dialect {
            Postgres => self.feed("pg_dump", &["--schema-only", "--no-owner"], ""),
            MariaDb => self.feed("mariadb-dump", &["--no-data", "--skip-dump-date"], ""),
            Sqlite => self.run(OF_SQLITE),
        };
        dump.unwrap()
    }

    /// Everything, including rows, as the database's own tool writes it.
    pub(super) fn whole_dump(&self) -> String {
        let dump = match self.dialect {
            Postgres => self.feed("pg_dump", &[], ""),
            MariaDb => self.feed("mariadb-dump", &["--routines", "--events"], ""),
            Sqlite => self.feed("sqlite3", &[], ".dump"),
        };
        dump.unwrap()
    }

    pub(super) fn clear(&self) {
        match self.dialect {
            Sqlite => _ = fs::remove_file(self.file()),
            _ => _ = self.run(&self.emptied()).unwrap(),
        }
    }
}
