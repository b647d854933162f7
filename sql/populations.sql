-- A superuser may say that tables of several owners are about the same people, and is warned.
CREATE ROLE regress_alice;
CREATE ROLE regress_bob;
CREATE TABLE alice (id int PRIMARY KEY);
CREATE TABLE alice_too (id int PRIMARY KEY);
CREATE TABLE bob (id int PRIMARY KEY);
ALTER TABLE alice OWNER TO regress_alice;
ALTER TABLE alice_too OWNER TO regress_alice;
ALTER TABLE bob OWNER TO regress_bob;
SECURITY LABEL FOR gaussdp ON TABLE alice IS 'protected people=staff';
SECURITY LABEL FOR gaussdp ON TABLE alice_too IS 'protected people=staff';
SECURITY LABEL FOR gaussdp ON TABLE bob IS 'protected people=staff';
SECURITY LABEL FOR gaussdp ON TABLE bob IS 'protected max_rows=2 people=staff';
-- Neither owner may change budgets then.
SET ROLE regress_bob;
SELECT gaussdp.grant_budget('public', 'bob', 1, 1e-6);
SECURITY LABEL FOR gaussdp ON TABLE bob IS NULL;
SECURITY LABEL FOR gaussdp ON TABLE bob IS 'protected people=staff';
RESET ROLE;
DROP TABLE alice, alice_too, bob;
DROP ROLE regress_alice, regress_bob;
