while {[gets stdin line] >= 0} {
    if {[string match {*"type":"init"*} $line]} {
        puts ok
    } elseif {[string match {*"type":"turn"*} $line]} {
        regexp {"legal":\[(.*?)\]} $line all list
        set legal [regexp -all -inline {"[^"]*"} $list]
        puts [string trim [lindex $legal [expr {int(rand() * [llength $legal])}]] {"}]
    } elseif {[string match {*"type":"quit"*} $line]} {
        break
    }
}
