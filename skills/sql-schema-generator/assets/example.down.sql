-- Migration down: it restores the shape that was before, not data that up or down removes (PostgreSQL).
-- Drops the table customers with its rows, and the table orders with its rows.
BEGIN;

-- The rows of orders are lost here.
DROP TABLE orders;
-- The rows of customers are lost here.
DROP TABLE customers;

COMMIT;
