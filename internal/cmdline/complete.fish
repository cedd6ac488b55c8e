# Completes PROGRAM's command line in fish.
set -g FUNCTION_table '
TABLE
'
function FUNCTION
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l table (string split \n -- $FUNCTION_table)
    set -l at ''
    for word in $words[2..-1] # which command is it?
        if not string match -q -- '-*' $word; and string match -q -- "$at|$word|*" $table
            set at (string trim -- "$at $word")
        end
    end
    set -l flag '' # whose value is completed
    set -l prefix ''
    if string match -q -- '--*=*' $current
        set -l halves (string split -m 1 = -- $current)
        set flag $halves[1]=
        set prefix $flag
        set current $halves[2]
    else if string match -q -- "$at|$words[-1]=|*" $table
        set flag $words[-1]=
    end
    set -l any
    for line in $table
        set -l field (string split '|' -- $line)
        test "$field[1]" = "$at"; or continue
        set -l name $field[2]
        if test -n "$flag"
            string match -q -- "$flag?*" $name; or continue
            set name (string replace -- $flag '' $name)
        else if string match -q -- '*=?*' $name
            continue
        else if string match -q -- '-*' $name; and not string match -q -- '-*' $current
            continue
        end
        set any 1
        printf '%s\t%s\n' $prefix$name $field[3]
    end
    if test -z "$any"
        for file in (__fish_complete_path $current)
            echo $prefix$file
        end
    end
end
complete -c PROGRAM -f -a '(FUNCTION)'
