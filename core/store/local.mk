# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/store/store.h
