-- Migration down: it restores the shape that was before, not data that up or down removes (PostgreSQL).
BEGIN;

-- The rows of orders are lost here.
DROP TABLE orders;
-- The rows of customers are lost here.
DROP TABLE customers;

COMMIT;
