import { KEY, makeWorld, type Place, trustedFolder, type World } from '../../../../test/prove/world.ts'

export default function world(place: Place): World {
  return makeWorld(place, {
    env: { STUB_KEY: KEY },
    files: { '.codex/config.toml': config(place) },
    args: ['--dangerously-bypass-approvals-and-sandbox'],
    asking: { args: ['--ask-for-approval', 'on-request', '--sandbox', 'workspace-write'] },
    withoutStoring: ['--ephemeral'],
  })
}

/** Plugins and apps are off because both use the network at start. */
function config({ modelUrl, project }: Place) {
  return `model = "stub-model"
model_provider = "stub"
check_for_update_on_startup = false

[model_providers.stub]
name = "Stub"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "STUB_KEY"
request_max_retries = 0
stream_max_retries = 0

[features]
daemon_auto_start = false
plugins = false
apps = false

[analytics]
enabled = false

[feedback]
enabled = false

[tui]
resume_cwd = "session"

[projects.${JSON.stringify(trustedFolder(project))}]
trust_level = "trusted"
`
}
