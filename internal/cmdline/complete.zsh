#compdef PROGRAM
# Completes PROGRAM's command line in zsh.
FUNCTION_table='
TABLE
'
FUNCTION() {
  local at= flag= word line name help
  local -a names flags joined
  for word in "${(@)words[2,CURRENT-1]}"; do # which command is it?
    if [[ $word != -* && $FUNCTION_table == *$'\n'"$at|$word|"* ]]; then at+=${at:+ }$word; fi
  done
  if [[ $words[CURRENT] == --*=* ]]; then
    flag=${words[CURRENT]%%=*}
    compset -P '*='
  elif [[ $words[CURRENT-1] == --* && $FUNCTION_table == *$'\n'"$at|$words[CURRENT-1]=|"* ]]; then
    flag=$words[CURRENT-1]
  fi
  for line in "${(@f)FUNCTION_table}"; do
    [[ $line == "$at|"* ]] || continue
    name=${${line#*\|}%%\|*} help=${line##*\|}
    if [[ -n $flag ]]; then
      [[ $name == "$flag="?* ]] && names+=("${name#*=}")
    elif [[ $name == --*= ]]; then
      joined+=("${name%=}:$help")
    elif [[ $name == -* ]]; then
      [[ $name == *=* ]] || flags+=("$name:$help")
    else
      names+=("$name:$help")
    fi
  done
  if [[ -z $flag && $PREFIX == -* ]]; then
    _describe -o flag flags -- joined -S =
  elif (( $#names )); then
    _describe word names
  else
    _files
  fi
}
if [[ $funcstack[1] == _PROGRAM ]]; then FUNCTION "$@"; else compdef FUNCTION PROGRAM; fi # from fpath, or sourced
