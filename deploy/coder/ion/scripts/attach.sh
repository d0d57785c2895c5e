# shellcheck shell=bash
# Shows the agent's terminal. Coder runs it again at every reconnect of the pane, so it attaches, or starts and attaches.

export LANG="${LANG:-C.UTF-8}"

if [ ! -x "$ION" ] || [ ! -f "$INSTANCE_DIR/scripts/start.sh" ]; then
  say "The workspace is still being prepared; open this again in a moment. Logs: $INSTANCE_DIR/logs"
  exit 1
fi
if ! said=$(ION_MODULE_ATTACH=1 bash "$INSTANCE_DIR/scripts/start.sh" 2>&1); then
  echo "$said"
  exit 1
fi
{ read -r task && read -r folder; } < "$INSTANCE_DIR/task"
cd "$folder" || exit 1
exec "$ION" attach "$task"
