# Completes PROGRAM's command line in bash.
FUNCTION_table='
TABLE
'
FUNCTION() {
  local at= flag= prefix= word i path name
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  for ((i = 1; i < COMP_CWORD; i++)); do # which command is it?
    word=${COMP_WORDS[i]}
    if [[ $word != -* && $FUNCTION_table == *$'\n'"$at|$word|"* ]]; then at+=${at:+ }$word; fi
  done
  # Bash takes "--flag=value" for three words.
  if [[ $cur == = ]]; then
    flag=$prev cur=
  elif [[ $prev == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $prev == --* && $FUNCTION_table == *$'\n'"$at|$prev=|"* ]]; then
    flag=$prev
  fi
  COMPREPLY=()
  while IFS='|' read -r path name _; do
    [[ $name && $path == "$at" ]] || continue
    if [[ $flag ]]; then
      [[ $name == "$flag="?* ]] || continue
      name=${name#*=}
    elif [[ $name == --*=?* || $name == -* && $cur != -* ]]; then
      continue
    fi
    if [[ $name == "$cur"* ]]; then COMPREPLY+=("$name"); fi
  done <<<"$FUNCTION_table"
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o bashdefault -o default -F FUNCTION PROGRAM
