run "defaults" {
  command = apply

  variables {
    agent_id = "agent-1"
  }

  assert {
    condition     = coder_app.web[0].url == "http://localhost:3284/" && coder_app.web[0].slug == "ion" && coder_app.web[0].subdomain && coder_app.web[0].share == "owner"
    error_message = "the chat page must be on port 3284, for the owner only"
  }

  assert {
    condition     = one(coder_app.web[0].healthcheck).url == "http://localhost:3284/status"
    error_message = "the health check must ask /status"
  }

  assert {
    condition     = coder_app.cli[0].slug == "ion-terminal" && startswith(coder_app.cli[0].command, "#!/bin/bash\n")
    error_message = "there must be an app that attaches"
  }

  assert {
    condition     = output.task_app_id == coder_app.web[0].id
    error_message = "task_app_id must be the chat app"
  }

  assert {
    condition     = tolist(output.scripts) == tolist(["ion-cli-ion-install_script", "ion-cli-ion-start_script"])
    error_message = "scripts must be the sync names in run order"
  }

  assert {
    condition     = local.settings.ARG_REPLICA == "" && output.shutdown_grace_seconds == 15
    error_message = "nothing must be kept outside of the workspace unless that is asked for"
  }

  assert {
    condition     = coder_script.stop.run_on_stop && !coder_script.stop.run_on_start && coder_script.stop.timeout == output.shutdown_grace_seconds
    error_message = "the stop script must run at the stop only, and be bounded"
  }
}

run "all_scripts" {
  command = apply

  variables {
    agent_id            = "agent-1"
    pre_install_script  = "echo before"
    post_install_script = "echo after"
  }

  assert {
    condition = tolist(output.scripts) == tolist([
      "ion-cli-ion-pre_install_script", "ion-cli-ion-install_script",
      "ion-cli-ion-post_install_script", "ion-cli-ion-start_script"
    ])
    error_message = "all four scripts must be there, in run order"
  }
}

run "the_prompt_is_only_in_the_start_script" {
  command = plan

  variables {
    agent_id  = "agent-1"
    ai_prompt = "it's \"$HOME\" `id` $${x}\nnext: ünï"
  }

  assert {
    condition     = strcontains(local.scripts.start, base64encode(base64encode(var.ai_prompt)))
    error_message = "the start script must have the prompt in base64"
  }

  assert {
    condition = !anytrue([
      for name in ["install", "attach", "stop"] : strcontains(local.scripts[name], base64encode(base64encode(var.ai_prompt)))
    ])
    error_message = "the other scripts must not have the prompt"
  }

  assert {
    condition     = !strcontains(local.scripts.start, "`id`")
    error_message = "no text of the user may stand in a script as it is"
  }
}

run "a_task_sends_its_log" {
  command = plan

  variables {
    agent_id = "agent-1"
  }

  override_data {
    target = data.coder_task.me
    values = { id = "7d8d4c2e-fb57-44f9-a183-22509819c2e7", enabled = true, prompt = "" }
  }

  assert {
    condition     = strcontains(local.scripts.stop, "ARG_SNAPSHOT_TASK_ID=\"$(printf %s '${base64encode("7d8d4c2e-fb57-44f9-a183-22509819c2e7")}' | base64 -d)\"")
    error_message = "the stop script must know the task"
  }
}

run "a_task_sends_no_log_when_that_is_off" {
  command = plan

  variables {
    agent_id          = "agent-1"
    task_log_snapshot = false
  }

  override_data {
    target = data.coder_task.me
    values = { id = "7d8d4c2e-fb57-44f9-a183-22509819c2e7", enabled = true, prompt = "" }
  }

  assert {
    condition     = local.settings.ARG_SNAPSHOT_TASK_ID == ""
    error_message = "the stop script must not know the task"
  }
}

run "a_workspace_that_is_no_task_sends_no_log" {
  command = plan

  variables {
    agent_id = "agent-1"
  }

  assert {
    condition     = data.coder_task.me.id != "" && local.settings.ARG_SNAPSHOT_TASK_ID == ""
    error_message = "the random ID of the data source is not a task"
  }
}

run "a_replica_gets_time_for_the_last_state" {
  command = apply

  variables {
    agent_id = "agent-1"
    replica  = "s3://bucket/ion"
  }

  assert {
    condition     = local.settings.ARG_REPLICA == "s3://bucket/ion" && output.shutdown_grace_seconds == 27 && coder_script.stop.timeout == 27
    error_message = "the scripts must know the replica, and the stop must wait for it"
  }
}

run "two_in_one_workspace" {
  command = apply

  variables {
    agent_id  = "agent-1"
    agent     = "goose"
    instance  = "goose"
    port      = 3285
    subdomain = false
  }

  assert {
    condition     = coder_app.web[0].slug == "ion-goose" && coder_app.cli[0].slug == "ion-terminal-goose" && coder_app.web[0].url == "http://localhost:3285/"
    error_message = "an instance must have slugs and a port of its own"
  }

  assert {
    condition     = tolist(output.scripts) == tolist(["ion-cli-ion-goose-install_script", "ion-cli-ion-goose-start_script"])
    error_message = "an instance must have sync names of its own"
  }

  assert {
    condition     = endswith(local.chat_base_path, ".agent-1/apps/ion-goose/chat")
    error_message = "without a subdomain the page must know its path"
  }
}

run "without_apps" {
  command = apply

  variables {
    agent_id = "agent-1"
    web_app  = false
    cli_app  = false
  }

  assert {
    condition     = length(coder_app.web) == 0 && length(coder_app.cli) == 0 && output.task_app_id == ""
    error_message = "there must be no apps"
  }
}

run "refuses_an_unknown_agent" {
  command = plan

  variables {
    agent_id = "agent-1"
    agent    = "clippy"
  }

  expect_failures = [var.agent]
}

run "refuses_names_that_are_none" {
  command = plan

  variables {
    agent_id          = "agent-1"
    task              = "../x"
    instance          = "A b"
    resume_session_id = "x'; rm -rf"
    wait_for          = ["$(id)"]
    allowed_hosts     = ["a,b"]
    replica           = "s3://key:secret@bucket/ion"
    port              = 80
  }

  expect_failures = [
    var.task, var.instance, var.resume_session_id, var.wait_for, var.allowed_hosts, var.port, var.replica
  ]
}
