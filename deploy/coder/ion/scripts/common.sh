# shellcheck shell=bash
# shellcheck disable=SC2034
# Where things are. main.tf puts this, after the ARG_ variables, in front of each of the other scripts, which use it.

MODULE_DIR="$HOME/.coder-modules/ion-cli/ion"
INSTANCE_DIR="$MODULE_DIR${ARG_INSTANCE:+-$ARG_INSTANCE}"
ION="$MODULE_DIR/bin/ion"

WORKDIR="${ARG_WORKDIR:-$HOME}"
WORKDIR="${WORKDIR/#\~/$HOME}"
WORKDIR="${WORKDIR//\$HOME/$HOME}"

# Where agents and npm put programs, for shells that read no profile. The path of the workspace comes first.
export PATH="$PATH:$HOME/.local/bin:$HOME/.npm-global/bin:$HOME/.opencode/bin:$HOME/.amp/bin"

say() {
  echo "ion module: $*"
}
