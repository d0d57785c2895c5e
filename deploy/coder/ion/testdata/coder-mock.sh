#!/bin/bash
# Stands in for coder: writes down its words. MOCK_CODER_EXIT: the exit code.
printf '%s\n' "$*" >> "$HOME/coder-calls"
exit "${MOCK_CODER_EXIT:-0}"
