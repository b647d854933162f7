/*
 * subject.c
 *		What the policy asks of declarations and of the catalog about a protected table.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "declaration/owner.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

AttrNumber
gaussdp_unit_column(Oid relation)
{
	GaussdpTable table;

	return gaussdp_table(relation, &table) && table.usable ? table.unit : InvalidAttrNumber;
}

/* Has no other row the same unit, by the equality that tells people apart? */
static bool
own_unit_is_unique(Oid relation, AttrNumber unit)
{
	Oid type;
	int32 typmod;
	Oid collation;

	get_atttypetypmodcoll(relation, unit, &type, &typmod, &collation);
	return gaussdp_column_is_unique(relation, unit, gaussdp_equality_of_type(type), collation);
}

bool
gaussdp_path_equality(Oid relation, const GaussdpTable *table, int key, Oid *opno, Oid *collation)
{
	return gaussdp_equality_of_reference(relation, table->keys[key].column, table->via,
										 table->keys[key].via_column, opno, collation);
}

/* The equalities of a path, of its table's columns or of those that they refer to; false where one has none. */
static bool
path_equalities(Oid relation, const GaussdpTable *table, bool is_above, List **equalities)
{
	for (int i = 0; i < table->nkeys; i++)
	{
		GaussdpEquality *equality = palloc0(sizeof(GaussdpEquality));

		equality->column = is_above ? table->keys[i].via_column : table->keys[i].column;
		if (!gaussdp_path_equality(relation, table, i, &equality->operator, & equality->collation))
			return false;
		*equalities = lappend(*equalities, equality);
	}
	return table->nkeys > 0;
}

static const char *
problem_of_via(const GaussdpTable *table, const char *problem)
{
	const char *schema = get_namespace_name(get_rel_namespace(table->via));

	return psprintf("table %s, by way of which its rows are somebody's, %s",
					quote_qualified_identifier(schema, get_rel_name(table->via)), problem);
}

/*
 * A row is somebody's by way of another table: of whose rows one at most has the key that it names, and whose owner may
 * decide for both.
 */
static const char *
path_problem(Oid relation, const GaussdpTable *table)
{
	List *equalities = NIL;

	if (!path_equalities(relation, table, true, &equalities))
		return "the column by way of which its rows are somebody's is compared to the unit column by no equality that is "
			   "always the same: give both one type, and one deterministic collation";
	if (!gaussdp_table_is_matched_once(table->via, equalities))
		return problem_of_via(table, "has no unique index on the column that is referred to");
	if (get_rel_relkind(table->via) == RELKIND_RELATION && has_subclass(table->via))
		return problem_of_via(table, "has inheritance children, whose rows no index covers");
	if (!gaussdp_owns_table(table->via, gaussdp_owner_of(relation)))
		return problem_of_via(table, "is another owner's");
	return gaussdp_unit_problem(table->via) == NULL
			   ? NULL
			   : problem_of_via(table, "cannot be asked itself");
}

/* Does a table above this partition choose rows by policies, which do not reach a partition by itself? */
static bool
has_row_security_above(Oid relation)
{
	ListCell *lc;

	if (!get_rel_relispartition(relation))
		return false;
	foreach (lc, get_partition_ancestors(relation))
	{
		Relation rel = relation_open(lfirst_oid(lc), AccessShareLock);
		bool is_filtered = rel->rd_rel->relrowsecurity;

		relation_close(rel, NoLock);
		if (is_filtered)
			return true;
	}
	return false;
}

const char *
gaussdp_unit_comparison_problem(Oid relation)
{
	AttrNumber unit = gaussdp_unit_column(relation);
	Oid type;
	int32 typmod;
	Oid collation;
	TypeCacheEntry *cache;

	get_atttypetypmodcoll(relation, unit, &type, &typmod, &collation);
	cache = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);
	if (!gaussdp_is_equality(cache->eq_opr) || !OidIsValid(cache->lt_opr) ||
		!OidIsValid(cache->hash_proc) || !gaussdp_operator_is_total(cache->eq_opr, collation) ||
		!gaussdp_operator_is_total(cache->lt_opr, collation))
		return "rows of a person cannot be found: values of the unit column cannot be compared safely";
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return "rows of a person cannot be found: the collation of the unit column takes different texts for equal";
	return NULL;
}

const char *
gaussdp_unit_problem(Oid relation)
{
	GaussdpTable table;

	if (!gaussdp_table(relation, &table))
		return "the table is not protected";
	if (!table.usable)
		return table.problem;
	if (has_row_security_above(relation))
		return "a single partition is named, to which the row security of the table above it would "
			   "not apply";
	if (table.has_path)
		return path_problem(relation, &table);
	return own_unit_is_unique(relation, table.unit) ? NULL
													: gaussdp_unit_comparison_problem(relation);
}

bool
gaussdp_has_rows_of_nobody(Oid relation)
{
	GaussdpTable table;
	Relation rel;
	bool is_not_null;

	if (!gaussdp_table(relation, &table) || !table.usable)
		return false;
	rel = relation_open(relation, AccessShareLock);
	is_not_null = gaussdp_column_is_not_null(RelationGetDescr(rel), table.unit);
	relation_close(rel, NoLock);
	return !is_not_null;
}

Node *
gaussdp_make_somebodys(Index rti, Oid relation)
{
	GaussdpTable table;

	if (!gaussdp_table(relation, &table) || !table.usable)
		elog(ERROR, "relation %u has no unit column", relation);
	return (Node *) gaussdp_make_present(
		(Expr *) gaussdp_make_nullable_var(rti, relation, table.unit, NULL));
}

/* gaussdp_internal.unit_problem(regclass) */
PG_FUNCTION_INFO_V1(gaussdp_why_unit_problem);
Datum
gaussdp_why_unit_problem(PG_FUNCTION_ARGS)
{
	const char *problem = gaussdp_unit_problem(PG_GETARG_OID(0));

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

bool
gaussdp_unit_is_unique(Oid relation)
{
	GaussdpTable table;
	List *equalities = NIL;

	if (!gaussdp_table(relation, &table) || !table.usable)
		return false;
	if (!table.has_path)
		return own_unit_is_unique(relation, table.unit);
	/* One row here and one there, by the equality that joins them. */
	return path_equalities(relation, &table, false, &equalities) &&
		   gaussdp_table_is_matched_once(relation, equalities) && gaussdp_unit_is_unique(table.via);
}

/* gaussdp_internal.has_unique_unit(regclass) */
PG_FUNCTION_INFO_V1(gaussdp_has_unique_unit);
Datum
gaussdp_has_unique_unit(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(gaussdp_unit_is_unique(PG_GETARG_OID(0)));
}

/* May the role do this with each of these columns?  Without columns: with any column at all. */
static bool
columns_are_allowed(Oid relation, Oid role, const Bitmapset *columns, AclMode privilege)
{
	int member = -1;

	if (bms_is_empty(columns))
		return pg_attribute_aclcheck_all(relation, role, privilege, ACLMASK_ANY) == ACLCHECK_OK;
	while ((member = bms_next_member(columns, member)) >= 0)
	{
		AttrNumber column = member + FirstLowInvalidHeapAttributeNumber;
		AclResult result;

		/* A whole row is all of its columns. */
		if (column == InvalidAttrNumber)
			result = pg_attribute_aclcheck_all(relation, role, privilege, ACLMASK_ALL);
		else
			result = pg_attribute_aclcheck(relation, column, role, privilege);
		if (result != ACLCHECK_OK)
			return false;
	}
	return true;
}

/*
 * The rules of PostgreSQL's execMain.c: a privilege that the role does not have on the relation is needed on
 * the columns in question, and is there such for SELECT, INSERT and UPDATE alone.
 *
 * ExecCheckPermissions (before 16, ExecCheckRTPerms) itself will not do.  It calls ExecutorCheckPerms_hook,
 * whose users take every call for one of the executor's: pgaudit looks for the statement that it saw start,
 * and finds none while a query is planned.  Such a hook can only refuse more, and does, at execution.
 */
bool
gaussdp_entry_is_allowed(List *permissions, const RangeTblEntry *entry, bool as_current_user)
{
	const GaussdpPermissions *asked = gaussdp_permissions_of(permissions, entry);
	Oid role;
	AclMode missing;

	if (asked == NULL)
		return true;
	role = !as_current_user && OidIsValid(asked->checkAsUser) ? asked->checkAsUser : GetUserId();
	missing = asked->requiredPerms &
			  ~pg_class_aclmask(asked->relid, role, asked->requiredPerms, ACLMASK_ALL);
	if (missing & ~(ACL_SELECT | ACL_INSERT | ACL_UPDATE))
		return false;
	return ((missing & ACL_SELECT) == 0 ||
			columns_are_allowed(asked->relid, role, asked->selectedCols, ACL_SELECT)) &&
		   ((missing & ACL_INSERT) == 0 ||
			columns_are_allowed(asked->relid, role, asked->insertedCols, ACL_INSERT)) &&
		   ((missing & ACL_UPDATE) == 0 ||
			columns_are_allowed(asked->relid, role, asked->updatedCols, ACL_UPDATE));
}

static bool
is_row_security_on(Oid relation)
{
	return check_enable_rls(relation, GetUserId(), true) == RLS_ENABLED;
}

bool
gaussdp_entry_shows_hidden_rows(List *permissions, const RangeTblEntry *entry)
{
	const GaussdpPermissions *asked = gaussdp_permissions_of(permissions, entry);

	return asked != NULL && OidIsValid(asked->checkAsUser) && asked->checkAsUser != GetUserId() &&
		   is_row_security_on(asked->relid);
}

bool
gaussdp_may_read_all(Oid relation)
{
	return (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
			pg_attribute_aclcheck_all(relation, GetUserId(), ACL_SELECT, ACLMASK_ALL) ==
				ACLCHECK_OK) &&
		   !is_row_security_on(relation);
}

bool
gaussdp_is_protected(Oid relation)
{
	return relation >= FirstNormalObjectId && gaussdp_table(relation, NULL);
}
