#!/bin/bash
# Stands in for ion: writes down what it was called with, each word in base64 on a line, and an empty line after the last.
# MOCK_ION_HANG=1: does not end by itself, nor at SIGTERM. MOCK_ION_EXIT: the exit code. MOCK_ION_SNAPSHOT: what it prints
# of the chat; without it, it prints nothing.
case $* in
  --version) echo "1.2.3" && exit 0 ;;
  *"--prepare list") echo "${MOCK_ION_DIALOGS:-nothing to do}" && exit 0 ;;
  "ps --json") echo "${MOCK_ION_PS:-}" && exit 0 ;;
esac
# One that is ended while it does so has written nothing: a signal may end only what runs in here.
call=$(
  encode() { printf %s "$1" | base64 -w 0; }
  set -o pipefail
  cwd=$(encode "$PWD") && printf 'cwd\n%s\n' "$cwd" || exit
  for word in "$@"; do line=$(encode "$word") && printf '=%s\n' "$line" || exit; done
) || exit 143
# With one write, since two may run at the same time: bash's own printf writes line by line.
cat >> "$HOME/ion-calls" <<< "$call"$'\n'
printf '%s\n' "${ION_REPLICA:-}" >> "$HOME/ion-replicas"
if [ -n "${MOCK_ION_HANG:-}" ]; then
  trap '' TERM
  while :; do sleep 1; done
fi
if [[ " $* " == *" --snapshot "* ]]; then
  [ -n "${MOCK_ION_SNAPSHOT:-}" ] || exit 3
  echo "$MOCK_ION_SNAPSHOT"
fi
[[ " $* " != *" --new "* ]] || exit "${MOCK_ION_NEW_EXIT:-0}"
exit "${MOCK_ION_EXIT:-0}"
