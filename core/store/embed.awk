# SPDX-License-Identifier: GPL-3.0-or-later
# Turns NNN.sql files into the table of migrations in C: the program needs no data file to make a
# store. Use: awk -f embed.awk 001.sql 002.sql ... >schema.c
function end_file()
{
	if (open)
		print "\t},"
}
BEGIN {
	print "/* SPDX-License-Identifier: GPL-3.0-or-later */"
	print "/* Made from core/store/schema/NNN.sql by embed.awk; edit those. */"
	print "#include \"config.h\"\n"
	print "#include \"core/store/migrate.h\"\n"
	print "const struct migration store_migrations[] = {"
}
FNR == 1 {
	end_file()
	open = 1
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.sql$/, "", name)
	print "\t{"
	print "\t\t.version = " (name + 0) ","
	print "\t\t.sql ="
}
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t\t\t\"%s\\n\"\n", $0
}
END {
	end_file()
	print "};"
	print "const size_t n_store_migrations = sizeof(store_migrations) / sizeof(store_migrations[0]);"
}
