-- Migration down: it restores the shape that was before, not data that up or down removes (PostgreSQL).
-- Drops the table customers with its rows, the table orders with its rows.
BEGIN;

DROP TABLE orders;
DROP TABLE customers;

COMMIT;
