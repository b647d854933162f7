-- Needs the setting test.ana, the analyst's name.
-- What an analyst is told of a query, in which {T} is the table.
CREATE FUNCTION told(query text, relation text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text; message text; detail text; hint text;
BEGIN
    PERFORM set_config('role', current_setting('test.ana'), true);
    EXECUTE replace(query, '{T}', relation);
    RESET ROLE;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN regexp_replace(concat_ws('|', state, replace(message, split_part(relation, '.', 2), '{T}'), detail, hint), ', at character \d+', '');
END
$$;
