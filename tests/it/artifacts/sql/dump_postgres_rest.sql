-- What a dump has beside its tables.

    CREATE VIEW loud AS SELECT upper(email) AS u FROM people;
    CREATE FUNCTION hook() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RAISE NOTICE 'a;b'; RETURN NEW; END; $f$;
    CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW EXECUTE FUNCTION hook();
    INSERT INTO people (email, "Mixed Case") VALUES ('a@b', E'x\ty; CREATE TABLE z (a int);'), ('c@d', NULL);
    INSERT INTO sales.orders (person_id, note) VALUES (1, E'line\n\\.\nCREATE TABLE y (a int);');