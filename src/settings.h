/*
 * settings.h
 *		Every gaussdp.* setting, alphabetical.
 */
#ifndef GAUSSDP_SETTINGS_H
#define GAUSSDP_SETTINGS_H

extern bool gaussdp_allow_drop; /* superusers may set it */
extern bool gaussdp_answer_plain_sql;
extern bool gaussdp_as_analyst;
extern int gaussdp_charge_timeout; /* milliseconds */
extern double gaussdp_cut_share;
extern double gaussdp_delta;            /* of calls that give none; 0: not set */
extern double gaussdp_epsilon;          /* likewise */
extern bool gaussdp_journal_query_text; /* superusers may set it */
extern int gaussdp_kept_answers_size;   /* kB, of a database; in the server's configuration */
extern int gaussdp_max_private_cancels; /* superusers may set both; see ledger/errors.c */
extern int gaussdp_max_private_errors;
extern int gaussdp_max_relation_pages; /* superusers may set it; 0: no limit */
/* The most that this and the two like it can say. */
#define GAUSSDP_MAX_LET_PASS 1000000
extern int gaussdp_max_resource_errors; /* superusers may set it; see ledger/errors.c */
extern int gaussdp_max_work_mem;        /* kB; superusers may set it */
extern int gaussdp_reuse_answers;       /* seconds; -1: as the grants that pay say */
extern char *gaussdp_temp_tablespaces;  /* superusers may set it; see policy/exec/temp_files.c */

/* Defines the settings and reserves the prefix; called once, by _PG_init. */
extern void gaussdp_settings_init(void);

#endif /* GAUSSDP_SETTINGS_H */
