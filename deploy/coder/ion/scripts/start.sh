# shellcheck shell=bash
# Starts the agent in the background, or finds it running, and returns. Safe to run at every start, and twice at once: Ion
# knows whether the task has a session, and whether the prompt has arrived there.

# Before "set -u": other people's profiles do not stand it.
if [ -f "$HOME/.bashrc" ]; then
  # shellcheck source=/dev/null
  source "$HOME/.bashrc" || true
fi
set -euo pipefail
umask 077

if [ ! -x "$ION" ]; then
  say "$ION is not there: the install script has failed, see $INSTANCE_DIR/logs/install.log."
  exit 1
fi

# Each call has a gate of its own, since a name that is complete cannot be started again.
if [ -n "$ARG_WAIT_FOR" ]; then
  gate="ion-cli-ion${ARG_INSTANCE:+-$ARG_INSTANCE}-agent-$$"
  read -ra names <<< "$ARG_WAIT_FOR"
  if ! { coder exp sync want "$gate" "${names[@]}" && coder exp sync start "$gate"; }; then
    say "Warning: could not wait for $ARG_WAIT_FOR; going on."
  fi
  coder exp sync complete "$gate" || true
fi

# A workspace may set it for everything in it; what the module was given counts.
[ -z "$ARG_REPLICA" ] || export ION_REPLICA="$ARG_REPLICA"

mkdir -p "$WORKDIR" "$INSTANCE_DIR"
cd "$WORKDIR"

agent_args=()
for argument in $ARG_AGENT_ARGS; do
  # The dot keeps newlines at the end, which $(…) would cut off.
  if [ "$argument" = - ]; then decoded=.; else decoded=$(printf %s "$argument" | base64 -d && echo .); fi
  agent_args+=("${decoded%.}")
done

if [ "$ARG_ANSWER_DIALOGS" = true ] && [ -n "$ARG_WORKDIR" ]; then
  # Not every agent asks, and one that is not installed is told of below.
  dialogs=$("$ION" run "$ARG_AGENT" --prepare list 2> /dev/null || true)
  for dialog in trust onboarding; do
    if [[ $'\n'$dialogs == *$'\n'"$dialog: it "* ]]; then
      "$ION" run "$ARG_AGENT" --prepare "$dialog" || say "Warning: the agent will ask: $dialog."
    fi
  done
fi

host_of() {
  local host=${1#*://}
  host=${host%%/*}
  case $host in
    \[*) echo "${host%%]*}]" ;;
    *) echo "${host%%:*}" ;;
  esac
}

# The names under which Coder asks for the page. It passes on the browser's Host as it is.
page_urls() {
  local url
  for url in "$ARG_ACCESS_URL" "${CODER_AGENT_URL:-}"; do
    [ -z "$url" ] || echo "${url%/}"
  done
  # https://{{port}}--agent--workspace--owner.apps.example.com; newer versions leave the agent out for apps.
  url=${VSCODE_PROXY_URI:-}
  if [[ $url == *'{{port}}--'* ]]; then
    url=${url%/}
    echo "${url/'{{port}}'/$ARG_WEB_SLUG}"
    if [[ $url =~ ^([a-z]+://)\{\{port\}\}--[^.]*--([^.]*--[^.]*)(\..*)$ ]]; then
      echo "${BASH_REMATCH[1]}$ARG_WEB_SLUG--${BASH_REMATCH[2]}${BASH_REMATCH[3]}"
    fi
  fi
}

joined() {
  local IFS=,
  echo "$*"
}

serve_options() {
  local urls=() hosts=(localhost 127.0.0.1 '[::1]') origins=("http://localhost:$ARG_PORT" "http://127.0.0.1:$ARG_PORT") url more
  mapfile -t urls < <(page_urls)
  for url in "${urls[@]}"; do
    hosts+=("$(host_of "$url")")
    origins+=("$(printf %s "$url" | cut -d/ -f1-3)")
  done
  read -ra more <<< "$ARG_ALLOWED_HOSTS"
  hosts+=("${more[@]}")
  # Coder asks who it is before it lets anybody at the page, and the page listens on loopback: no second password.
  options=(--port "$ARG_PORT" --chat-base-path "$ARG_CHAT_BASE_PATH" --no-token)
  options+=(--allowed-hosts "$(joined "${hosts[@]}")" --allowed-origins "$(joined "${origins[@]}")")
}

agent=$ARG_AGENT
task=$ARG_TASK
if [ -n "$ARG_RESUME_SESSION_ID" ]; then
  "$ION" resume "$ARG_RESUME_SESSION_ID" --detach -- "${agent_args[@]}"
  [ -z "$ARG_AI_PROMPT" ] || say "ai_prompt is not sent: resume_session_id is set."
  # It became a task, in the folder that the session was in.
  row=$("$ION" ps --json | grep -E -m 1 "\"(session_id|native_id)\":\"$ARG_RESUME_SESSION_ID" || true)
  if ! [[ $row =~ \"agent\":\"([^\"]*)\",\"task\":\"([^\"]*)\",\"project\":\"([^\"\\]*)\" ]]; then
    say "Session $ARG_RESUME_SESSION_ID is not running after its start; see ion ps --all."
    exit 1
  fi
  agent=${BASH_REMATCH[1]} task=${BASH_REMATCH[2]}
  cd "${BASH_REMATCH[3]}"
fi
# For the script that attaches: the task, and the folder in which its name means this task. By a name of its own until it is complete: two starts may run at once.
printf '%s-%s\n%s\n' "$agent" "$task" "$PWD" > "$INSTANCE_DIR/task.$$"
mv -f "$INSTANCE_DIR/task.$$" "$INSTANCE_DIR/task"

words=("$agent" --task "$task" --detach)
if [ -n "$ARG_AI_PROMPT" ] && [ -z "$ARG_RESUME_SESSION_ID" ]; then
  prompt="$INSTANCE_DIR/prompt.txt"
  printf %s "$ARG_AI_PROMPT" | base64 -d > "$prompt.$$"
  mv -f "$prompt.$$" "$prompt"
  words+=(--prompt-file "$prompt")
fi

if [ "$ARG_WEB_APP" = true ]; then
  serve_options
  command=(serve "${options[@]}")
else
  command=(run)
fi

if [ "$ARG_ENABLE_STATE_PERSISTENCE" != true ] && [ -z "$ARG_RESUME_SESSION_ID" ] && [ -z "${ION_MODULE_ATTACH:-}" ]; then
  # Refused when it runs already; then it is found below.
  if "$ION" "${command[@]}" "${words[@]}" --new -- "${agent_args[@]}"; then exit 0; fi
fi
"$ION" "${command[@]}" "${words[@]}" -- "${agent_args[@]}"
