#!/bin/bash
# Stands in for npm: writes down its words and "installs" the ion of the path. MOCK_NPM_EXIT: the exit code.
# MOCK_NPM_LACKS=1: what is optional could not be had, and it is content with that.
printf '%s\n' "$*" >> "$HOME/npm-calls"
[ -z "${MOCK_NPM_EXIT:-}" ] || exit "$MOCK_NPM_EXIT"
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/bin"
cp "$(command -v ion)" "$2/bin/ion"
package="$2/lib/node_modules/@ion-cli/ion/node_modules/@lydell/node-pty"
mkdir -p "$package"
[ -n "${MOCK_NPM_LACKS:-}" ] || touch "$package/index.js"
