-- Comments on columns of views, for \d+ of psql and browsers of schemas: a name means the same in all views, unless a view is named.

DO $script$
DECLARE
  path text := pg_catalog.current_setting('search_path');
  commands text[];
  command text;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  commands := ARRAY(
    SELECT format('COMMENT ON COLUMN gaussdp.%I.%I IS %L', c.relname, a.attname, coalesce(of_view.text, general.text))
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN (VALUES
      ('at', 'When it was charged or done.'),
      ('charge', 'Number of the charge or act; rises with time.'),
      ('charges', 'How many charges.'),
      ('column', 'A column of the table.'),
      ('column_comment', 'What COMMENT ON COLUMN says.'),
      ('committing', 'Sessions whose charge is written and waits for disk and standbys.'),
      ('day', 'A day in the time zone of the session.'),
      ('default_delta', 'Delta of calls that give none; NULL where such calls are refused.'),
      ('default_epsilon', 'Epsilon of calls that give none; NULL where such calls are refused.'),
      ('delta', 'The delta at which epsilon counts.'),
      ('epsilon', 'What may be learnt in a period, at delta; NULL: no limit.'),
      ('errors', 'Errors inside of private queries of this role that count now.'),
      ('cancels', 'Private queries of this role that were cancelled, timed out or were terminated while they read protected rows, in the last 24 hours.'),
      ('event', 'charge, or an act of an owner: grant, revoke, limit, reset, close, suspend, resume.'),
      ('every', 'Length of a period; NULL: one that never ends.'),
      ('granted', 'Whether the budget holds now.'),
      ('hidden', 'Whether the owner has hidden the column from private queries.'),
      ('is_unit', 'Whether the column says whose row it is.'),
      ('item', 'Line of the charge, from 1 on.'),
      ('joined_with', 'Tables about the same people, to be joined on their unit columns.'),
      ('key_column', 'The column of key_table that holds the public keys.'),
      ('key_table', 'A table that holds every public value of the column.'),
      ('kind', 'The call that was released.'),
      ('l2_sensitivity', 'How far one person can move the release, in the Euclidean norm.'),
      ('label', 'The security label itself.'),
      ('left_epsilon', 'The largest epsilon at delta that still fits in this period.'),
      ('left_part', 'Which part of the budget''s mu^2 is left: 0.1 is a tenth. NULL: no limit.'),
      ('left_percent', 'Which part of the budget''s mu^2, and so of equal queries, is left, in per cent, rounded down.'),
      ('left_threshold_delta', 'What is left of threshold_delta in this period.'),
      ('left_threshold_part', 'Which part of threshold_delta is left: 0.1 is a tenth.'),
      ('longest_wait', 'Seconds that the longest of them has waited.'),
      ('lower', 'Values below are clamped to this where a call gives no bounds.'),
      ('max_epsilon_per_query', 'The largest epsilon of one query; NULL: as much as is left.'),
      ('max_groups', 'In how many groups that are found in the data a person counts, where the unit is not unique.'),
      ('max_relation_pages', 'How many pages the protected tables of a query may have; NULL: any.'),
      ('max_rows', 'As how many rows a person counts where the unit is not unique.'),
      ('mu2', 'What was charged, as mu^2 of Gaussian differential privacy: these add up.'),
      ('name', 'The rule by name.'),
      ('not_null', 'Whether the column is NOT NULL.'),
      ('number', 'The place of the column in its table.'),
      ('outcome', 'What the session was told.'),
      ('paid_by', 'Whose budget: a role, public, or the population, which is all roles together.'),
      ('people', 'The population; empty or NULL: that of the table alone.'),
      ('pid', 'Process of the session.'),
      ('policy_errors', 'Findings of check_policy() by which rows can be seen, or no query is answered.'),
      ('policy_warnings', 'Findings of check_policy() to be looked at.'),
      ('problem', 'Why no query is answered; NULL where none is known.'),
      ('queries', 'How many equal queries the line is for.'),
      ('query_id', 'As pg_stat_statements has it; NULL where nobody computes it.'),
      ('query_text', 'The query; kept with gaussdp.journal_query_text alone.'),
      ('queued', 'Sessions that wait to be taken.'),
      ('refusals', 'How many queries were refused.'),
      ('relation_name', 'The table by name, as it was then.'),
      ('renews_at', 'When the next period begins.'),
      ('role', 'The role that asked.'),
      ('rule', 'Number of the rule that was broken.'),
      ('schema', 'Schema of the table.'),
      ('seconds', 'How long all charges took together.'),
      ('session_role', 'Who was logged in.'),
      ('sigma', 'Standard deviation of the noise, on the scale of l2_sensitivity.'),
      ('spent_epsilon', 'What was spent in this period, at delta.'),
      ('spent_threshold_delta', 'What was spent of threshold_delta in this period.'),
      ('state', 'queued, taken, committing or answered.'),
      ('suspended', 'Whether the role is suspended after errors, until resume_budget().'),
      ('table', 'The table; - where the people have a name.'),
      ('table_comment', 'What COMMENT ON TABLE says.'),
      ('tables', 'How many tables are protected.'),
      ('taken', 'Sessions whose charge the worker has.'),
      ('terms', 'Of a grant, limit or suspension: its numbers.'),
      ('threshold_delta', 'Delta of group thresholds, on top of delta.'),
      ('times', 'How many equal releases the line is for.'),
      ('type', 'Type of the column.'),
      ('unit', 'The column that says whose row it is.'),
      ('unusable', 'Of how many of them nothing can be asked.'),
      ('upper', 'Values above are clamped to this where a call gives no bounds.'),
      ('usable', 'Whether queries over the table are answered.'),
      ('via', 'The table by way of which rows are somebody''s.'),
      ('via_column', 'The column of via that the unit column refers to.'),
      ('waited', 'Seconds since it began to wait.'),
      ('within', 'Seconds that these charges took at most.'),
      ('worker', 'Process that charges; NULL: none now.'),
      ('worker_started', 'Since when.')) AS general (name, text) ON general.name = a.attname
    LEFT JOIN (VALUES
      ('columns', 'table', 'A protected table that the current role has a budget for.'),
      ('protected_tables', 'table', 'The protected table.'),
      ('column_bounds', 'table', 'The table that the column is of.'),
      ('journal', 'table', 'The table that was asked; - after it was dropped.'),
      ('my_journal', 'table', 'The table that was asked, by its name then.'),
      ('stat_journal', 'table', 'The table that was asked, by its name then.'),
      ('stat_journal', 'epsilon', 'What was charged, at delta 1e-6.'),
      ('stat_journal', 'queries', 'How many private queries were charged.'),
      ('stat_sessions', 'role', 'The role that pays.'),
      ('journal', 'threshold_delta', 'What was charged of the delta of group thresholds.'),
      ('my_journal', 'threshold_delta', 'What was charged of the delta of group thresholds.'),
      ('stat_journal', 'threshold_delta', 'What was charged of the delta of group thresholds.'),
      ('stat_charges', 'role', 'The role; NULL: all beyond the first 1,023.'),
      ('stat_refusals', 'role', 'The role; NULL: all beyond the first 1,023.')) AS of_view (view, name, text) ON of_view.view = c.relname AND of_view.name = a.attname
    WHERE c.relnamespace = 'gaussdp'::regnamespace AND c.relkind = 'v' AND coalesce(of_view.text, general.text) IS NOT NULL);
  PERFORM pg_catalog.set_config('search_path', path, true);
  FOREACH command IN ARRAY commands LOOP
    EXECUTE command;
  END LOOP;
END
$script$;
