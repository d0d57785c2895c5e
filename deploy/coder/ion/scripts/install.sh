# shellcheck shell=bash
# Installs Ion into the module's folder, without root, and puts it on the path of the workspace. Safe to run at every start.

# Before "set -u": other people's profiles do not stand it.
if [ -f "$HOME/.bashrc" ]; then
  # shellcheck source=/dev/null
  source "$HOME/.bashrc" || true
fi
set -euo pipefail

PACKAGE='@ion-cli/ion'
NPM_DIR="$MODULE_DIR/npm"

mkdir -p "$MODULE_DIR/bin" "$INSTANCE_DIR" "$WORKDIR"
# Prompts and transcripts are in there.
chmod 700 "$MODULE_DIR" "$INSTANCE_DIR"

# Two instances of the module may install at the same time.
if command -v flock > /dev/null; then
  exec 9> "$MODULE_DIR/install.lock"
  flock 9
fi

need_node() {
  if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
    say "Node.js and npm are not on the path. Ion needs Node 20.19 or newer: add it to the image or in pre_install_script."
    exit 1
  fi
  if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
    say "Node $(node --version) is too old. Ion needs Node 20.19 or newer."
    exit 1
  fi
}

# npm is content when what it calls optional is missing, but the terminal in the background is in there.
is_complete() {
  local folder="$NPM_DIR/lib/node_modules/$PACKAGE"
  [ -d "$folder" ] && (cd "$folder" && node -e 'require("@lydell/node-pty")' 2> /dev/null)
}

# Prints the program; prints nothing when there is none.
installed_ion() {
  if [ "$ARG_INSTALL_ION" = true ]; then
    [ ! -x "$NPM_DIR/bin/ion" ] || echo "$NPM_DIR/bin/ion"
    return
  fi
  local folder
  while IFS= read -r folder; do
    # Not our own wrapper, which an earlier start has put on the path.
    if [ -n "$folder" ] && [ -x "$folder/ion" ] && ! [ "$folder/ion" -ef "$ION" ]; then
      echo "$folder/ion"
      return
    fi
  done <<< "${PATH//:/$'\n'}"
}

if [ "$ARG_INSTALL_ION" = true ]; then
  need_node
  have=""
  if is_complete; then have=$("$NPM_DIR/bin/ion" --version 2> /dev/null || true); fi
  if [ -n "$have" ] && [ "$have" = "$ARG_ION_VERSION" ]; then
    say "Ion $have is installed."
  else
    options=(--global --prefix "$NPM_DIR" --no-fund --no-audit --no-update-notifier)
    [ -z "$ARG_NPM_REGISTRY_URL" ] || options+=(--registry "$ARG_NPM_REGISTRY_URL")
    if npm install "${options[@]}" "$PACKAGE@$ARG_ION_VERSION" && is_complete; then
      say "Ion $("$NPM_DIR/bin/ion" --version) is installed."
    elif [ -n "$have" ]; then
      say "Warning: $PACKAGE@$ARG_ION_VERSION could not be installed; going on with $have."
    else
      say "$PACKAGE@$ARG_ION_VERSION could not be installed."
      exit 1
    fi
  fi
fi

program=$(installed_ion)
if [ -z "$program" ]; then
  say "There is no ion on the path, and install_ion is false."
  exit 1
fi

# Shells that read no profile may not find node; and everybody in the workspace must see the same tasks.
node=$(type -P node || echo /usr/bin/node)
cat > "$ION.$$" << WRAPPER
#!/bin/bash
# Written by the Coder module "ion" at every start.
[ -n "\${ION_HOME:-}" ] || ION_HOME=$(printf %q "$MODULE_DIR/data")
PATH=\$PATH:$(printf %q "$(dirname "$node")")
export ION_HOME PATH
exec $(printf %q "$program") "\$@"
WRAPPER
chmod 755 "$ION.$$"
mv -f "$ION.$$" "$ION"
ln -sfn "$node" "$MODULE_DIR/bin/node"

if [ -n "${CODER_SCRIPT_BIN_DIR:-}" ] && [ -d "$CODER_SCRIPT_BIN_DIR" ]; then
  if [ -L "$CODER_SCRIPT_BIN_DIR/ion" ] || [ ! -e "$CODER_SCRIPT_BIN_DIR/ion" ]; then
    ln -sfn "$ION" "$CODER_SCRIPT_BIN_DIR/ion"
  fi
fi
