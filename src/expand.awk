# expand.awk: the install script from its parts.
#
# What stands between a line "-- for @type@ in a b c" and the next "-- end" is written once for each of
# these words, with the word for @type@; all else is written as it is.
/^-- for @type@ in / {
	count = split($0, words) - 4
	block = ""
	inside = 1
	next
}
/^-- end$/ && inside {
	for (i = 1; i <= count; i++) {
		text = block
		gsub(/@type@/, words[i + 4], text)
		printf "%s", text
	}
	inside = 0
	next
}
inside { block = block $0 "\n"; next }
{ print }
END {
	if (inside) {
		print "expand.awk: a block has no end" > "/dev/stderr"
		exit 1
	}
}
