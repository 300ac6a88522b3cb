-- The tables of a dump.
CREATE TABLE people (id int unsigned NOT NULL AUTO_INCREMENT, email varchar(80) NOT NULL DEFAULT '' COMMENT 'it''s; an address',
  kind enum('a','it''s') NOT NULL DEFAULT 'a', body mediumtext, small tinyint(1) DEFAULT 1,
  price decimal(10,2) DEFAULT 9.50, at timestamp NOT NULL DEFAULT current_timestamp(), then_at timestamp NULL DEFAULT NULL,
  big bigint(20) unsigned DEFAULT 7, raw varbinary(16), blobs longblob, y year DEFAULT 2020, d double DEFAULT 0.5, code char(3), `order` int, `a b` int,
  PRIMARY KEY (id), UNIQUE KEY own_name (email), KEY by_two (`order`,price),
  CONSTRAINT positive CHECK (price > 0)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='all; of them';
CREATE TABLE orders (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, person_id int unsigned NOT NULL, KEY by_person (person_id),
  CONSTRAINT of_person FOREIGN KEY (person_id) REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
