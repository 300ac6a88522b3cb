-- Tables that refer to each other in circles.
CREATE TABLE a (id int PRIMARY KEY, b_id int NOT NULL, self int, FOREIGN KEY (b_id) REFERENCES b (id), FOREIGN KEY (self) REFERENCES a (id) ON DELETE SET NULL);
CREATE TABLE b (id int PRIMARY KEY, c_id int REFERENCES c (id) ON DELETE CASCADE);
CREATE TABLE c (id int PRIMARY KEY, a_id int REFERENCES a (id), d_id int REFERENCES d (id));
CREATE TABLE d (id int PRIMARY KEY);
