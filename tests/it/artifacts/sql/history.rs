//! A history of migrations has the same schema as the DDL of its end.

use serde_json::json;

use super::SKILL;
use crate::artifacts::making::make;

#[track_caller]
fn is_same(dialect: &str, history: &str, end: &str) {
    let up = |source: &str| {
        let output = make(SKILL, json!({ "source": source, "dialect": dialect })).unwrap();
        (output.artifacts[0].text.clone(), output.notes)
    };
    let (made, notes) = up(history);
    assert_eq!(made, up(end).0, "{notes:?}");
}

#[test]
fn of_postgres() {
    is_same(
        "postgresql",
        "CREATE TYPE mood AS ENUM ('ok', 'fine');
         CREATE TABLE users (id serial PRIMARY KEY, full_name varchar(80) NOT NULL, fax text UNIQUE, mood mood, code text, seen int NOT NULL DEFAULT 0);
         CREATE TABLE orders (id bigint PRIMARY KEY, user_id int REFERENCES users (id), day date, total int, CONSTRAINT paid CHECK (total > day_count(day)));
         CREATE INDEX by_day ON orders (day);
         CREATE UNIQUE INDEX by_code ON users (lower(code));
         CREATE TABLE tags (name text, user_id int REFERENCES users);
         ALTER TABLE users RENAME COLUMN full_name TO name;
         COMMENT ON COLUMN users.seen IS 'times';
         ALTER TABLE users ALTER COLUMN seen TYPE bigint;
         ALTER TABLE users DROP COLUMN fax, ADD COLUMN mail text;
         ALTER TYPE mood ADD VALUE 'bad' BEFORE 'fine';
         ALTER TYPE mood RENAME VALUE 'ok' TO 'good';
         ALTER TABLE tags DROP CONSTRAINT tags_user_id_fkey;
         ALTER TABLE users RENAME TO people;
         ALTER TABLE people RENAME COLUMN id TO person_id;
         ALTER TABLE orders ADD CONSTRAINT one UNIQUE (user_id, day);
         ALTER TABLE orders DROP CONSTRAINT one, DROP CONSTRAINT orders_pkey, DROP CONSTRAINT paid;
         DROP INDEX by_day; DROP INDEX IF EXISTS public.by_code;
         UPDATE people SET mail = name;",
        "CREATE TYPE mood AS ENUM ('good', 'bad', 'fine');
         CREATE TABLE people (person_id serial PRIMARY KEY, name varchar(80) NOT NULL, mood mood, code text, seen bigint NOT NULL DEFAULT 0, mail text);
         COMMENT ON COLUMN people.seen IS 'times';
         CREATE TABLE orders (id bigint NOT NULL, user_id int REFERENCES people (person_id), day date, total int);
         CREATE TABLE tags (name text, user_id int);",
    );
}

/// A value is taken from an enum by another enum that gets its name, as Prisma does.
#[test]
fn of_an_enum_that_another_replaces() {
    is_same(
        "postgresql",
        "CREATE TYPE \"Role\" AS ENUM ('user', 'admin', 'root');
         CREATE TABLE a (id int, role \"Role\" NOT NULL, roles \"Role\"[]);
         CREATE TYPE \"Role_new\" AS ENUM ('user', 'admin');
         ALTER TABLE a ALTER COLUMN role TYPE \"Role_new\" USING (role::text::\"Role_new\");
         ALTER TABLE a ALTER COLUMN roles TYPE \"Role_new\"[] USING (roles::text::\"Role_new\"[]);
         ALTER TYPE \"Role\" RENAME TO \"Role_old\";
         ALTER TYPE \"Role_new\" RENAME TO \"Role\";
         DROP TYPE \"Role_old\";",
        "CREATE TYPE \"Role\" AS ENUM ('user', 'admin');
         CREATE TABLE a (id int, role \"Role\" NOT NULL, roles \"Role\"[]);",
    );
}

#[test]
fn of_mysql() {
    is_same(
        "mysql",
        "CREATE TABLE `a` (`id` int AUTO_INCREMENT PRIMARY KEY, `old` varchar(9), `b_id` int, KEY `k` (`old`), UNIQUE KEY `u` (`b_id`)) ENGINE=InnoDB;
         ALTER TABLE `a` CHANGE `old` `new` varchar(20) NOT NULL, DROP INDEX `u`;
         RENAME TABLE `a` TO `c`;
         DROP INDEX `k` ON `c`;",
        "CREATE TABLE `c` (`id` int AUTO_INCREMENT PRIMARY KEY, `new` varchar(20) NOT NULL, `b_id` int) ENGINE=InnoDB;",
    );
}

/// SQLite cannot change a table's keys, so that a migration makes it again.
#[test]
fn of_sqlite() {
    is_same(
        "sqlite",
        "CREATE TABLE users (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name TEXT);
         CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER REFERENCES users (id));
         CREATE TABLE users_new (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
         INSERT INTO users_new SELECT * FROM users;
         DROP TABLE users;
         ALTER TABLE users_new RENAME TO users;",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER REFERENCES users (id));
         CREATE TABLE users (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);",
    );
}

#[test]
fn a_history_without_end_is_refused() {
    let refused = |source: &str, wanted: &str| {
        let fault = make(SKILL, json!({ "source": source })).unwrap_err().to_string();
        assert!(fault.contains(wanted), "{fault}");
    };
    let renames: Vec<String> =
        (0..2_001).map(|at| format!("ALTER TABLE a RENAME COLUMN c{at} TO c{};", at + 1)).collect();
    refused(&format!("CREATE TABLE a (c0 int);{}", renames.concat()), "over 2000 statements that");
    // `pg_dump --clean` begins with the drops of all that it creates.
    let drops = "DROP INDEX IF EXISTS i;".repeat(2_001);
    make(SKILL, json!({ "source": drops + "CREATE TABLE a (b int);" })).unwrap();
    let indexes: Vec<String> =
        (0..2_001).map(|at| format!("CREATE INDEX i{at} ON a (b, c{at});")).collect();
    let columns: Vec<String> = (0..2_001).map(|at| format!("c{at} int")).collect();
    let table = format!("CREATE TABLE a (b int, {});", columns.join(", "));
    refused(&format!("{table}{}", indexes.concat()), "has 2001 keys, over the limit of 2000");
    refused(
        "CREATE TABLE a (b int); CREATE TABLE c (b int); ALTER TABLE a RENAME TO c;",
        "is there already",
    );
}
