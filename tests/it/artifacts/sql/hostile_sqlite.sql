-- Tables whose texts are replaced by escapes.
CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, email VARCHAR(80) NOT NULL UNIQUE, price DECIMAL(10,2) DEFAULT 9.5 CHECK (price > 0));
  CREATE INDEX by_price ON people (price); CREATE TABLE pairs (a INTEGER NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b));
