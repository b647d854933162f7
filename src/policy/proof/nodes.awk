# nodes.awk: fails when PostgreSQL's headers have a node or a field that the policy does not know.
#
#   awk -f nodes.awk nodes.txt parsenodes.h primnodes.h plannodes.h

function know(name) {
	if (name in known)
		return
	print FILENAME ": the policy does not know " name " (src/policy/proof/nodes.txt)" > "/dev/stderr"
	unknown = 1
}

FILENAME ~ /nodes\.txt$/ { known[$1] = 1; next }

/^typedef struct (Query|RangeTblEntry)$/ { walked = $3 }
/^} (Query|RangeTblEntry);/ { walked = "" }
walked != "" && /^\t[A-Za-z].*;/ {
	line = $0
	sub(/\/\*.*/, "", line)
	sub(/;.*/, "", line)
	sub(/ *pg_node_attr.*/, "", line)
	n = split(line, words, /[ \t*]+/)
	know(walked "." words[n])
	found++
}

/^typedef enum RTEKind$/ { kinds = 1 }
kinds && /^\tRTE_/ { sub(/[^A-Z_].*/, "", $1); know($1) }
/^} RTEKind;/ { kinds = 0 }

FILENAME ~ /(prim|plan)nodes\.h$/ && /^typedef struct [A-Za-z]+$/ { know($3); found++ }

END {
	if (found < 150) {
		print "nodes.awk: PostgreSQL's headers do not look as expected" > "/dev/stderr"
		unknown = 1
	}
	exit unknown
}
