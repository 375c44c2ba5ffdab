
# Bash takes a line apart at colons and the like, too: what no space parts is put together again, and what stands in front of
# the part that bash will replace is taken off the answers.
_lmthing() {
    local line=$COMP_LINE prefix= count=-1 index=0 rest word i
    local -a words=()
    for i in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[i]}
        rest=${line#"${line%%[![:space:]]*}"}
        if ((i == 0)) || [[ $rest != "$line" ]]; then
            words[++count]=
        fi
        if ((i == COMP_CWORD)); then
            index=$count
            # The part that bash will replace may be longer than the last word, shorter, or none.
            prefix=${words[count]}$word
            if [[ $prefix == *"$2" ]]; then prefix=${prefix%"$2"}; else prefix=${words[count]}; fi
        fi
        words[count]+=$word
        line=${rest#"$word"}
    done
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=$index
    _clap_complete_lmthing "$1" "$prefix$2" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o nosort -F _lmthing lmthing
else
    complete -o nospace -o bashdefault -F _lmthing lmthing
fi
