\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- One switch that stops all private answers. What runs when it is turned is in tap/ledger_pause.pl.
LOAD '$libdir/gaussdp';
SELECT plan(15);
CREATE ROLE pause_ana;
CREATE ROLE pause_owner;
GRANT CREATE ON SCHEMA public TO pause_owner;
SET ROLE pause_owner;
CREATE TABLE sale (id int PRIMARY KEY);
SELECT gaussdp.protect('sale', unit => 'id'), gaussdp.grant_budget('pause_ana', 'sale', 1, 1e-6) \g /dev/null
SELECT throws_ok('SELECT gaussdp.pause_answers()', '42501', 'must be owner of extension gaussdp to pause or resume private answers', 'who owns a table pauses nothing');
RESET ROLE;
SET ROLE pause_ana;
SELECT throws_ok('SELECT gaussdp.pause_answers()', '42501', NULL, 'nor does an analyst');
SELECT lives_ok('SELECT dp_count(0.1, 1e-6) FROM sale', 'before a pause a query is answered');
RESET ROLE;
BEGIN;
SELECT gaussdp.pause_answers() \g /dev/null
ROLLBACK;
SET ROLE pause_ana;
SELECT lives_ok('SELECT dp_count(0.1, 1e-6) FROM sale', 'after one that was rolled back, too');
RESET ROLE;
SELECT spent_mu2 AS spent FROM gaussdp_internal.ledger_account WHERE holder = 'r' \gset
SELECT gaussdp.pause_answers() \g /dev/null
SELECT gaussdp.pause_answers() \g /dev/null
SET ROLE pause_ana;
CREATE TEMP TABLE said (state text, message text, detail text, hint text);
DO $$BEGIN
	PERFORM public.dp_count(0.1, 1e-6) FROM public.sale;
EXCEPTION WHEN OTHERS THEN
	DECLARE s text; m text; d text; h text;
	BEGIN
		GET STACKED DIAGNOSTICS s = RETURNED_SQLSTATE, m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
		INSERT INTO said VALUES (s, m, d, h);
	END;
END$$;
SELECT results_eq('TABLE said', $$VALUES ('42501', 'private answers of this database are paused', 'Nothing was charged and nothing was released.',
	'The owner of the extension, or a superuser, can call gaussdp.resume_answers().')$$, 'a paused query says so');
SELECT results_eq($$SELECT verdict, reason, hint FROM gaussdp.explain_privacy('SELECT dp_count(0.1, 1e-6) FROM sale')$$,
	$$VALUES ('refused', 'private answers of this database are paused', 'The owner of the extension, or a superuser, can call gaussdp.resume_answers().')$$, 'and so does explain_privacy');
SELECT throws_ok('SELECT gaussdp.resume_answers()', '42501', NULL, 'an analyst resumes nothing');
SELECT throws_ok('TABLE gaussdp_internal.answer_pause', '42501', NULL, 'nor reads who has paused');
RESET ROLE;
SET ROLE pause_owner;
SELECT throws_ok('SELECT gaussdp.resume_answers()', '42501', NULL, 'neither does the owner of a table');
RESET ROLE;
SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE holder = 'r'), :spent, 'nothing is charged');
SELECT is((SELECT count(*)::int FROM gaussdp_internal.answer_pause WHERE until IS NULL), 1, 'two calls are one pause');
SELECT is((SELECT charges::int FROM gaussdp.stat_charges WHERE outcome = 'paused' AND "role" = 'pause_ana'), 1, 'the counters have it');
SELECT gaussdp.resume_answers() \g /dev/null
SET ROLE pause_ana;
SELECT lives_ok('SELECT dp_count(0.1, 1e-6) FROM sale', 'after it a query is answered again');
SELECT is((SELECT verdict FROM gaussdp.explain_privacy('SELECT dp_count(0.1, 1e-6) FROM sale')), 'private', 'as explain_privacy says');
RESET ROLE;
SELECT results_eq('SELECT paused_by, until > since, resumed_by FROM gaussdp_internal.answer_pause', $$SELECT current_user::text COLLATE "default", true, current_user::text COLLATE "default"$$, 'who has paused and resumed stays');
SELECT * FROM finish();
