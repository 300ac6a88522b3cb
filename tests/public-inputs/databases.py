"""PostgreSQL, MariaDB and SQLite for migrations: each server in a folder of its own, which goes at the end."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
SECONDS = 120


def start():
    mariadb = MariaDb()
    return {"PostgreSQL": Postgres(), "MySQL/MariaDB": mariadb, "SQLite": Sqlite()}


class Database:
    def __init__(self, user):
        self.lock = threading.Lock()
        self.child = None
        self.user = user if os.getuid() == 0 else None
        self.folder = pathlib.Path(tempfile.mkdtemp())
        if self.user:
            shutil.chown(self.folder, self.user, self.user)

    def stop(self):
        if self.child:
            self.child.kill()
            self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def as_user(self, *words):
        if self.user:
            words = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *words]
        return [str(word) for word in words]

    def serve(self, *words):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.child = subprocess.Popen(self.as_user(*words), cwd=self.folder, **quiet)
        until = time.monotonic() + SECONDS
        while self.client("SELECT 1;").returncode != 0:
            if time.monotonic() > until:
                raise RuntimeError(f"{words[0]} does not answer")
            time.sleep(0.1)

    def feed(self, words, text=""):
        return subprocess.run([str(word) for word in words], input=text.encode(), capture_output=True, timeout=SECONDS)

    def dump(self):
        done = self.feed(self.dumper)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace"))
        return sorted(done.stdout.decode(errors="replace").splitlines())

    def migrated(self, up, down):
        """Nothing, or what is wrong with the migrations on an empty database."""
        self.clear()
        empty = self.dump()
        made = None
        for name, script in [("up", up), ("down", down), ("up again", up)]:
            done = self.client(script)
            if done.returncode != 0:
                errors = done.stderr.decode(errors="replace").strip().splitlines()
                return f"{name}: {next((line for line in errors if 'ERROR' in line or 'rror:' in line), errors[0] if errors else '?')[:200]}"
            now = self.dump()
            if name == "up":
                made = now
            elif now != (empty if name == "down" else made):
                return f"{name}: the database is another than before"
        return None


class Postgres(Database):
    def __init__(self):
        super().__init__("postgres")
        data = self.folder / "data"
        init = self.as_user(POSTGRES / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", "--locale=C")
        subprocess.run(init, cwd=self.folder, capture_output=True, check=True)
        self.own = ["-h", self.folder, "-U", "postgres"]
        self.dumper = [POSTGRES / "pg_dump", *self.own, "--schema-only", "--no-owner", "t"]
        self.base = "postgres"
        self.serve(POSTGRES / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off")
        self.base = "t"

    def client(self, text):
        return self.feed([POSTGRES / "psql", *self.own, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", self.base], text)

    def clear(self):
        self.base = "postgres"
        self.client("DROP DATABASE IF EXISTS t;")
        self.client("CREATE DATABASE t;")
        self.base = "t"

    def dump(self):
        # An extension stays when its tables go, and newer clients write a random key.
        told = [line for line in super().dump() if line and not line.startswith("--")]
        return [line for line in told if not any(word in line for word in ("EXTENSION", "restrict"))]


class MariaDb(Database):
    def __init__(self):
        super().__init__("mysql")
        data, socket = f"--datadir={self.folder / 'data'}", f"--socket={self.folder / 's'}"
        init = self.as_user("mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db")
        subprocess.run(init, cwd=self.folder, capture_output=True, check=True)
        self.own = ["--no-defaults", socket, "-u", "root"]
        self.dumper = ["mariadb-dump", *self.own, "--no-data", "--skip-dump-date", "--default-character-set=utf8mb4", "t"]
        self.base = []
        self.serve("/usr/sbin/mariadbd", "--no-defaults", data, socket, "--skip-networking", "--innodb-flush-log-at-trx-commit=0")

    def client(self, text):
        return self.feed(["mariadb", *self.own, "--binary-mode", "--default-character-set=utf8mb4", *self.base], text)

    def clear(self):
        self.base = []
        self.client("DROP DATABASE IF EXISTS t; CREATE DATABASE t CHARACTER SET utf8mb4;")
        self.base = ["t"]


class Sqlite(Database):
    def __init__(self):
        super().__init__(None)
        self.file = self.folder / "t.db"
        self.dumper = ["sqlite3", self.file, "SELECT type, name, tbl_name, replace(sql, '\"', '') FROM sqlite_master WHERE name <> 'sqlite_sequence';"]

    def client(self, text):
        return self.feed(["sqlite3", "-bail", self.file], "PRAGMA foreign_keys = ON;\n" + text)

    def clear(self):
        self.file.unlink(missing_ok=True)
