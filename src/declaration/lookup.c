/*
 * lookup.c
 *		Declarations as they are now, cached by relation.
 *
 * Reads pg_seclabel once for each relation and keeps what it found until the relation is invalidated,
 * which label.c sees to whenever a label changes and PostgreSQL whenever the table does.
 *
 * Invariants
 *		The cache holds labels, never what was concluded from them: whether a unit column is still there
 *		and what stands above a partition is looked at in the catalog caches each time.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "invalidation.h"

/* A label as it was read. */
typedef struct Stored
{
	AttrNumber attnum; /* 0: the table */
	bool damaged;      /* does not parse */
	GaussdpLabel label;
} Stored;

/* The labels of one relation; most have none. */
typedef struct Entry
{
	Oid relid; /* hash key */
	bool valid;
	int nlabels;
	Stored *labels;
} Entry;

/* How often one look-up reads the labels of a relation while they are invalidated. */
#define MAX_READS 4

static HTAB *entries = NULL;

static void
forget(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS scan;
	Entry *entry;

	if (entries == NULL)
		return;
	if (OidIsValid(relid))
	{
		entry = hash_search(entries, &relid, HASH_FIND, NULL);
		if (entry != NULL)
			entry->valid = false;
		return;
	}
	hash_seq_init(&scan, entries);
	while ((entry = hash_seq_search(&scan)) != NULL)
		entry->valid = false;
}

void
gaussdp_lookup_init(void)
{
	gaussdp_on_relation_change(forget);
}

/* Appends the labels of a relation to an array in the cache's memory. */
static Stored *
read_labels(Oid relid, int *nlabels)
{
	Relation seclabels = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple tuple;
	Stored *labels = NULL;
	int n = 0;

	ScanKeyInit(&keys[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	ScanKeyInit(&keys[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	scan = systable_beginscan(seclabels, SecLabelObjectIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		TupleDesc desc = RelationGetDescr(seclabels);
		bool isnull;
		Datum provider = heap_getattr(tuple, Anum_pg_seclabel_provider, desc, &isnull);
		char *written;
		Stored *stored;
		int position;

		if (strcmp(TextDatumGetCString(provider), "gaussdp") != 0)
			continue;
		labels = labels ? repalloc(labels, (n + 1) * sizeof(Stored))
						: MemoryContextAlloc(CacheMemoryContext, sizeof(Stored));
		stored = &labels[n++];
		stored->attnum = ((FormData_pg_seclabel *) GETSTRUCT(tuple))->objsubid;
		written = TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_label, desc, &isnull));
		stored->damaged =
			gaussdp_label_parse(written, stored->attnum != 0, &stored->label, &position) != NULL;
	}
	systable_endscan(scan);
	table_close(seclabels, AccessShareLock);
	*nlabels = n;
	return labels;
}

static const Entry *
entry_of(Oid relid)
{
	Entry *entry;
	Stored *labels;
	int nlabels;
	bool found;

	if (entries == NULL)
	{
		HASHCTL ctl = {.keysize = sizeof(Oid), .entrysize = sizeof(Entry)};

		ctl.hcxt = CacheMemoryContext;
		entries =
			hash_create("gaussdp declarations", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	entry = hash_search(entries, &relid, HASH_ENTER, &found);
	if (!found)
	{
		entry->valid = false;
		entry->labels = NULL;
	}
	/*
	 * An invalidation that arrives while we read makes us read again.  Not for ever: with
	 * debug_discard_caches each read brings one.  The last read then is the answer, true at its own
	 * moment, and stays invalid, so that the next look-up reads again.
	 */
	for (int reads = 0; !entry->valid && reads < MAX_READS; reads++)
	{
		entry->valid = true;
		if (entry->labels != NULL)
			pfree(entry->labels);
		entry->labels = NULL;
		entry->nlabels = 0;
		PG_TRY();
		{
			labels = read_labels(relid, &nlabels);
		}
		PG_CATCH();
		{
			entry->valid = false;
			PG_RE_THROW();
		}
		PG_END_TRY();
		entry->labels = labels;
		entry->nlabels = nlabels;
	}
	return entry;
}

static const Stored *
label_of(Oid relid, AttrNumber attnum)
{
	const Entry *entry = entry_of(relid);

	for (int i = 0; i < entry->nlabels; i++)
		if (entry->labels[i].attnum == attnum)
			return &entry->labels[i];
	return NULL;
}

/* The relation whose label protects relid: itself or a partitioned table above; InvalidOid if none. */
static Oid
protected_root(Oid relid)
{
	ListCell *lc;

	/* Catalogs cannot be labelled by owners, and are read before the cache can be. */
	if (relid < FirstNormalObjectId)
		return InvalidOid;
	if (label_of(relid, 0) != NULL)
		return relid;
	if (!get_rel_relispartition(relid))
		return InvalidOid;
	foreach (lc, get_partition_ancestors(relid))
		if (label_of(lfirst_oid(lc), 0) != NULL)
			return lfirst_oid(lc);
	return InvalidOid;
}

/* A column of a partition, or of the table above it, by its name. */
static AttrNumber
same_column(Oid from, AttrNumber attnum, Oid to)
{
	char *attname;

	if (from == to || attnum <= 0)
		return attnum;
	attname = get_attname(from, attnum, true);
	return attname ? get_attnum(to, attname) : InvalidAttrNumber;
}

/*
 * The relation whose label speaks for a column: the protected one where there is one.  Bounds help on
 * tables that are not protected, too; there it is the nearest with a label for the column, upwards from
 * the table itself.
 */
static Oid
declaring_relation(Oid relid, AttrNumber attnum)
{
	Oid root = protected_root(relid);
	ListCell *lc;

	if (OidIsValid(root))
		return root;
	if (relid < FirstNormalObjectId || attnum <= 0 || label_of(relid, attnum) != NULL ||
		!get_rel_relispartition(relid))
		return relid;
	foreach (lc, get_partition_ancestors(relid))
	{
		AttrNumber above = same_column(relid, attnum, lfirst_oid(lc));

		if (above > 0 && label_of(lfirst_oid(lc), above) != NULL)
			return lfirst_oid(lc);
	}
	return relid;
}

static bool
has_column(Oid relid, AttrNumber attnum)
{
	HeapTuple tuple = SearchSysCacheAttNum(relid, attnum);

	if (!HeapTupleIsValid(tuple))
		return false;
	ReleaseSysCache(tuple);
	return true;
}

/* A column of the labelled table, or the same one of a partition; 0 where it is gone. */
static AttrNumber
column_of(const GaussdpTable *table, AttrNumber labelled, Oid relid)
{
	return has_column(table->relid, labelled) ? same_column(table->relid, labelled, relid)
											  : InvalidAttrNumber;
}

/* What makes the declaration of a protected table useless; fills in the unit. */
static const char *
find_problem(const Entry *entry, Oid relid, GaussdpTable *table)
{
	AttrNumber unit = InvalidAttrNumber;

	for (int i = 0; i < entry->nlabels; i++)
	{
		const Stored *stored = &entry->labels[i];

		if (stored->damaged)
			return "a label of the table or of one of its columns cannot be read";
		if (!stored->label.is_unit)
			continue;
		if (unit != InvalidAttrNumber)
			return "two columns are declared as its unit";
		unit = stored->attnum;
	}
	if (unit == InvalidAttrNumber)
		return "no column is declared as its unit";
	table->unit = column_of(table, unit, relid);
	if (table->unit == InvalidAttrNumber)
		return "its unit column cannot be found";
	return NULL;
}

/* The columns beside the unit that name a row of the table above.  Labels are copied: to look for columns may read them anew. */
static const char *
find_path_keys(Oid relid, GaussdpTable *table)
{
	const Entry *entry = entry_of(table->relid);
	int nlabels = entry->nlabels;
	Stored *labels = palloc(sizeof(Stored) * Max(nlabels, 1));

	memcpy(labels, entry->labels, sizeof(Stored) * nlabels);
	for (int i = 0; i < nlabels; i++)
	{
		GaussdpPathKey *key = &table->keys[table->nkeys];

		if (labels[i].attnum == 0 || labels[i].label.references[0] == '\0')
			continue;
		if (table->nkeys == GAUSSDP_MOST_PATH_KEYS)
			return "more than eight columns name a row of the table by way of which its rows are somebody's";
		*key = (GaussdpPathKey){column_of(table, labels[i].attnum, relid),
								get_attnum(table->via, labels[i].label.references)};
		if (key->column <= 0 || key->via_column <= 0)
			return "a column that names a row of the table by way of which its rows are somebody's, or of that one, does not exist";
		table->nkeys++;
	}
	return NULL;
}

/* The table and column that a label names; false where they do not exist. */
static bool
find_place(const char *schema, const char *table, const char *column, Oid *relid,
		   AttrNumber *attnum)
{
	Oid namespace = get_namespace_oid(schema, true);
	char relkind;

	*relid = OidIsValid(namespace) ? get_relname_relid(table, namespace) : InvalidOid;
	*attnum = OidIsValid(*relid) ? get_attnum(*relid, column) : InvalidAttrNumber;
	if (*attnum <= 0)
		return false;
	relkind = get_rel_relkind(*relid);
	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE;
}

static bool table_at(Oid relid, int steps, GaussdpTable *table);

/* Follows the path of a table, some steps below the one that was asked for; the people are those at its end. */
static const char *
follow_path(const GaussdpLabel *label, int steps, Oid relid, GaussdpTable *table)
{
	GaussdpTable above;
	const char *problem;
	Oid via;
	AttrNumber column;

	if (steps == GAUSSDP_MOST_STEPS)
		return "its path to a table that names persons has more than eight steps, or none ends it";
	if (!find_place(label->via_schema, label->via_table, label->via_column, &via, &column))
		return psprintf(
			"table %s, by way of which its rows are somebody's, or its column %s does not exist",
			quote_qualified_identifier(label->via_schema, label->via_table),
			quote_identifier(label->via_column));
	if (!table_at(via, steps + 1, &above) || above.relid != via)
		return psprintf(
			"table %s, by way of which its rows are somebody's, is not protected itself",
			quote_qualified_identifier(label->via_schema, label->via_table));
	table->via = via;
	table->keys[0] = (GaussdpPathKey){table->unit, column};
	table->nkeys = 1;
	table->people_of = above.people_of;
	strlcpy(table->people, above.people, NAMEDATALEN);
	problem = find_path_keys(relid, table);
	return above.usable ? problem : above.problem;
}

static bool
table_at(Oid relid, int steps, GaussdpTable *table)
{
	Oid root = protected_root(relid);
	const Stored *own;
	GaussdpLabel label;
	const char *problem = NULL;

	if (!OidIsValid(root))
		return false;
	if (table == NULL)
		return true;
	memset(table, 0, sizeof(*table));
	table->relid = table->people_of = root;
	table->max_rows = 1;
	table->max_groups = GAUSSDP_DEFAULT_GROUPS;
	table->problem = find_problem(entry_of(root), relid, table);
	own = label_of(root, 0);
	if (own != NULL && !own->damaged)
	{
		/* Looking for another table may read the labels of this one anew. */
		label = own->label;
		table->max_rows = label.max_rows;
		table->max_groups = label.max_groups;
		table->has_path = label.has_path;
		strlcpy(table->people, label.people, NAMEDATALEN);
		if (label.has_path)
			problem = follow_path(&label, steps, relid, table);
	}
	if (table->problem == NULL)
		table->problem = problem;
	table->usable = table->problem == NULL;
	return true;
}

bool
gaussdp_table(Oid relid, GaussdpTable *table)
{
	return table_at(relid, 0, table);
}

/* The table and column that a label names, as far as they exist and have the right type. */
static void
find_keys(const GaussdpLabel *label, Oid type, GaussdpColumn *column)
{
	Oid relid;
	AttrNumber attnum;

	if (!find_place(label->key_schema, label->key_table, label->key_column, &relid, &attnum) ||
		get_atttype(relid, attnum) != type)
		return;
	column->key_table = relid;
	column->key_column = attnum;
}

static bool
is_declared_hidden(Oid relid, AttrNumber attnum)
{
	const Stored *stored = label_of(relid, attnum);

	return stored != NULL && !stored->damaged && stored->label.is_hidden;
}

/* Is it a generated column, computed of a hidden one?  It shows what that holds. */
static bool
is_computed_of_hidden(Oid relid, AttrNumber attnum)
{
	Bitmapset *columns = NULL;
	Relation rel;
	int column = -1;

	if (!has_column(relid, attnum) || get_attgenerated(relid, attnum) == '\0')
		return false;
	rel = table_open(relid, AccessShareLock);
	pull_varattnos(build_column_default(rel, attnum), 1, &columns);
	table_close(rel, NoLock);
	while ((column = bms_next_member(columns, column)) >= 0)
		if (is_declared_hidden(relid, (AttrNumber) (column + FirstLowInvalidHeapAttributeNumber)))
			return true;
	return false;
}

bool
gaussdp_column(Oid relid, AttrNumber attnum, GaussdpColumn *column)
{
	Oid root = declaring_relation(relid, attnum);
	AttrNumber root_attnum;
	const Stored *stored;
	Oid type;

	memset(column, 0, sizeof(*column));
	if (root < FirstNormalObjectId || attnum <= 0)
		return false;
	root_attnum = same_column(relid, attnum, root);
	if (root_attnum <= 0)
		return false;
	column->is_hidden = is_computed_of_hidden(root, root_attnum);
	stored = label_of(root, root_attnum);
	if (stored == NULL || stored->damaged)
		return column->is_hidden;
	type = get_atttype(root, root_attnum);
	column->lower = stored->label.lower;
	column->upper = stored->label.upper;
	column->has_bounds = stored->label.has_bounds &&
						 gaussdp_bounds_problem(type, column->lower, column->upper) == NULL;
	if (stored->label.has_keys)
		find_keys(&stored->label, type, column);
	column->is_hidden = column->is_hidden || stored->label.is_hidden;
	return column->has_bounds || OidIsValid(column->key_table) || column->is_hidden;
}
