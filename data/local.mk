# SPDX-License-Identifier: GPL-3.0-or-later
parsersdir = $(pkgdatadir)/parsers
dist_parsers_DATA =
dist_parsers_DATA += data/parsers/cuzk.yaml
dist_parsers_DATA += data/parsers/plain.yaml

templatesdir = $(pkgdatadir)/templates
dist_templates_DATA =
dist_templates_DATA += data/templates/cmake.yaml
dist_templates_DATA += data/templates/plain.yaml
dist_templates_DATA += data/templates/rust.yaml
