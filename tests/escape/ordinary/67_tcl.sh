#!/bin/bash
# needs: tclsh
tclsh <<'EOF'
puts [expr {6 * 7}]
puts [exec echo child]
set f [open out w]; puts $f text; close $f
puts [clock format 0 -gmt 1 -format %Y]
EOF
