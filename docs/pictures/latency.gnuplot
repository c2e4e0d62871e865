# Bars of the medians in nanoseconds, on a logarithmic axis. draw.sh sets data and output.
set terminal svg size 760,380 font "Helvetica,12" background "white"
set output output
set datafile separator "\t"
set datafile missing "?"
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set logscale y
set yrange [10:100000]
set ylabel "median, nanoseconds"
set grid ytics linecolor "#d5dbe1"
set key autotitle columnheader top center horizontal
set ytics nomirror
set xtics rotate by -25 nomirror
set border 3
plot data using 2:xtic(1) linecolor "#9aa5b1", '' using 3 linecolor "#0a5bb5", '' using 4 linecolor "#7ab8ff"
