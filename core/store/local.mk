# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/store/db.c core/store/db.h
libassay_la_SOURCES += core/store/migrate.c core/store/migrate.h
libassay_la_SOURCES += core/store/store.c core/store/store.h
libassay_la_SOURCES += core/store/store_read.c
libassay_la_SOURCES += core/store/store_run.c
libassay_la_SOURCES += core/store/store_session.c

# The migrations, in order of their versions; embedded in the program.
store_schemas = core/store/schema/001.sql
EXTRA_DIST += $(store_schemas) core/store/embed.awk
nodist_libassay_la_SOURCES += core/store/schema.c
CLEANFILES += core/store/schema.c core/store/schema.c-t
core/store/schema.c: $(store_schemas) core/store/embed.awk
	$(AM_V_GEN)$(MKDIR_P) core/store && \
	(cd $(srcdir) && LC_ALL=C $(AWK) -f core/store/embed.awk $(store_schemas)) >$@-t && \
	mv $@-t $@
