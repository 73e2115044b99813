#!/bin/sh
# Completions: every command and every option of the help is in them, and shells accept them.
. "$TACTUS_SOURCE/tests/cli/common"

commands=$("$TACTUS" help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
options_of() {
    "$TACTUS" help $1 | sed -n '/^options:/,/^$/p' |
        grep -oE '^ *(-[a-zA-Z], )?--[a-z0-9-]+(, --[a-z0-9-]+)?' |
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

touch flight.yaml

# What bash completes, with the function that the script gives it
bash -n script.bash || fail 'bash does not accept its script'
complete() { # WORD...: the last one is completed
    bash -c '. ./script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
             $(complete -p tactus | sed -n "s/.* -F \([^ ]*\) tactus$/\1/p")
             printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}' bash "$@"
}
same 'tactus ru' "$(complete tactus ru)" run
same 'tactus run --see' "$(complete tactus run --see)" --seed
same 'tactus completion z' "$(complete tactus completion z)" zsh
same 'tactus help che' "$(complete tactus help che)" check
same 'tactus run fli' "$(complete tactus run fli)" flight.yaml
same 'tactus run -o fli' "$(complete tactus run -o fli)" flight.yaml
complete tactus run - | grep -qx -e --seed || fail 'options behind a single dash'
touch 'my flight.yaml'
same 'a name with a space' "$(complete tactus run my)" 'my flight.yaml'
# Signals of a recording and their elements, where plot and export take them.
PATH=$(dirname "$TACTUS"):$PATH
export PATH
expect 0 run "$TACTUS_SOURCE/examples/iris_hover.yaml" -q --duration 100ms --out hover.mcap
same 'signals for plot' "$(complete tactus plot hover.mcap uav.vehicle.vel | tr '\n' ' ')" \
    'uav.vehicle.velocity uav.vehicle.velocity.x uav.vehicle.velocity.y uav.vehicle.velocity.z '
same 'a signal after a comma' "$(complete tactus plot hover.mcap 'uav.vehicle.attitude.w,uav.control.motor[2')" \
    'uav.vehicle.attitude.w,uav.control.motor[2]'
same 'a recording for plot' "$(complete tactus plot hov)" hover.mcap
same 'signals for export' "$(complete tactus export hover.mcap --signals uav.vehicle.position.z)" \
    uav.vehicle.position.z
same 'signals after =' "$(complete tactus export hover.mcap --signals = uav.vehicle.position.z)" \
    uav.vehicle.position.z
same 'no signals elsewhere' "$(complete tactus export hover.mcap uav.vehicle.position.z)" ''
expect 0 info hover.mcap --names
grep -qx 'uav.control.motor\[3\]' out && grep -qx uav.control.phase out || fail 'no such names'
expect 2 info "$TACTUS_SOURCE/examples/iris_hover.yaml" --names
says err '--names needs a recording'
complete tactus '' | sort >completed
printf '%s\n' $commands | sort | comm -23 - completed >lost
silent lost

# What an interactive zsh makes of lines when ^T is pressed behind them
if ! command -v zsh >/dev/null; then
    echo 'skipped: there is no zsh'
elif ! zsh -n script.zsh; then
    fail 'zsh does not accept its script'
elif ! zsh -fc 'zmodload zsh/zpty && zpty terminal true' 2>/dev/null; then
    echo 'skipped: zsh has no pseudo-terminals here (/dev/pts)'
else
    mkdir functions
    cp script.zsh functions/_tactus
    cat >settings.zsh <<'END'
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
completed() { zle expand-or-complete; print -r -- "$BUFFER" >>lines; BUFFER= }
zle -N completed
bindkey '^T' completed
END
    cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal 'source ./settings.zsh; print >ready'
repeat 1000; do [[ -e ready ]] && break; sleep 0.05; done
for line; do zpty -w -n terminal "$line"$'\C-t'; done
zpty -w terminal exit
while zpty -r terminal shown; do :; done
END
    timeout 60 zsh -f ask.zsh 'tactus ru' 'tactus run --see' 'tactus completion z' \
        'tactus help che' 'tactus run fli' 'tactus run -ofli' 'tactus run --out=fli' \
        'tactus run --seed=fli' \
        'tactus plot hover.mcap uav.vehicle.position_n' 'tactus plot hover.mcap uav.vehicle.euler.z' \
        'tactus export hover.mcap --signals=uav.control.pha' </dev/null
    same 'lines that zsh completes' "$(sed 's/ *$//' lines)" 'tactus run
tactus run --seed=
tactus completion zsh
tactus help check
tactus run flight.yaml
tactus run -oflight.yaml
tactus run --out=flight.yaml
tactus run --seed=fli
tactus plot hover.mcap uav.vehicle.position_n
tactus plot hover.mcap uav.vehicle.euler.z
tactus export hover.mcap --signals=uav.control.phase'
fi

if command -v fish >/dev/null; then
    fish -n script.fish || fail 'fish does not accept its script'
    ask_fish() { fish --no-config -c "source script.fish; complete -C '$1'" </dev/null | cut -f1; }
    same 'fish: tactus ru' "$(ask_fish 'tactus ru')" run
    same 'fish: tactus run --see' "$(ask_fish 'tactus run --see')" --seed
    same 'fish: tactus completion z' "$(ask_fish 'tactus completion z')" zsh
    same 'fish: tactus help che' "$(ask_fish 'tactus help che')" check
    same 'fish: tactus run fli' "$(ask_fish 'tactus run fli')" flight.yaml
    same 'fish: tactus run -o fli' "$(ask_fish 'tactus run -o fli')" flight.yaml
    same 'fish: tactus run --seed fli' "$(ask_fish 'tactus run --seed fli')" ''
    same 'fish: signals for plot' "$(ask_fish 'tactus plot hover.mcap uav.vehicle.position.z')" \
        uav.vehicle.position.z
    same 'fish: signals for export' \
        "$(ask_fish 'tactus export hover.mcap --signals uav.vehicle.position.z')" uav.vehicle.position.z
else
    echo 'skipped: there is no fish'
fi
expect 2 completion tcsh
says err "unknown shell 'tcsh'; expected bash, zsh or fish"
finish
