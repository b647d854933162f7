\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What one role was shown another one that asks the same is shown, too: the same numbers, for which each account pays that has not paid for them in its
-- present period, and no other.
LOAD '$libdir/gaussdp';
SET client_min_messages = warning;
SET gaussdp.reuse_answers = -1;
SELECT no_plan();
CREATE ROLE shared_ana;
CREATE ROLE shared_bob;
CREATE ROLE shared_poor;
CREATE ROLE shared_group;
CREATE ROLE shared_group2;
CREATE ROLE shared_cleo IN ROLE shared_group;
CREATE ROLE shared_dora IN ROLE shared_group;
CREATE TABLE sale (id int PRIMARY KEY, region text, price int);
INSERT INTO sale SELECT i, 'r' || i % 5, i % 90 FROM generate_series(1, 3000) i;
CREATE TABLE region (name text PRIMARY KEY);
INSERT INTO region SELECT 'r' || i FROM generate_series(0, 4) i;
GRANT SELECT ON region TO shared_ana;
DO $$BEGIN
	PERFORM gaussdp.protect('sale', unit => 'id', people => 'buyers'), gaussdp.set_bounds('sale', 'price', 0, 100);
	PERFORM gaussdp.grant_budget(r, 'sale', 100, 1e-6, threshold_delta => 0.1) FROM unnest('{shared_ana,shared_bob,shared_group}'::text[]) r;
	PERFORM gaussdp.grant_budget('shared_poor', 'sale', 0.4, 1e-6), gaussdp.set_population_budget('buyers', 1000, 1e-6, every => '30 days', threshold_delta => 0.1);
END$$;
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, %L ORDER BY s::text) FROM (%s) s', ' ', query) INTO result;
	RETURN result;
END$$;
-- What each account has spent, in multiples of what a first asking costs, thresholds included
CREATE TABLE unit (mu2 int8, delta int8);
CREATE FUNCTION paid() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$
	SELECT string_agg(format('%s %s', what, n) || CASE WHEN n <> d THEN ' delta ' || d ELSE '' END, ', ' ORDER BY what)
	FROM (SELECT CASE holder WHEN 'p' THEN 'people' ELSE substr(role_name, 8) END AS what, round(spent_mu2 / (SELECT u.mu2 FROM unit u)::numeric, 3) AS n,
		round(spent_delta / (SELECT u.delta FROM unit u)::numeric, 3) AS d FROM gaussdp_internal.ledger_account WHERE spent_mu2 > 0) s
$$;
\set total '''SELECT region, dp_count(0.5, 1e-6), dp_sum(price, 0.5, 1e-6) FROM sale GROUP BY region HAVING dp_keep_group(0.5, 1e-6)'''

SET ROLE shared_ana;
SELECT answer(:total) AS first \gset
RESET ROLE;
INSERT INTO unit SELECT spent_mu2, spent_delta FROM gaussdp_internal.ledger_account WHERE holder = 'p';
SELECT is(paid(), 'ana 1.000, people 1.000', 'who asks first pays, and the population');
SET ROLE shared_bob;
SELECT is(answer(:total), :'first', 'another role is shown the same numbers');
RESET ROLE;
SELECT is(paid(), 'ana 1.000, bob 1.000, people 1.000', 'and pays for them, thresholds too; the population does not pay twice');
SET ROLE shared_bob;
SELECT is(answer(:total), :'first', 'asked again');
SET ROLE shared_ana;
SELECT is(answer(:total), :'first', 'by each of them');
RESET ROLE;
SELECT is(paid(), 'ana 1.000, bob 1.000, people 1.000', 'they cost nothing more');
SET ROLE shared_cleo;
SELECT is(answer(:total), :'first', 'a group pays for its member');
SET ROLE shared_dora;
SELECT is(answer(:total), :'first', 'and so for another one');
RESET ROLE;
SELECT is(paid(), 'ana 1.000, bob 1.000, group 1.000, people 1.000', 'once');

-- Who cannot pay is shown nothing
SET ROLE shared_poor;
SELECT throws_ok(format('SELECT answer(%L)', :total), '53400', 'the privacy budget of role "shared_poor" does not suffice for this query', 'a budget that does not suffice');
SELECT throws_ok(format('SELECT answer(%L)', replace(:total, 'FROM sale', 'FROM sale JOIN region ON name = region')), '42501', NULL, 'nor who may not read a public relation');
RESET ROLE;
SELECT is(paid(), 'ana 1.000, bob 1.000, group 1.000, people 1.000', 'pays nothing');

-- Resets, periods, groups: each account by itself
SELECT gaussdp.reset_budget('shared_ana', 'sale') \g /dev/null
SET ROLE shared_ana;
SELECT is(answer(:total), :'first', 'after a reset of one budget');
RESET ROLE;
SELECT is(paid(), 'ana 1.000, bob 1.000, group 1.000, people 1.000', 'that one pays again, and it alone');
UPDATE gaussdp_internal.ledger_account SET since = since - interval '30 days' WHERE holder = 'p';
SET ROLE shared_ana;
SELECT is(answer(:total), :'first', 'in a new period of the population');
RESET ROLE;
SELECT is((SELECT ROW(spent_mu2, period) FROM gaussdp_internal.ledger_account WHERE holder = 'p'), (SELECT ROW(mu2, 1::int8) FROM unit), 'that pays');
SELECT is(paid(), 'ana 1.000, bob 1.000, group 1.000, people 1.000', 'and nobody else');
SELECT gaussdp.grant_budget('shared_group2', 'sale', 100, 1e-6, threshold_delta => 0.1) \g /dev/null
GRANT shared_group2 TO shared_cleo;
SET ROLE shared_cleo;
SELECT is(answer(:total), :'first', 'of two groups');
RESET ROLE;
SELECT is(paid(), 'ana 1.000, bob 1.000, group 1.000, group2 1.000, people 1.000', 'the one pays that had not');
SELECT gaussdp.reset_population_budget('buyers') \g /dev/null
SET ROLE shared_bob;
SELECT is(answer(:total), :'first', 'after a reset of all');
RESET ROLE;
SELECT is(paid(), 'bob 1.000, people 1.000', 'who asks pays, and the population');

-- The journal: what each account has paid, and that nothing was drawn
SELECT is((SELECT count(*) FILTER (WHERE terms IS NULL) || ' drawn, ' || count(*) FILTER (WHERE terms LIKE 'shown again, drawn at %') || ' shown again' FROM gaussdp_internal.journal_entry WHERE event = 'charge'), '1 drawn, 6 shown again', 'a line for each that was paid');
SELECT is((SELECT count(DISTINCT terms) || ' ' || bool_and(split_part(terms, ' at ', 2)::timestamptz BETWEEN (SELECT min(at) - interval '1 minute' FROM gaussdp_internal.journal_entry WHERE terms IS NULL AND event = 'charge') AND at) FROM gaussdp_internal.journal_entry WHERE terms LIKE 'shown again%'), '1 true', 'and from when it is');
SELECT is((SELECT count(*) FROM gaussdp.verify_journal() WHERE NOT agrees), 0::bigint, 'budgets and journal agree');
UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 day';
UPDATE gaussdp_internal.kept_answer SET drawn = drawn - interval '1 day';
SELECT count(*) AS kept FROM gaussdp_internal.kept_answer \gset
CREATE TEMP TABLE over AS SELECT released FROM gaussdp_internal.kept_answer ORDER BY drawn LIMIT 1;
UPDATE gaussdp_internal.kept_answer SET until = drawn WHERE released = (TABLE over);
SELECT is(gaussdp.archive_journal(now() - interval '1 hour') > 7, true, 'lines of what is shown again are archived');
SELECT results_eq('SELECT role, people, relation_name, released FROM gaussdp_internal.kept_archive', $$SELECT 'shared_ana', 'buyers', '', released FROM over$$, 'with the numbers of an answer that nobody is shown any more');
SELECT is((SELECT count(*) FROM gaussdp_internal.kept_answer), :kept - 1::bigint, 'others stay');
SELECT is((SELECT count(*) FROM gaussdp.verify_journal() WHERE NOT agrees), 0::bigint, 'and proven');
SELECT is((SELECT bool_and(agrees) FROM gaussdp.verify_archive()), true, 'there, too');
UPDATE gaussdp_internal.kept_archive SET released = released || '\x00';
SELECT is((SELECT bool_and(agrees) FROM gaussdp.verify_archive()), false, 'no number can be changed');
UPDATE gaussdp_internal.kept_archive SET released = (TABLE over);
SELECT is((SELECT bool_and(agrees) FROM gaussdp.verify_archive()), true, 'without being seen');
UPDATE gaussdp_internal.kept_answer SET drawn = drawn + interval '1 day';

-- Later levels of a statement count as before: nothing is paid of what cannot be paid as a whole
SET ROLE shared_ana;
SELECT answer('SELECT dp_count(0.3, 1e-6) FROM sale') AS count \gset
SELECT answer('SELECT dp_count(0.3, 1e-6) FROM sale WHERE price > 4') AS other \gset
SET ROLE shared_poor;
SELECT throws_ok($$SELECT (SELECT dp_count(0.3, 1e-6) FROM sale), (SELECT dp_count(0.3, 1e-6) FROM sale WHERE price > 4)$$, '53400', NULL, 'two answers that do not fit together');
SELECT is((SELECT spent_epsilon FROM gaussdp.my_budget WHERE paid_by = 'shared_poor'), 0::float8, 'cost nothing');
SELECT is(answer('SELECT dp_count(0.3, 1e-6) FROM sale'), :'count', 'one of them fits');
SELECT throws_ok('SELECT dp_count(0.3, 1e-6) FROM sale WHERE price > 4', '53400', NULL, 'the other one does not any more');
SELECT is(answer('SELECT dp_count(0.3, 1e-6) FROM sale'), :'count', 'what is paid for is shown whatever is left');
RESET ROLE;
SELECT gaussdp.grant_budget('shared_poor', 'sale', 0.1, 1e-6) \g /dev/null
SET ROLE shared_poor;
SELECT is(answer('SELECT dp_count(0.3, 1e-6) FROM sale'), :'count', 'also where the limit is below what is spent');
RESET ROLE;

-- A group that has paid for a later draw does not show it to its members: they see the first one.
\set chosen '''SELECT dp_sum(price::float8, 0.3, 1e-6, 0, 100) FROM sale WHERE price > 11'''
SET ROLE shared_ana;
SELECT answer(:chosen) AS first \gset
RESET ROLE;
UPDATE gaussdp_internal.kept_answer SET drawn = drawn - interval '10 s';
SET ROLE shared_group;
SET gaussdp.reuse_answers = 5;
SELECT isnt(answer(:chosen), :'first', 'a group draws anew');
SET gaussdp.reuse_answers = -1;
SET ROLE shared_dora;
SELECT is(answer(:chosen), :'first', 'and shows its members the first draw all the same');
RESET ROLE;

-- One switch of the population
SELECT gaussdp.share_answers('buyers', false) \g /dev/null
SELECT is((SELECT share_answers FROM gaussdp.budget WHERE paid_by = 'population'), false, 'the owner sees that answers are not shared');
SET ROLE shared_bob;
SELECT isnt(answer('SELECT dp_sum(price::float8, 0.3, 1e-6, 0, 100) FROM sale WHERE price > 7'), NULL, 'then');
SELECT answer('SELECT dp_sum(price::float8, 0.3, 1e-6, 0, 100) FROM sale WHERE price > 7') AS of_bob \gset
SET ROLE shared_ana;
SELECT isnt(answer('SELECT dp_sum(price::float8, 0.3, 1e-6, 0, 100) FROM sale WHERE price > 7'), :'of_bob', 'another role gets numbers of its own');
SET ROLE shared_bob;
SELECT isnt(answer(:total), :'first', 'nor is it shown what was drawn for another one before');
SELECT throws_ok('SELECT gaussdp.share_answers(''buyers'', true)', '42501', NULL, 'analysts do not switch it on');
RESET ROLE;
SELECT throws_ok('SELECT gaussdp.share_answers(''buyers'', NULL)', '22004', 'share must not be null', 'it is on or off');
SELECT is((SELECT count(*) FROM gaussdp.verify_journal() WHERE NOT agrees), 0::bigint, 'budgets and journal agree at the end');
SELECT * FROM finish();
