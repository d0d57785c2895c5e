terraform {
  required_version = ">= 1.9"

  required_providers {
    coder = {
      source  = "coder/coder"
      version = ">= 2.13"
    }
  }
}

data "coder_workspace" "me" {}

data "coder_workspace_owner" "me" {}

data "coder_task" "me" {}

variable "agent_id" {
  description = "The ID of a Coder agent."
  type        = string
}

variable "agent" {
  description = "Which coding agent to run. The agent itself is installed by its own module or by the image."
  type        = string
  default     = "claude"

  validation {
    # agents: written by npm run generate
    condition = contains([
      "aider", "amazon-q", "amp", "auggie", "claude", "codex", "copilot", "cursor", "gemini", "goose", "kiro", "opencode", "pi"
    ], var.agent)
    error_message = "agent must be one of: aider, amazon-q, amp, auggie, claude, codex, copilot, cursor, gemini, goose, kiro, opencode, pi."
    # /agents
  }
}

variable "workdir" {
  description = "The folder the agent works in; made when it is missing. The home folder when it is not set."
  type        = string
  default     = null
}

variable "ai_prompt" {
  description = "What the agent is to do. It is sent once: with the first start of the task, and never again."
  type        = string
  default     = ""
}

variable "agent_args" {
  description = "Arguments for the agent itself, such as its model or its permissions. They are given at every start."
  type        = list(string)
  default     = []
}

variable "task" {
  description = "Name of the task. The agent, the folder and this name belong to one session; another name begins another one."
  type        = string
  default     = "main"

  validation {
    condition     = can(regex("^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$", var.task))
    error_message = "task must be 1 to 64 letters, digits, dots, dashes and underscores, with no dot or dash in front."
  }
}

variable "instance" {
  description = "Set it where a workspace has this module several times: it goes into the folder, the slugs and the script names. Give each another port."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?)?$", var.instance)) && !strcontains(var.instance, "--")
    error_message = "instance must be at most 20 lowercase letters, digits and single dashes."
  }
}

variable "enable_state_persistence" {
  description = "Go on with the same session after a restart of the workspace. When false, every start begins a new session and sends the prompt again."
  type        = bool
  default     = true
}

variable "replica" {
  description = "Where to keep the task outside of the workspace, such as `s3://bucket/prefix`: a start in an empty home continues it from there. Its key and the credentials of the bucket come from the environment of the workspace. Nothing is kept there when it is empty."
  type        = string
  default     = ""

  validation {
    condition     = var.replica == "" || can(regex("^(s3://[a-z0-9][^\\s@?#]+|file:///[^\\s?#]+)$", var.replica))
    error_message = "replica must be s3://bucket/prefix or file:///path, without credentials."
  }
}

variable "resume_session_id" {
  description = "Open this session, by its ID or the beginning of it, instead of one of the task. ai_prompt is not sent into it."
  type        = string
  default     = ""

  validation {
    condition     = var.resume_session_id == "" || can(regex("^[A-Za-z0-9][A-Za-z0-9_.-]{3,}$", var.resume_session_id))
    error_message = "resume_session_id must be a session ID, or at least its first 4 characters."
  }
}

variable "answer_dialogs" {
  description = "Answer the dialogs of a first run beforehand, in the agent's own settings: whether workdir is trusted, and pages such as the choice of a theme. Only where workdir is set. When false, the agent waits at them until somebody answers."
  type        = bool
  default     = true
}

variable "wait_for" {
  description = "Names of `coder exp sync` that must be complete before the agent is started, such as the `scripts` output of the module that installs it."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for name in var.wait_for : can(regex("^[A-Za-z0-9_.-]+$", name))])
    error_message = "wait_for must be a list of names of letters, digits, dots, dashes and underscores."
  }
}

variable "install_ion" {
  description = "Whether to install Ion from npm into the module's folder. When false, the `ion` of the image is used."
  type        = bool
  default     = true
}

variable "ion_version" {
  description = "The version of Ion to install: a version or a tag of npm."
  type        = string
  default     = "latest"
}

variable "npm_registry_url" {
  description = "The npm registry to install Ion from, such as your mirror. npm's own setting when it is empty."
  type        = string
  default     = ""
}

variable "pre_install_script" {
  description = "Custom script to run before Ion is installed."
  type        = string
  default     = null
}

variable "post_install_script" {
  description = "Custom script to run after Ion is installed and before the agent is started."
  type        = string
  default     = null
}

variable "web_app" {
  description = "Whether to serve the chat page, with an app for it. It is also what `coder_ai_task` needs."
  type        = bool
  default     = true
}

variable "cli_app" {
  description = "Whether to create the app that shows the agent's terminal."
  type        = bool
  default     = true
}

variable "port" {
  description = "The port of the chat page and its API, on loopback."
  type        = number
  default     = 3284

  validation {
    condition     = var.port > 1023 && var.port < 65536 && floor(var.port) == var.port
    error_message = "port must be a whole number from 1024 to 65535."
  }
}

variable "subdomain" {
  description = "Whether the chat page has a subdomain of its own. Set it to false where the deployment has no wildcard access URL."
  type        = bool
  default     = true
}

variable "allowed_hosts" {
  description = "More names under which the chat page may be asked for. Those of this workspace are found out by the start script."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for host in var.allowed_hosts : can(regex("^([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]|\\*)$", host))])
    error_message = "allowed_hosts must be host names without a port, or \"*\"."
  }
}

variable "order" {
  description = "The order determines the position of the apps in the UI. The lowest order is shown first, equal ones are sorted by name."
  type        = number
  default     = null
}

variable "group" {
  description = "The name of a group that the apps belong to."
  type        = string
  default     = null
}

variable "icon" {
  description = "The icon of the apps and scripts."
  type        = string
  default     = "/icon/terminal.svg"
}

variable "display_name" {
  description = "The name of the chat app; the other app and the scripts are named after it."
  type        = string
  default     = "Ion"
}

variable "stop_grace_seconds" {
  description = "How long the agent may take to end when the workspace stops. A killed agent loses only what it had not stored."
  type        = number
  default     = 5

  validation {
    condition     = var.stop_grace_seconds >= 0 && var.stop_grace_seconds <= 300
    error_message = "stop_grace_seconds must be 0 to 300."
  }
}

variable "task_log_snapshot" {
  description = "Whether the stop script of a Coder Task sends the last messages to Coder, which shows them while the task is paused. Only the instance whose chat app is that of `coder_ai_task` should do it."
  type        = bool
  default     = true
}

locals {
  # Ion, its data and its program are shared by all instances; scripts and logs are each instance's own.
  module_directory   = "$HOME/.coder-modules/ion-cli/ion"
  instance_suffix    = var.instance == "" ? "" : "-${var.instance}"
  instance_directory = "${local.module_directory}${local.instance_suffix}"
  web_slug           = "ion${local.instance_suffix}"
  cli_slug           = "ion-terminal${local.instance_suffix}"

  # Behind a path, Coder cuts off what stands before /chat, but the page must know it for its own links.
  chat_base_path = var.subdomain ? "/chat" : "/@${data.coder_workspace_owner.me.name}/${data.coder_workspace.me.name}.${var.agent_id}/apps/${local.web_slug}/chat"

  # What Ion allows itself for the last state, once the agent has ended.
  replica_seconds = var.replica == "" ? 0 : 12

  # Outside of a Task its ID is a random one.
  snapshot_task_id = var.task_log_snapshot && var.web_app && data.coder_task.me.enabled ? data.coder_task.me.id : ""

  settings = {
    ARG_AGENT                    = var.agent
    ARG_ACCESS_URL               = data.coder_workspace.me.access_url
    ARG_ALLOWED_HOSTS            = join(" ", var.allowed_hosts)
    ARG_CHAT_BASE_PATH           = local.chat_base_path
    ARG_ENABLE_STATE_PERSISTENCE = tostring(var.enable_state_persistence)
    ARG_INSTALL_ION              = tostring(var.install_ion)
    ARG_INSTANCE                 = var.instance
    ARG_ION_VERSION              = var.ion_version
    ARG_NPM_REGISTRY_URL         = var.npm_registry_url
    ARG_PORT                     = tostring(var.port)
    ARG_REPLICA                  = var.replica
    ARG_REPLICA_SECONDS          = tostring(local.replica_seconds)
    ARG_RESUME_SESSION_ID        = var.resume_session_id
    ARG_SNAPSHOT_TASK_ID         = local.snapshot_task_id
    ARG_STOP_GRACE_SECONDS       = tostring(floor(var.stop_grace_seconds))
    ARG_TASK                     = var.task
    ARG_ANSWER_DIALOGS           = tostring(var.answer_dialogs)
    ARG_WAIT_FOR                 = join(" ", var.wait_for)
    ARG_WEB_APP                  = tostring(var.web_app)
    ARG_WEB_SLUG                 = local.web_slug
    ARG_WORKDIR                  = var.workdir == null ? "" : trimsuffix(var.workdir, "/")
  }

  # Only the start script gets these. They are decoded there, where they are used: each must arrive as it is.
  start_settings = {
    ARG_AGENT_ARGS = join(" ", [for argument in var.agent_args : argument == "" ? "-" : base64encode(argument)])
    ARG_AI_PROMPT  = base64encode(var.ai_prompt)
  }

  # Everything travels in base64, so that no value can be taken for a part of a script.
  scripts = {
    for name, given in {
      install = local.settings
      start   = merge(local.settings, local.start_settings)
      attach  = local.settings
      stop    = local.settings
    } :
    name => join("\n", concat(
      ["#!/bin/bash"],
      [for key, value in given : "${key}=\"$(printf %s '${base64encode(value)}' | base64 -d)\""],
      [file("${path.module}/scripts/common.sh"), file("${path.module}/scripts/${name}.sh")],
    ))
  }
}

module "coder_utils" {
  source  = "registry.coder.com/coder/coder-utils/coder"
  version = "0.0.1"

  agent_id            = var.agent_id
  module_directory    = local.instance_directory
  display_name_prefix = var.display_name
  icon                = var.icon
  pre_install_script  = var.pre_install_script
  install_script      = local.scripts.install
  post_install_script = var.post_install_script
  start_script        = local.scripts.start
}

resource "coder_script" "stop" {
  agent_id     = var.agent_id
  display_name = "${var.display_name}: Stop Script"
  icon         = var.icon
  run_on_stop  = true
  timeout      = floor(var.stop_grace_seconds) + local.replica_seconds + 10
  script       = local.scripts.stop
}

resource "coder_app" "web" {
  count = var.web_app ? 1 : 0

  agent_id     = var.agent_id
  slug         = local.web_slug
  display_name = var.display_name
  url          = "http://localhost:${var.port}/"
  icon         = var.icon
  order        = var.order
  group        = var.group
  subdomain    = var.subdomain
  share        = "owner"

  healthcheck {
    url       = "http://localhost:${var.port}/status"
    interval  = 3
    threshold = 20
  }
}

resource "coder_app" "cli" {
  count = var.cli_app ? 1 : 0

  agent_id     = var.agent_id
  slug         = local.cli_slug
  display_name = "${var.display_name} Terminal"
  command      = local.scripts.attach
  icon         = var.icon
  order        = var.order
  group        = var.group
}

output "task_app_id" {
  description = "The ID of the chat app, for `coder_ai_task`. Empty when web_app is false."
  value       = var.web_app ? coder_app.web[0].id : ""
}

output "scripts" {
  description = "Ordered list of `coder exp sync` names of this module's scripts, in run order. Those that were not configured are absent."
  value       = module.coder_utils.scripts
}

output "shutdown_grace_seconds" {
  description = "How long the stop script may take at most. The platform's own grace period must be longer: add 5 seconds for the agent of the workspace."
  value       = floor(var.stop_grace_seconds) + local.replica_seconds + 10
}
