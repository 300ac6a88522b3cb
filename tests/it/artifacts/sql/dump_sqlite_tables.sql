-- The tables of a dump.
CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, email VARCHAR(80) NOT NULL UNIQUE, "Mixed Case" TEXT DEFAULT 'a;b',
  price DECIMAL(10,2) DEFAULT 9.5 CHECK (price > 0), at DATETIME DEFAULT CURRENT_TIMESTAMP, any_thing, wide BIGINT, "order" INT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES people (id) ON DELETE CASCADE, note TEXT);
CREATE TABLE pairs (a INTEGER NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b));
CREATE INDEX by_order ON people ("order", price);
CREATE UNIQUE INDEX once ON orders (person_id, note);
