#!/bin/bash
# Stands in for npm: writes down its words and "installs" the ion of the path. MOCK_NPM_EXIT: the exit code.
printf '%s\n' "$*" >> "$HOME/npm-calls"
[ -z "${MOCK_NPM_EXIT:-}" ] || exit "$MOCK_NPM_EXIT"
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/bin"
cp "$(command -v ion)" "$2/bin/ion"
