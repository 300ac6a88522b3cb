-- What a dump has beside its tables.

    CREATE VIEW loud AS SELECT upper(email) AS u FROM people;
    CREATE TRIGGER t AFTER INSERT ON people BEGIN UPDATE people SET wide = CASE WHEN 1 THEN 2 END; SELECT 'a;b'; END;
    INSERT INTO people (email) VALUES ('it''s;
CREATE TABLE z (a int);');