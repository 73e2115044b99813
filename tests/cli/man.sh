#!/bin/sh
# The man pages are well-formed and have exactly the options that `tactus help` shows.
. "$TACTUS_SOURCE/tests/cli/common"
man=$TACTUS_SOURCE/man

# From the help: lines such as "  -o, --output FILE" under "options:"
in_help() {
    "$TACTUS" help $1 | sed -n '/^options:/,/^$/p' |
        sed -n 's/^ *\(-[a-zA-Z]\), \(--[a-z-]*\).*/\1 \2/p; s/^ *\(--[a-z-]*\).*/\1/p' | sort
}

# From the page: ".It Fl o , Fl -output Ar file"
in_page() {
    sed -n 's/^\.It Fl \([a-zA-Z]\) , Fl -\([a-z-]*\).*/-\1 --\2/p
            s/^\.It Fl -\([a-z-]*\).*/--\1/p' "$man/$1.1" | sort
}

compare() { # COMMAND PAGE
    in_help "$1" >in_help
    in_page "$2" >in_page
    [ -s in_help ] || fail "no options in the help of $2"
    cmp -s in_help in_page && return
    fail "the options of $2 differ: < help, > man page"
    diff in_help in_page
}

compare '' tactus
commands=$("$TACTUS" help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
for command in $commands; do
    compare "$command" "tactus-$command"
    grep -q "^\\.It Cm $command\$" "$man/tactus.1" || fail "tactus.1 does not list $command"
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$man/tactus-$command.1" >synopsis
    for option in $(in_page "tactus-$command" | grep -o -e '--[a-z-]*'); do
        grep -qEe " -${option#--}( |\$)" synopsis ||
            fail "the synopsis of tactus-$command lacks $option"
    done
done
for page in "$man"/tactus-*.1; do
    name=$(basename "$page" .1)
    echo "$commands" | grep -qx "${name#tactus-}" || fail "$name.1 is a page of no command"
done

if command -v mandoc >/dev/null; then
    for page in "$man"/tactus*.1; do
        mandoc -T lint -W warning "$page" || fail "$page"
    done
fi
finish
