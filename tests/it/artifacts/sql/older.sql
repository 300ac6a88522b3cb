-- The tables before a change, see newer.sql.
CREATE TABLE users (id int PRIMARY KEY, name varchar(40) NOT NULL, email text, age int CHECK (age > 0), gone text DEFAULT 'x');
CREATE TABLE posts (id int PRIMARY KEY, author_id int NOT NULL REFERENCES users (id), title varchar(100) NOT NULL, kind varchar(10));
CREATE INDEX by_title ON posts (title);
CREATE TABLE logs (id int PRIMARY KEY, post_id int REFERENCES posts (id));
