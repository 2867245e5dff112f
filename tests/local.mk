# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests: one cmocka program per module; automake finds tests/unit/NAME.c by itself.
# Each list below has one name a line, so that changes side by side merge.
AM_DEFAULT_SOURCE_EXT = .c
LDADD = libassay.la $(CMOCKA_LIBS)
TEST_EXTENSIONS = .bats
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/bats-run
AM_TESTS_ENVIRONMENT = ASSAY_BIN='$(abs_top_builddir)/assay'; export ASSAY_BIN; \
	ASSAY_DATADIR='$(abs_top_srcdir)/data'; export ASSAY_DATADIR; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	LC_ALL=C; export LC_ALL;
EXTRA_DIST += tests/bats-run tests/tally
EXTRA_DIST += tests/cli/common.bash
EXTRA_DIST += tests/unit/scratch.h
EXTRA_DIST += tests/unit/model_fixture.h
EXTRA_DIST += tests/unit/store_fixture.h
EXTRA_DIST += tests/unit/proc_fixture.h
EXTRA_DIST += tests/unit/tree_fixture.h
EXTRA_DIST += tests/unit/build_fixture.h
EXTRA_DIST += tests/reference/compare.py tests/reference/compare_values.h
EXTRA_DIST += tests/unit/log_fixture.h
EXTRA_DIST += tests/golden/cuzk-batch.expected
EXTRA_DIST += tests/golden/cuzk-batch.log
EXTRA_DIST += tests/golden/cuzk-daemon-stderr.expected
EXTRA_DIST += tests/golden/cuzk-daemon-stderr.log
EXTRA_DIST += tests/golden/cuzk-daemon-stdout.expected
EXTRA_DIST += tests/golden/cuzk-daemon-stdout.log
EXTRA_DIST += tests/golden/cuzk-failed.expected
EXTRA_DIST += tests/golden/cuzk-failed.log
EXTRA_DIST += tests/golden/cuzk-history-stderr.expected
EXTRA_DIST += tests/golden/cuzk-history-stderr.log
EXTRA_DIST += tests/golden/cuzk-pce.expected
EXTRA_DIST += tests/golden/cuzk-pce.log
EXTRA_DIST += tests/golden/cuzk-single.expected
EXTRA_DIST += tests/golden/cuzk-single.log
EXTRA_DIST += tests/golden/cuzk-slots.expected
EXTRA_DIST += tests/golden/cuzk-slots.log
EXTRA_DIST += tests/golden/cuzk-synth.expected
EXTRA_DIST += tests/golden/cuzk-synth.log

EXTRA_DIST += tests/reference/analysis.py
EXTRA_DIST += tests/reference/check_report.py
EXTRA_DIST += tests/reference/check_render.py tests/reference/error_rates.py
EXTRA_DIST += tests/reference/check_plan.py tests/reference/check_usage.py
EXTRA_DIST += tests/golden/report-132.txt tests/golden/report-80.txt
EXTRA_DIST += tests/golden/report-colour.txt tests/golden/report.csv
EXTRA_DIST += tests/golden/report.json tests/golden/report.md
tests_unit_test_analysis_SOURCES = tests/unit/test_analysis.c tests/unit/store_fill.c \
	tests/unit/store_fill.h
tests_unit_test_report_SOURCES = tests/unit/test_report.c tests/unit/store_fill.c \
	tests/unit/store_fill.h

unit_tests =
unit_tests += tests/unit/test_analysis
unit_tests += tests/unit/test_experiment_json
unit_tests += tests/unit/test_figure
unit_tests += tests/unit/test_render
unit_tests += tests/unit/test_report
unit_tests += tests/unit/test_buf
unit_tests += tests/unit/test_arena
unit_tests += tests/unit/test_map
unit_tests += tests/unit/test_err
unit_tests += tests/unit/test_diag
unit_tests += tests/unit/test_log
unit_tests += tests/unit/test_datafile
unit_tests += tests/unit/test_path
unit_tests += tests/unit/test_fs
unit_tests += tests/unit/test_fs_lock
unit_tests += tests/unit/test_digest
unit_tests += tests/unit/test_rng
unit_tests += tests/unit/test_text
unit_tests += tests/unit/test_num
unit_tests += tests/unit/test_clock
unit_tests += tests/unit/test_expand
unit_tests += tests/unit/test_predicate
unit_tests += tests/unit/test_descriptor
unit_tests += tests/unit/test_descriptor_mistakes
unit_tests += tests/unit/test_setexpr
unit_tests += tests/unit/test_plan
unit_tests += tests/unit/test_model_fuzz
unit_tests += tests/unit/test_conf
unit_tests += tests/unit/test_conf_fuzz
unit_tests += tests/unit/test_conf_schema
unit_tests += tests/unit/test_opt
unit_tests += tests/unit/test_table
unit_tests += tests/unit/test_tty
unit_tests += tests/unit/test_source
unit_tests += tests/unit/test_source_git
unit_tests += tests/unit/test_apply
unit_tests += tests/unit/test_build
unit_tests += tests/unit/test_build_fail
unit_tests += tests/unit/test_store
unit_tests += tests/unit/test_store_open
unit_tests += tests/unit/test_store_processes
unit_tests += tests/unit/test_store_doc
unit_tests += tests/unit/test_proc
unit_tests += tests/unit/test_compare
unit_tests += tests/unit/test_proc_death
unit_tests += tests/unit/test_proc_end
unit_tests += tests/unit/test_proc_streams
unit_tests += tests/unit/test_line_queue
unit_tests += tests/unit/test_lines
unit_tests += tests/unit/test_live
unit_tests += tests/unit/test_log_parser
unit_tests += tests/unit/test_log_torn
unit_tests += tests/unit/test_cuzk
unit_tests += tests/unit/test_check
unit_tests += tests/unit/test_collectors
unit_tests += tests/unit/test_host
unit_tests += tests/unit/test_session
unit_tests += tests/unit/test_order
unit_tests += tests/unit/test_ledger
unit_tests += tests/unit/test_childenv
unit_tests += tests/unit/test_judge
unit_tests += tests/unit/test_treedigest
unit_tests += tests/unit/test_world
unit_tests += tests/unit/test_words
unit_tests += tests/unit/test_adhoc
cli_tests =
cli_tests += tests/cli/rust.bats
cli_tests += tests/cli/store.bats
cli_tests += tests/cli/programs.bats
cli_tests += tests/cli/inputs.bats
cli_tests += tests/cli/simulate.bats
cli_tests += tests/cli/try.bats
cli_tests += tests/cli/ls_show.bats
cli_tests += tests/cli/errors.bats
cli_tests += tests/cli/measure.bats
cli_tests += tests/cli/check.bats
cli_tests += tests/cli/demo.bats
cli_tests += tests/cli/figures.bats
cli_tests += tests/cli/resume.bats
cli_tests += tests/cli/run.bats
cli_tests += tests/cli/basic.bats
cli_tests += tests/cli/demo_program.bats
cli_tests += tests/cli/prover.bats
lint_tests =
lint_tests += tests/lint/includes
lint_tests += tests/lint/spdx

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
TESTS += $(cli_tests) $(lint_tests)
EXTRA_DIST += $(cli_tests) $(lint_tests)

# programs that tests run: nothing of ours linked, and no sanitizer, which sets signal handlers
check_PROGRAMS += tests/programs/hostile tests/programs/known
tests_programs_hostile_CFLAGS = $(WARN_CFLAGS)
tests_programs_hostile_LDFLAGS =
tests_programs_hostile_LDADD =
tests_programs_known_CFLAGS = $(WARN_CFLAGS)
tests_programs_known_LDFLAGS =
tests_programs_known_LDADD =

# What takes too long for each 'make check': SIGKILL at 20 random moments (check has 6).
PHONY_TARGETS += check-long
check-long: all tests/programs/hostile$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) ASSAY_KILLS=20; export ASSAY_KILLS; \
		bats '$(top_srcdir)/tests/cli/resume.bats'

PHONY_TARGETS += check-tally
check-tally:
	@$(SHELL) $(top_srcdir)/tests/tally $(TEST_LOGS)

include tests/bench/local.mk
