-- The tables of older.sql after a change.
CREATE TABLE people (id bigint PRIMARY KEY, name varchar(80) NOT NULL DEFAULT 'nobody', email varchar(200) UNIQUE, age int CHECK (age >= 18), born date);
CREATE TABLE posts (id int PRIMARY KEY, author_id bigint REFERENCES people (id) ON DELETE CASCADE, title varchar(100) NOT NULL, kind varchar(10) CHECK (kind IN ('a', 'b')), UNIQUE (title, kind));
CREATE INDEX by_kind ON posts (kind);
CREATE TABLE tags (post_id int REFERENCES posts (id), name varchar(20), PRIMARY KEY (post_id, name));
