# Stands in for registry.coder.com/coder/coder-utils/coder 0.0.1 where there is no network: the same inputs and the same
# output, and scripts that do the same in our own words. check.ts takes the real one where ION_CODER_UTILS names it.

terraform {
  required_providers {
    coder = {
      source  = "coder/coder"
      version = ">= 2.13"
    }
  }
}

variable "agent_id" {
  type = string
}

variable "module_directory" {
  type = string

  validation {
    condition     = can(regex("^\\$HOME/\\.coder-modules/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+$", var.module_directory))
    error_message = "module_directory must be $HOME/.coder-modules/<namespace>/<module>."
  }
}

variable "display_name_prefix" {
  type    = string
  default = ""
}

variable "icon" {
  type    = string
  default = null
}

variable "pre_install_script" {
  type    = string
  default = null
}

variable "install_script" {
  type = string
}

variable "post_install_script" {
  type    = string
  default = null
}

variable "start_script" {
  type    = string
  default = null
}

locals {
  parts = reverse(split("/", var.module_directory))
  given = [
    for step in [
      { name = "pre_install", title = "Pre-Install Script", script = var.pre_install_script },
      { name = "install", title = "Install Script", script = var.install_script },
      { name = "post_install", title = "Post-Install Script", script = var.post_install_script },
      { name = "start", title = "Start Script", script = var.start_script },
    ] : merge(step, { unit = "${local.parts[1]}-${local.parts[0]}-${step.name}_script" }) if step.script != null
  ]
}

resource "coder_script" "step" {
  count        = length(local.given)
  agent_id     = var.agent_id
  display_name = "${var.display_name_prefix}: ${local.given[count.index].title}"
  icon         = var.icon
  run_on_start = true
  script       = <<-EOT
    #!/bin/bash
    set -eo pipefail
    mkdir -p ${var.module_directory}/scripts ${var.module_directory}/logs
    trap 'coder exp sync complete ${local.given[count.index].unit}' EXIT
    %{if count.index > 0~}
    coder exp sync want ${local.given[count.index].unit} ${local.given[count.index - 1].unit}
    %{endif~}
    coder exp sync start ${local.given[count.index].unit}
    file=${var.module_directory}/scripts/${local.given[count.index].name}.sh
    echo -n '${base64encode(local.given[count.index].script)}' | base64 -d > $file
    chmod +x $file
    $file 2>&1 | tee ${var.module_directory}/logs/${local.given[count.index].name}.log
  EOT
}

output "scripts" {
  value = local.given[*].unit
}
