# shellcheck shell=bash
# Runs when the workspace stops: gives the agents time to end, within a bound, and never holds up the stop. A process in
# the background does not hear of the stop otherwise. What is killed nevertheless is resumed where its transcript ends.

[ -x "$ION" ] || exit 0
mkdir -p "$INSTANCE_DIR/logs"

stop_all() {
  local bound=()
  if command -v timeout > /dev/null; then bound=(timeout -k 2 $((ARG_STOP_GRACE_SECONDS + 6))); fi
  # All of them, also those that were started by hand: nothing survives the stop.
  "${bound[@]}" "$ION" stop --all --grace "$ARG_STOP_GRACE_SECONDS" || say "Not everything has ended in time."
}

stop_all 2>&1 | tee "$INSTANCE_DIR/logs/stop.log"
exit 0
