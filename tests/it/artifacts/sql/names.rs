//! Tables and columns have idiomatic names; a name is quoted only if necessary.

use serde_json::json;

use super::SKILL;
use super::databases::{Judge, MariaDb, POSTGRES, Postgres, Sqlite};
use crate::artifacts::judge;
use crate::artifacts::making::make;

#[track_caller]
fn up(fields: serde_json::Value) -> String {
    make(SKILL, fields).unwrap().artifacts[0].text.clone()
}

#[test]
fn entities_become_plural_snake_case_and_lists_become_keys_of_the_other_table() {
    let text = "User: id uuid pk, firstName string, orders -> Order[], tags -> Tag[]; OrderLine: id, order -> Order; \
                Order: id, total decimal; Tag: id, users -> User[]";
    assert_eq!(
        up(json!({ "source": text })),
        "-- Migration up (PostgreSQL).
BEGIN;

CREATE TABLE users (
  id uuid PRIMARY KEY,
  first_name text NOT NULL
);
CREATE TABLE orders (
  id uuid PRIMARY KEY,
  total numeric NOT NULL,
  user_id uuid NOT NULL,
  CONSTRAINT orders_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX orders_user_id_idx ON orders (user_id);
CREATE TABLE order_lines (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL,
  CONSTRAINT order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders (id)
);
CREATE INDEX order_lines_order_id_idx ON order_lines (order_id);
CREATE TABLE tags (
  id uuid PRIMARY KEY
);
CREATE TABLE user_tags (
  user_id uuid NOT NULL,
  tag_id uuid NOT NULL,
  CONSTRAINT user_tags_pkey PRIMARY KEY (user_id, tag_id),
  CONSTRAINT user_tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT user_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags (id)
);
CREATE INDEX user_tags_tag_id_idx ON user_tags (tag_id);

COMMIT;
"
    );
}

#[test]
fn names_of_ddl_stay_and_are_folded_as_the_database_folds_them() {
    let folded =
        up(json!({ "ddl": "CREATE TABLE Users (Id int PRIMARY KEY, FirstName varchar(9))" }));
    assert!(
        folded
            .contains("CREATE TABLE users (\n  id integer PRIMARY KEY,\n  firstname varchar(9)\n)"),
        "{folded}"
    );
    let quoted =
        up(json!({ "ddl": "CREATE TABLE \"User\" (\"select\" int, \"a b\" int, plain int)" }));
    assert!(
        quoted.contains(
            "CREATE TABLE \"User\" (\n  \"select\" integer,\n  \"a b\" integer,\n  plain integer\n)"
        ),
        "{quoted}"
    );
}

#[test]
fn an_id_is_the_key_of_entities_with_other_marks_and_now_is_a_time() {
    let text = "User: id uuid, email string unique, at datetime default now, day date default today, word string default now";
    let text = up(json!({ "source": text, "dialect": "postgres" }));
    for line in [
        "id uuid PRIMARY KEY,",
        "at timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,",
        "day date NOT NULL DEFAULT CURRENT_DATE,",
        "word text NOT NULL DEFAULT 'now',",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn times_without_a_zone_of_mysql_have_none_in_postgresql() {
    let ddl = "CREATE TABLE `a` (`id` int NOT NULL AUTO_INCREMENT PRIMARY KEY, `at` datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), `due` datetime, `seen` timestamp NULL) ENGINE=InnoDB";
    let text = up(json!({ "ddl": ddl, "dialect": "postgresql" }));
    let wanted = "  at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,\n  due timestamp,\n  seen timestamptz\n";
    assert!(text.contains(wanted), "{text}");
}

/// Every keyword of some database, as the name of a table and of a column: the unquoted ones are not reserved.
#[test]
fn reserved_words_are_quoted() {
    let words: Vec<String> = words_of_databases();
    let check = |judge: &dyn Judge| {
        for part in words.chunks(50) {
            judge.clear();
            let entity = |word: &String| {
                let column = json!({ "types": ["integer"] });
                let keys = json!({ "name": word, "indexes": [[word]] });
                (
                    word.clone(),
                    json!({ "shape": { "types": ["object"], "object": { "properties": { word: column } } }, "table": keys }),
                )
            };
            let entities: serde_json::Map<_, _> = part.iter().map(entity).collect();
            let fields = json!({ "model": { "entities": entities }, "dialect": judge.dialect() });
            judge.run(&up(fields)).unwrap_or_else(|error| panic!("{}: {error}", judge.dialect()));
        }
    };
    if judge::are_there(&[POSTGRES, "/usr/sbin/mariadbd", "mariadb-install-db", "sqlite3"]) {
        check(&Postgres::start());
        check(&MariaDb::start());
        check(&Sqlite::start());
    }
}

/// The words of `words.txt`: the keywords of PostgreSQL 15, MariaDB 10.11, SQLite 3.40 and MySQL 8.4.
fn words_of_databases() -> Vec<String> {
    include_str!("words.txt").split_whitespace().map(str::to_owned).collect()
}

/// MySQL creates an index for a foreign key by itself.
#[test]
fn foreign_keys_have_an_index_unless_the_tables_are_the_users_own() {
    let entities =
        "User: id uuid pk\nTag: id int pk\nPost: id int pk, author -> User, tags -> Tag[]";
    for dialect in ["postgresql", "sqlite"] {
        let text = up(json!({ "source": entities, "dialect": dialect }));
        assert!(text.contains("CREATE INDEX posts_author_id_idx ON posts (author_id);"), "{text}");
        // The first column of a primary key has one already.
        let of_keys = text.lines().filter(|line| line.starts_with("CREATE INDEX")).count();
        assert_eq!(
            of_keys,
            text.matches("FOREIGN KEY").count() - text.matches("PRIMARY KEY (").count(),
            "{text}"
        );
        let own = "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES a (id));";
        let text = up(json!({ "ddl": own, "dialect": dialect }));
        assert!(text.contains("FOREIGN KEY") && !text.contains("INDEX"), "{text}");
        // Where the tables are MySQL's, they have it there.
        let text = up(
            json!({ "ddl": own.replace("a_id int REFERENCES a (id)", "a_id int, FOREIGN KEY (a_id) REFERENCES a (id)") .replace(");", ") ENGINE=InnoDB;"), "dialect": dialect }),
        );
        assert!(text.contains("CREATE INDEX b_a_id_idx ON b (a_id);"), "{text}");
    }
}
