# shellcheck shell=bash
# Runs when the workspace stops: gives the agents time to end, within a bound, and never holds up the stop. A process in
# the background does not hear of the stop otherwise. What is killed nevertheless is resumed where its transcript ends.

[ -x "$ION" ] || exit 0
mkdir -p "$INSTANCE_DIR/logs"

# Ends a command that takes longer than these seconds, where there is a timeout.
within() {
  local seconds=$1
  shift
  if command -v timeout > /dev/null; then set -- timeout -k 1 "$seconds" "$@"; fi
  "$@"
}

stop_all() {
  # All of them, also those that were started by hand: nothing survives the stop.
  within $((ARG_STOP_GRACE_SECONDS + ARG_REPLICA_SECONDS + 6)) "$ION" stop --all --grace "$ARG_STOP_GRACE_SECONDS" || say "Not everything has ended in time."
}

# Node is there, since Ion needs it, and curl may not be. The token stays in the environment, where everything here has it.
POST_SNAPSHOT=$(
  cat << 'JAVASCRIPT'
const { CODER_AGENT_URL, CODER_AGENT_TOKEN, ARG_SNAPSHOT_TASK_ID } = process.env
const path = `/api/v2/workspaceagents/me/tasks/${ARG_SNAPSHOT_TASK_ID}/log-snapshot?format=agentapi`
const end = (line) => {
  if (line) console.log(`ion module: ${line}`)
  process.exit(0)
}
fetch(CODER_AGENT_URL.replace(/\/+$/, '') + path, {
  method: 'POST',
  headers: { 'Coder-Session-Token': CODER_AGENT_TOKEN, 'Content-Type': 'application/json' },
  body: require('node:fs').readFileSync(0),
  redirect: 'error',
  signal: AbortSignal.timeout(4000),
}).then(
  ({ status }) => {
    if (status === 204) end('The last messages were sent to Coder.')
    // This Coder keeps no logs of tasks, or not of this one.
    if (status === 404) end()
    end(`The last messages were not sent: Coder answered with status ${status}.`)
  },
  // Not the message: Node's about an invalid header has the token in it.
  ({ name, cause }) => end(`The last messages were not sent: ${cause?.code ?? name}.`),
)
JAVASCRIPT
)

# The system's certificates: Node has only its own, and the deployment may have one that its owner made.
system_certificates() {
  local file
  for file in "${NODE_EXTRA_CA_CERTS:-}" "${SSL_CERT_FILE:-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
    if [ -f "$file" ]; then
      echo "$file"
      return
    fi
  done
}

# What Coder shows of a Task while its workspace is stopped.
send_snapshot() {
  local task folder snapshot
  if [ -z "$ARG_SNAPSHOT_TASK_ID" ] || [ ! -f "$INSTANCE_DIR/task" ]; then return; fi
  if [ -z "${CODER_AGENT_URL:-}" ] || [ -z "${CODER_AGENT_TOKEN:-}" ]; then
    say "The last messages were not sent: CODER_AGENT_URL or CODER_AGENT_TOKEN is not set."
    return
  fi
  { read -r task && read -r folder; } < "$INSTANCE_DIR/task"
  if ! snapshot=$(cd "$folder" && within 4 "$ION" logs "$task" --snapshot); then
    say "The last messages were not sent: they could not be read."
    return
  fi
  # An empty log would replace an older one.
  if [ "$snapshot" = '{"messages":[]}' ]; then return; fi
  printf %s "$snapshot" \
    | ARG_SNAPSHOT_TASK_ID=$ARG_SNAPSHOT_TASK_ID NODE_EXTRA_CA_CERTS=$(system_certificates) NODE_USE_ENV_PROXY=1 \
      within 5 "$MODULE_DIR/bin/node" -e "$POST_SNAPSHOT"
}

# At the same time, so that the agents have all of their grace.
{
  send_snapshot &
  stop_all
  wait
} 2>&1 | tee "$INSTANCE_DIR/logs/stop.log"
exit 0
