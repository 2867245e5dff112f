# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += doc/HOWTO-collector.md doc/HOWTO-parser.md
EXTRA_DIST += doc/demo.png
EXTRA_DIST += doc/descriptor.md
EXTRA_DIST += doc/interfaces.md
EXTRA_DIST += doc/statistics.md
EXTRA_DIST += doc/store.md
EXTRA_DIST += doc/performance.md
# Man pages and the bash completion are written by the program itself, out of its option tables.
commands_with_man = build check init list ls measure plan report run show try
man_MANS += doc/assay.1 $(commands_with_man:%=doc/assay-%.1)

doc/assay.1: assay$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && ./assay$(EXEEXT) --write-man > $@.tmp && mv $@.tmp $@
$(commands_with_man:%=doc/assay-%.1): assay$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && name=$@ && name=$${name##*assay-} && \
		./assay$(EXEEXT) --write-man $${name%.1} > $@.tmp && mv $@.tmp $@

bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = doc/assay
doc/assay: assay$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc && ./assay$(EXEEXT) --write-completion > $@.tmp && mv $@.tmp $@

CLEANFILES += $(man_MANS) doc/assay
EXTRA_DIST += doc/HOWTO-report.md
