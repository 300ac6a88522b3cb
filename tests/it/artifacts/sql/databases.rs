//! Temporary databases for migrations: PostgreSQL, MariaDB and SQLite, each in a folder that is removed at the end.
//! The tests define the expected results.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

/// A temporary server in its own folder, killed at the end.
struct Server {
    child: Child,
    socket: PathBuf,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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

pub(super) const POSTGRES: &str = "/usr/lib/postgresql/15/bin/postgres";

pub(super) struct Postgres(Server);

impl Postgres {
    pub(super) fn start() -> Self {
        let folder = folder_of("postgres");
        let data = folder.path().join("data");
        let bin = Path::new(POSTGRES).parent().unwrap();
        let mut init = as_user("postgres", bin.join("initdb").to_str().unwrap());
        said(
            init.args([
                "-D",
                data.to_str().unwrap(),
                "-A",
                "trust",
                "-U",
                "postgres",
                "-E",
                "UTF8",
                "--no-sync",
                "--locale=C",
            ])
            .current_dir(folder.path()),
        );
        let mut server = as_user("postgres", POSTGRES);
        server.args([
            "-D",
            data.to_str().unwrap(),
            "-k",
            folder.path().to_str().unwrap(),
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
        ]);
        server
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let server = Server {
            child: server.spawn().unwrap(),
            socket: folder.path().to_owned(),
            _folder: folder,
        };
        let judge = Self(server);
        wait_until("the database answers", || judge.run("SELECT 1;").is_ok());
        judge
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(Path::new(POSTGRES).with_file_name(program));
        command.args(["-h", self.0.socket.to_str().unwrap(), "-U", "postgres"]);
        command
    }
}

impl Judge for Postgres {
    fn dialect(&self) -> &'static str {
        "postgresql"
    }
    fn run(&self, script: &str) -> Result<String, String> {
        feed(
            self.client("psql").args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", "postgres"]),
            script,
        )
    }
    fn run_on(&self, script: &str) -> Result<String, String> {
        feed(self.client("psql").args(["-X", "-q", "-f", "-", "postgres"]), script)
    }
    fn dump(&self) -> String {
        feed(self.client("pg_dump").args(["--schema-only", "--no-owner", "postgres"]), "").unwrap()
    }
    fn whole_dump(&self) -> String {
        feed(self.client("pg_dump").arg("postgres"), "").unwrap()
    }
    fn clear(&self) {
        self.run(
            "SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS sales, archive CASCADE;",
        )
        .unwrap();
    }
}

pub(super) struct MariaDb(Server);

impl MariaDb {
    pub(super) fn start() -> Self {
        let folder = folder_of("mysql");
        let (data, socket) = (folder.path().join("data"), folder.path().join("s"));
        let data = format!("--datadir={}", data.display());
        // A server that starts removes the temporary tables of every other from the folder that they share.
        let temporary = folder.path().to_owned();
        let mut init = as_user("mysql", "mariadb-install-db");
        said(
            init.args([
                "--no-defaults",
                &data,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ])
            .env("TMPDIR", &temporary)
            .current_dir(folder.path()),
        );
        let mut server = as_user("mysql", "/usr/sbin/mariadbd");
        server.args([
            "--no-defaults",
            &data,
            &format!("--socket={}", socket.display()),
            "--skip-networking",
            "--innodb-flush-log-at-trx-commit=0",
            // Nothing needs to be on the disk after a test.
            "--innodb-flush-method=nosync",
            "--debug-no-sync",
            "--innodb-file-per-table=0",
        ]);
        server
            .env("TMPDIR", &temporary)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let judge = Self(Server { child: server.spawn().unwrap(), socket, _folder: folder });
        wait_until("the database answers", || {
            judge.client("mariadb").args(["-e", "SELECT 1"]).output().unwrap().status.success()
        });
        judge.clear();
        judge
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args([
            "--no-defaults",
            &format!("--socket={}", self.0.socket.display()),
            "-u",
            "root",
        ]);
        command
    }
}

impl Judge for MariaDb {
    fn dialect(&self) -> &'static str {
        "mariadb"
    }
    fn run(&self, script: &str) -> Result<String, String> {
        feed(
            self.client("mariadb").args(["--binary-mode", "--default-character-set=utf8mb4", "t"]),
            script,
        )
    }
    fn dump(&self) -> String {
        feed(
            self.client("mariadb-dump").args([
                "--no-data",
                "--skip-dump-date",
                "--default-character-set=utf8mb4",
                "t",
            ]),
            "",
        )
        .unwrap()
    }
    fn whole_dump(&self) -> String {
        let all = ["--routines", "--events", "--default-character-set=utf8mb4", "t"];
        feed(self.client("mariadb-dump").args(all), "").unwrap()
    }
    fn clear(&self) {
        feed(
            &mut self.client("mariadb"),
            "DROP DATABASE IF EXISTS t; CREATE DATABASE t CHARACTER SET utf8mb4;",
        )
        .unwrap();
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
