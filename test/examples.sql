-- What the documents take for granted: the extension, a table of employees, an analyst.
SET client_min_messages = warning;
CREATE EXTENSION gaussdp;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') THEN
    CREATE ROLE analyst;
  END IF;
END $$;

CREATE TABLE employees AS
SELECT id, (ARRAY['Sales', 'Research', 'Support'])[1 + id % 3] AS dept, 20 + id % 45 AS age,
       30000 + id * 7919 % 90000 AS salary
FROM generate_series(1, 3000) id;
