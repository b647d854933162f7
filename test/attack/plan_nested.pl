# A function that is folded while a public relation of a level is planned asks a private query itself, and then another
# one: both are planned by the hooks that were there, and the server stays up.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

neighbours('nested');
prepare(<<'SQL');
CREATE SEQUENCE ana.answered;
CREATE FUNCTION ana.ask() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    n float8;
BEGIN
    IF current_setting('ana.armed', true) = 'yes' THEN
        PERFORM set_config('ana.armed', 'no', false);
        FOR i IN 1 .. 2 LOOP
            EXECUTE 'SELECT public.dp_count(0.1, 1e-6) FROM hr.emp' INTO n;
            PERFORM nextval('ana.answered') WHERE n IS NOT NULL;
        END LOOP;
        EXECUTE 'SELECT n FROM (SELECT public.dp_count(0.1, 1e-6) FROM hr.emp) s (n)' INTO n;
        PERFORM nextval('ana.answered') WHERE n IS NOT NULL;
    END IF;
END $$;
CREATE FUNCTION ana.ask_folded(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM ana.ask(); RETURN 1; END';
CREATE TABLE ana.planned (k int PRIMARY KEY, w int);
INSERT INTO ana.planned SELECT i, i FROM generate_series(1, 9) i;
CREATE INDEX ON ana.planned ((w + ana.ask_folded(1)));
SQL
my $query = "SET ana.armed = 'yes'; SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.emp JOIN ana.planned ON k = dept_id; SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.emp;";
my $answered = 'SELECT last_value FROM ana.answered;';
Neighbours::same('queries inside of the planning of a query look the same', $query);
my $seen = Neighbours::run($query, 'one');
like(Neighbours::run($answered, 'one'), qr/^6$/m, '... are all answered, three in each session');
is(() = $seen =~ /^t$/mg, 2, '... and so are the one around them and the next one');

done_testing;
