-- Tables whose texts are replaced by escapes.
CREATE TYPE mood AS ENUM ('glad', 'sad');
  CREATE TABLE people (id bigserial PRIMARY KEY, email varchar(80) NOT NULL DEFAULT 'x' UNIQUE, mood mood DEFAULT 'glad',
    tags text[] DEFAULT '{a}', price numeric(10,2) CHECK (price > 0), at timestamptz DEFAULT now());
  CREATE INDEX by_tags ON people (tags);
  COMMENT ON TABLE people IS 'all'; COMMENT ON COLUMN people.email IS 'an address';
  CREATE TABLE sales.orders (id int PRIMARY KEY, person_id bigint REFERENCES people (id) ON DELETE CASCADE);
