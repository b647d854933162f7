-- What the calibration library does not show: quantities of published proofs and bounds, and the normal law
-- (calibration.c).  Included by tests:
--   \ir ../module/calibration.sql
\getenv testlib GAUSSDP_TESTLIB
LOAD '$libdir/gaussdp';
SELECT format('CREATE FUNCTION %s(%s) RETURNS float8 AS %L, %L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE',
	name, arguments, :'testlib', 'gaussdp_calibration_' || name)
FROM (VALUES ('dp_a', 'epsilon float8, delta float8'), ('gdp_dmu_deps', 'epsilon float8, mu float8'), ('gdp_dmu_ddelta', 'epsilon float8, mu float8'),
	('pdp_d', 'epsilon float8, delta float8'), ('mech1_b', 'epsilon float8, delta float8'), ('eps_star', 'delta float8'), ('eps_hash', 'delta float8'),
	('thm2_lower_sigma', 'epsilon float8, l2_sensitivity float8 DEFAULT 1'),
	('lemma10_lower_small_eps', 'epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1'),
	('lemma10_lower_33b', 'epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1'),
	('vinterbo_g', 'epsilon float8, delta float8'), ('vinterbo_d', 'epsilon float8, delta float8'), ('vinterbo_ratio', 'epsilon float8, delta float8'),
	('vinterbo_rho_plus', 'delta float8'), ('vinterbo_rho_minus', 'delta float8'), ('quantile_upper_bound', 'p float8'),
	('erfcx', 'x float8'), ('erfc_inv', 'y float8'), ('norm_cdf', 'x float8'), ('norm_sf', 'x float8'), ('norm_log_sf', 'x float8'),
	('norm_quantile', 'p float8')) AS f (name, arguments) \gexec
