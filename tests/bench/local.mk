# SPDX-License-Identifier: GPL-3.0-or-later
# Speed, as ratios to a peer or a floor in one run: printed, never asserted. Neither `make` nor
# `make check` builds these.
bench_programs =
bench_programs += tests/bench/spawn
bench_programs += tests/bench/program
bench_programs += tests/bench/store_insert
EXTRA_PROGRAMS += $(bench_programs) tests/bench/empty
CLEANFILES += $(bench_programs) tests/bench/empty

bench_common = tests/bench/bench.c tests/bench/bench.h
bench_common += tests/bench/bench_store.c tests/bench/bench_store.h
tests_bench_spawn_SOURCES = tests/bench/spawn.c $(bench_common)
tests_bench_spawn_LDADD = libassay.la
tests_bench_program_SOURCES = tests/bench/program.c tests/bench/bench.c tests/bench/bench.h
tests_bench_program_LDADD = libassay.la
tests_bench_store_insert_SOURCES = tests/bench/store_insert.c $(bench_common)
tests_bench_store_insert_LDADD = libassay.la

# Static: no time goes into the dynamic linker. No sanitizer: it cannot be linked so.
tests_bench_empty_CFLAGS = $(WARN_CFLAGS)
tests_bench_empty_LDFLAGS = -all-static
tests_bench_empty_LDADD =

PHONY_TARGETS += bench
bench: assay$(EXEEXT) $(bench_programs) tests/bench/empty
	@ASSAY_BIN='$(abs_top_builddir)/assay'; export ASSAY_BIN; \
	EMPTY='$(abs_top_builddir)/tests/bench/empty'; export EMPTY; \
	for bench in $(bench_programs); do ./$$bench || exit 1; done
