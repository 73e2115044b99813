#!/bin/sh
# Completions: every command and every option of the help is in them, and shells accept them.
. "$TACTUS_SOURCE/tests/cli/common"

commands=$("$TACTUS" help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
options_of() {
    "$TACTUS" help $1 | sed -n '/^options:/,/^$/p' | grep -oE '^ *(-[a-zA-Z], )?--[a-z0-9-]+' |
        grep -oE -e '-[a-zA-Z]\b|--[a-z0-9-]+' | sort -u
}
for shell in bash zsh fish; do
    expect 0 completion $shell
    mv out script.$shell
done
[ -n "$commands" ] || fail 'no commands in the help'

# fish and zsh: the lines of a command
in_zsh() { sed -n "/^    $1)\$/,/;;/p" script.zsh; }
in_fish() { grep "seen_subcommand_from $1'" script.fish; }
in_bash() { grep "^    $1) options=" script.bash; }
for command in $commands; do
    grep -q "'__fish_use_subcommand' -a $command " script.fish || fail "fish does not know $command"
    grep -q "^        '$command:" script.zsh || fail "zsh does not know $command"
    for option in $(options_of "$command"); do
        in_bash "$command" | grep -qE -e " $option=?[ ']" || fail "bash: $command lacks $option"
        in_zsh "$command" | grep -qE -e "^ *'\*$option[=+[]" || fail "zsh: $command lacks $option"
        case $option in
        --*) in_fish "$command" | grep -q -e " -l ${option#--} " ;;
        *) in_fish "$command" | grep -q -e " -s ${option#-} " ;;
        esac || fail "fish: $command lacks $option"
    done
done

# What bash completes
bash -n script.bash || fail 'bash does not accept its script'
complete() { # WORD...: the last one is completed
    bash -c '. ./script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tactus
             printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}' bash "$@"
}
same 'tactus ru' "$(complete tactus ru)" run
same 'tactus run --see' "$(complete tactus run --see)" --seed
same 'tactus completion z' "$(complete tactus completion z)" zsh
touch flight.yaml
same 'tactus run fli' "$(complete tactus run fli)" flight.yaml
complete tactus '' | sort >completed
printf '%s\n' $commands | sort | comm -23 - completed >lost
silent lost

if command -v zsh >/dev/null; then
    zsh -n script.zsh || fail 'zsh does not accept its script'
else
    echo 'skipped: there is no zsh'
fi
if command -v fish >/dev/null; then
    fish -n script.fish || fail 'fish does not accept its script'
    same 'fish: tactus ru' "$(fish -c 'source script.fish; complete -C "tactus ru"' | cut -f1)" run
else
    echo 'skipped: there is no fish'
fi
expect 2 completion tcsh
says err "unknown shell 'tcsh'; expected bash, zsh or fish"
finish
