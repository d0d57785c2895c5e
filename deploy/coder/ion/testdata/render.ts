// The scripts as main.tf assembles them. deploy/coder/check.ts compares them with Terraform's own result.
import { readFileSync } from 'node:fs'

const scripts = new URL('../scripts/', import.meta.url)

/** Values by the names that the scripts know them under. */
export type Settings = Readonly<Record<string, string>>

export type ScriptName = 'install' | 'start' | 'attach' | 'stop'

/** What main.tf passes to the scripts when only `agent_id` is set. */
const defaultSettings: Settings = {
  ARG_ACCESS_URL: '',
  ARG_AGENT: 'claude',
  ARG_ALLOWED_HOSTS: '',
  ARG_CHAT_BASE_PATH: '/chat',
  ARG_ENABLE_STATE_PERSISTENCE: 'true',
  ARG_INSTALL_ION: 'true',
  ARG_INSTANCE: '',
  ARG_ION_VERSION: 'latest',
  ARG_NPM_REGISTRY_URL: '',
  ARG_PORT: '3284',
  ARG_REPLICA: '',
  ARG_REPLICA_SECONDS: '0',
  ARG_RESUME_SESSION_ID: '',
  ARG_SNAPSHOT_TASK_ID: '',
  ARG_STOP_GRACE_SECONDS: '5',
  ARG_TASK: 'main',
  ARG_ANSWER_DIALOGS: 'true',
  ARG_WAIT_FOR: '',
  ARG_WEB_APP: 'true',
  ARG_WEB_SLUG: 'ion',
  ARG_WORKDIR: '',
  ARG_AGENT_ARGS: '',
  ARG_AI_PROMPT: '',
}

const ONLY_START = ['ARG_AGENT_ARGS', 'ARG_AI_PROMPT']

/** The complete text of a script. */
export function renderScript(name: ScriptName, settings: Settings = {}): string {
  const given = Object.entries({ ...defaultSettings, ...settings })
    .filter(([key]) => name === 'start' || !ONLY_START.includes(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    '#!/bin/bash',
    ...given.map(([key, value]) => `${key}="$(printf %s '${base64(value)}' | base64 -d)"`),
    readFileSync(new URL('common.sh', scripts), 'utf8'),
    readFileSync(new URL(`${name}.sh`, scripts), 'utf8'),
  ].join('\n')
}

/** The value of `ARG_AI_PROMPT`. */
export function encodePrompt(text: string): string {
  return base64(text)
}

/** The value of `ARG_AGENT_ARGS`. */
export function encodeArguments(words: readonly string[]): string {
  return words.map((word) => (word === '' ? '-' : base64(word))).join(' ')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

const prompt = 'Say "it\'s $HOME" `id` and \u0024{nothing}\nnext line: ünïcødé 日本 🚀 \\n %s\n'
const words = ['--model', 'a \'b\' "c"', '', '$(id)\n']

/** Of the Coder Task that the sample is. */
export const sampleTaskId = '7d8d4c2e-fb57-44f9-a183-22509819c2e7'

/** A workspace with everything set, for check.ts: Terraform's variables, and the settings that must result. */
export const sampleVariables: Readonly<Record<string, unknown>> = {
  agent_id: 'agent-1',
  agent: 'codex',
  workdir: '/home/coder/my project/',
  ai_prompt: prompt,
  agent_args: words,
  task: 'docs.1',
  instance: 'second',
  enable_state_persistence: false,
  replica: 's3://bucket/ion',
  resume_session_id: '3f2a',
  answer_dialogs: false,
  wait_for: ['coder-labs-codex-install_script', 'clone'],
  install_ion: false,
  ion_version: '1.2.3',
  npm_registry_url: 'https://npm.example.com/a?b=1',
  port: 3300,
  allowed_hosts: ['chat.example.com', '[::2]'],
  stop_grace_seconds: 7,
}

export const sampleSettings: Settings = {
  ARG_ACCESS_URL: 'https://mydeployment.coder.com',
  ARG_AGENT: 'codex',
  ARG_AGENT_ARGS: encodeArguments(words),
  ARG_AI_PROMPT: encodePrompt(prompt),
  ARG_ALLOWED_HOSTS: 'chat.example.com [::2]',
  ARG_ENABLE_STATE_PERSISTENCE: 'false',
  ARG_INSTALL_ION: 'false',
  ARG_INSTANCE: 'second',
  ARG_ION_VERSION: '1.2.3',
  ARG_NPM_REGISTRY_URL: 'https://npm.example.com/a?b=1',
  ARG_PORT: '3300',
  ARG_REPLICA: 's3://bucket/ion',
  ARG_REPLICA_SECONDS: '12',
  ARG_RESUME_SESSION_ID: '3f2a',
  ARG_SNAPSHOT_TASK_ID: sampleTaskId,
  ARG_STOP_GRACE_SECONDS: '7',
  ARG_TASK: 'docs.1',
  ARG_ANSWER_DIALOGS: 'false',
  ARG_WAIT_FOR: 'coder-labs-codex-install_script clone',
  ARG_WEB_SLUG: 'ion-second',
  ARG_WORKDIR: '/home/coder/my project',
}
