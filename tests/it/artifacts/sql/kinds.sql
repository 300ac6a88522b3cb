-- Columns of every kind.
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE kinds (id bigserial PRIMARY KEY, small smallint NOT NULL CHECK (small BETWEEN 1 AND 5), price numeric(10,2) DEFAULT 9.5,
  ratio double precision, is_on boolean NOT NULL DEFAULT true, name varchar(40) NOT NULL CHECK (length(name) >= 2), code char(3) UNIQUE,
  body text DEFAULT 'none', mail text CHECK (length(mail) > 0), mood mood DEFAULT 'glad', key uuid DEFAULT gen_random_uuid(),
  day date DEFAULT '2020-02-29', at timestamptz NOT NULL DEFAULT now(), hour time, raw bytea, extra jsonb DEFAULT '{"a": 1}', tags text[],
  step int CHECK (step > -3 AND step < 1000000), UNIQUE (name, day));
CREATE INDEX by_day ON kinds (day, at);
COMMENT ON TABLE kinds IS 'of every kind';
COMMENT ON COLUMN kinds.body IS 'what it''s about';
