-- What a dump has beside its tables.

    CREATE VIEW loud AS SELECT upper(email) AS u FROM people;
    INSERT INTO people (email, kind, body) VALUES ('a@b', 'a', 'it''s; x'), ('c@d', 'it''s', 'x
CREATE TABLE z (a int);');
    INSERT INTO orders (person_id) VALUES (1);
    DELIMITER ;;
    CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW BEGIN SET NEW.body = 'a;b'; IF NEW.price > 1 THEN SET NEW.price = 1; END IF; END;;
    CREATE PROCEDURE p() BEGIN DECLARE n int; CASE WHEN 1 = 1 THEN SET n = 1; ELSE SET n = 2; END CASE; END;;
    DELIMITER ;