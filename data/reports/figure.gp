# SPDX-License-Identifier: GPL-3.0-or-later
# Looks shared by all figures of a report. Colours: Okabe and Ito, told apart also by people who see
# red and green alike. Terminal, labels and data are added by assay.
set encoding utf8
set border 1 lw 1 lc rgb '#555555'
set tics nomirror out scale 0.6 textcolor rgb '#333333'
set grid x lc rgb '#dddddd' lw 1 lt 1
set key off
set style fill solid noborder
set bars 0.7
set tmargin 3.2
set bmargin 3.6
