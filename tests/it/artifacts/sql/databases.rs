//! Temporary databases for migrations: one server of PostgreSQL and of MariaDB for all tests, in which each has a database
//! of its own, and files of SQLite. The tests define the expected results.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::artifacts::judge::said;
use crate::support::{fed, wait_until};

/// A database to run scripts in, initially empty.
pub(super) trait Judge {
    fn dialect(&self) -> &'static str;
    fn run(&self, script: &str) -> Result<String, String>;
    /// The same by a client that goes on after an error, where that is how it usually runs.
    fn run_on(&self, script: &str) -> Result<String, String> {
        self.run(script)
    }
    /// The output of a client that goes on after each error.
    fn batch(&self, script: &str) -> String;
    /// The statements, or a command of the client, that make the database empty within a batch.
    fn emptied(&self) -> String;
    /// The names of the tables that are there, as a query.
    fn tables(&self) -> &'static str;
    fn dump(&self) -> String;
    /// Everything, including rows, as the database's own tool writes it.
    fn whole_dump(&self) -> String;
    fn clear(&self);
}

fn feed(command: &mut Command, text: &str) -> Result<String, String> {
    let output = fed(command, text.as_bytes());
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(out) } else { Err(format!("{err}{out}")) }
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

/// The name of a database that no other test has.
fn database() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed))
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

pub(super) const POSTGRES: &str = "/usr/lib/postgresql/15/bin/postgres";

pub(super) struct Postgres {
    server: &'static Server,
    database: String,
}

impl Postgres {
    pub(super) fn start() -> Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        let judge = |server, database: &str| Self { server, database: database.to_owned() };
        let server = SERVER.get_or_init(|| {
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
        });
        let usual = judge(server, "postgres");
        wait_until("the database answers", || usual.run("SELECT 1;").is_ok());
        let database = database();
        usual.run(&format!("CREATE DATABASE {database} TEMPLATE template0;")).unwrap();
        judge(server, &database)
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(Path::new(POSTGRES).with_file_name(program));
        command.arg("-h").arg(&self.server.folder).args(["-U", "postgres", "-d", &self.database]);
        command
    }
}

impl Judge for Postgres {
    fn dialect(&self) -> &'static str {
        "postgresql"
    }
    fn run(&self, script: &str) -> Result<String, String> {
        feed(self.client("psql").args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-"]), script)
    }
    fn run_on(&self, script: &str) -> Result<String, String> {
        feed(self.client("psql").args(["-X", "-q", "-f", "-"]), script)
    }
    fn batch(&self, script: &str) -> String {
        self.run_on(script).unwrap_or_else(|said| said)
    }
    fn emptied(&self) -> String {
        "SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS sales, archive CASCADE;".to_owned()
    }
    fn tables(&self) -> &'static str {
        "SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    }
    fn dump(&self) -> String {
        feed(self.client("pg_dump").args(["--schema-only", "--no-owner"]), "").unwrap()
    }
    fn whole_dump(&self) -> String {
        feed(&mut self.client("pg_dump"), "").unwrap()
    }
    fn clear(&self) {
        self.run(&self.emptied()).unwrap();
    }
}

pub(super) struct MariaDb {
    server: &'static Server,
    database: String,
}

impl MariaDb {
    pub(super) fn start() -> Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        let server = SERVER.get_or_init(|| {
            let folder = folder_of("mysql");
            let data = format!("--datadir={}", folder.path().join("data").display());
            let mut init = as_user("mysql", "mariadb-install-db");
            init.args(["--no-defaults", &data, "--auth-root-authentication-method=normal"]);
            // A server that starts removes the temporary tables of every other from the folder that they share.
            init.arg("--skip-test-db").env("TMPDIR", folder.path());
            said(init.current_dir(folder.path()));
            let mut server = as_user("mysql", "/usr/sbin/mariadbd");
            server.args([
                "--no-defaults",
                &data,
                &format!("--socket={}", folder.path().join("s").display()),
                "--skip-networking",
                "--innodb-flush-log-at-trx-commit=0",
                // Nothing needs to be on the disk after a test.
                "--innodb-flush-method=nosync",
                "--debug-no-sync",
                "--innodb-file-per-table=0",
            ]);
            Server::start(folder, &server)
        });
        let judge = Self { server, database: database() };
        wait_until("the database answers", || {
            judge.client("mariadb").args(["-e", "SELECT 1"]).output().unwrap().status.success()
        });
        judge.clear();
        judge
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let socket = format!("--socket={}", self.server.folder.join("s").display());
        command.args(["--no-defaults", &socket, "-u", "root"]);
        command
    }

    fn feed(&self, program: &str, options: &[&str], text: &str) -> Result<String, String> {
        let mut client = self.client(program);
        feed(client.args(options).args(["--default-character-set=utf8mb4", &self.database]), text)
    }
}

impl Judge for MariaDb {
    fn dialect(&self) -> &'static str {
        "mariadb"
    }
    fn run(&self, script: &str) -> Result<String, String> {
        self.feed("mariadb", &["--binary-mode"], script)
    }
    fn batch(&self, script: &str) -> String {
        self.feed("mariadb", &["--binary-mode", "--force"], script).unwrap_or_else(|said| said)
    }
    fn emptied(&self) -> String {
        let name = &self.database;
        format!(
            "DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4; USE {name};"
        )
    }
    fn tables(&self) -> &'static str {
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database()"
    }
    fn dump(&self) -> String {
        self.feed("mariadb-dump", &["--no-data", "--skip-dump-date"], "").unwrap()
    }
    fn whole_dump(&self) -> String {
        self.feed("mariadb-dump", &["--routines", "--events"], "").unwrap()
    }
    fn clear(&self) {
        feed(&mut self.client("mariadb"), &self.emptied()).unwrap();
    }
}

pub(super) struct Sqlite(tempfile::TempDir);

impl Sqlite {
    pub(super) fn start() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

impl Judge for Sqlite {
    fn dialect(&self) -> &'static str {
        "sqlite"
    }
    fn run(&self, script: &str) -> Result<String, String> {
        // Nothing needs to be on the disk after a test.
        let script = format!("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON;\n{script}");
        feed(Command::new("sqlite3").arg("-bail").arg(self.0.path().join("t.db")), &script)
    }
    fn run_on(&self, script: &str) -> Result<String, String> {
        feed(Command::new("sqlite3").arg(self.0.path().join("t.db")), script)
    }
    fn batch(&self, script: &str) -> String {
        self.run_on(&format!("PRAGMA synchronous = OFF;\n{script}")).unwrap_or_else(|said| said)
    }
    fn emptied(&self) -> String {
        format!(".open --new {}\nPRAGMA synchronous = OFF;", self.0.path().join("t.db").display())
    }
    fn tables(&self) -> &'static str {
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"
    }
    fn dump(&self) -> String {
        // SQLite quotes the name of a renamed table, and has its own table of counters.
        let all = "SELECT type, name, tbl_name, replace(sql, '\"', '') FROM sqlite_master \
                   WHERE name <> 'sqlite_sequence' ORDER BY type, name;";
        self.run(all).unwrap()
    }
    fn whole_dump(&self) -> String {
        let file = self.0.path().join("t.db");
        feed(Command::new("sqlite3").arg(file).arg(".dump"), "").unwrap()
    }
    fn clear(&self) {
        let _ = fs::remove_file(self.0.path().join("t.db"));
    }
}
