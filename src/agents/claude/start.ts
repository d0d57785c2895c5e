import { join } from 'node:path'
import { asArray, asObject } from '../../native/narrow.ts'
import { readSettings, valueAt, withValue } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { readAnswerText } from '../_shared/answer-text.ts'
import { type InputBox, readInputBox, rowsAboveBox } from '../_shared/input-box.ts'
import { refuseCommand, SLASH_COMMAND } from '../_shared/prompt-command.ts'
import { changeSettings } from '../_shared/start.ts'
import type { AgentCommand, Dialog, Start, StartRequest } from '../start.ts'

const BOX: InputBox = { top: /^─{20,}/, prompt: /^[❯>!] ?/, bottom: /^─{20,}/, below: /^ / }

/** Options with one value, and with any number of values, of 2.1.325. */
const WITH_VALUE =
  `--advisor --agent --agents --append-system-prompt --append-system-prompt-file --debug -d --debug-file
  --effort --fallback-model --from-pr --input-format --json-schema --managed-settings --max-budget-usd
  --max-thinking-tokens --max-turns --model --name -n --output-format --permission-mode --permission-prompt-tool
  --plugin-dir --plugin-url --prefill --prompt-suggestions --remote-control --setting-sources --settings --system-prompt
  --system-prompt-file --teammate-mode --thinking --worktree -w`.split(/\s+/)
const WITH_VALUES =
  `--add-dir --allowedTools --allowed-tools --betas --channels --disallowedTools --disallowed-tools --file
  --mcp-config --tools`.split(/\s+/)

/** `Write(note.txt)` with the mark of a text; `Reading 1 file…` or `Running a command · 3s` with it or indented like it. */
const CALL = /^[●⏺] [A-Z][\w -]*\(|^[●⏺ ] [A-Z]\w+ing (?:for )?(?:a|\d+) \w.*(?:…| · \d+s)$/

export const start: Start = {
  oldest: '2.1.0',
  newest: '2.1.325',
  sessionId: 'assigned',
  commandLine: {
    switches: ['--continue', '-c', '--print', '-p'],
    resume: ['--resume', '-r'],
    session: ['--session-id'],
    lastIsPrompt: { unlessValueOf: WITH_VALUE, many: WITH_VALUES },
  },
  cold: (request) => command(['--session-id', request.session], request),
  warm: (request) => command(['--resume', request.session], request),
  // In a terminal a blank in front does not help, and without one commands run as well.
  preflight: (_kind, { prompt }) => refuseCommand('Claude Code', prompt, SLASH_COMMAND),
  dialogs,
  // With a full disk it answers and exits with 1.
  failsIfUnstored: true,
  storingDisabledBy,
  readInput: (rows) => readInputBox(rows, BOX),
  readAnswer: (rows) =>
    readAnswerText(rowsAboveBox(rows, BOX), {
      mark: /^[●⏺] /,
      indent: /^ {2}/,
      prompt: /^[❯>] /,
      output: /^ {2}⎿/,
      isOther: ({ text }) => CALL.test(text),
    }),
  screens: [
    {
      id: 'trust',
      pattern: /Quick safety check|Do you trust the files in this folder/,
      asks: 'asks whether you trust this folder',
    },
    { id: 'api-key', pattern: /Detected a custom API key/, asks: 'asks whether to use the API key of the environment' },
    { id: 'onboarding', pattern: /Choose the text style|Let's get started/, asks: 'shows its first-run pages' },
    { id: 'login', pattern: /Select login method|Not logged in/, asks: 'asks you to log in' },
  ],
  prepare: {
    trust: ({ cwd, io }) =>
      changeSettings(configFile(io), `hasTrustDialogAccepted of ${cwd}`, (config) =>
        withValue(config, ['projects', cwd, 'hasTrustDialogAccepted'], true),
      ),
    onboarding: ({ io }) =>
      changeSettings(configFile(io), 'hasCompletedOnboarding', (config) =>
        withValue(config, ['hasCompletedOnboarding'], true),
      ),
  },
}

/** Without a terminal the prompt is stdin, exact and of any length; in one it is the argument after `--`. */
function command(session: readonly string[], { headless, prompt, args }: StartRequest): AgentCommand {
  if (headless) return { args: ['-p', ...session, ...args], ...(prompt ? { stdin: 'prompt' } : {}) }
  return { args: [...session, ...args, ...(prompt ? ['--', prompt.argument] : [])] }
}

/** The option is for headless turns; the variable counts in every mode. */
function storingDisabledBy({ args, io: { env } }: Pick<StartRequest, 'args' | 'io'>): string | undefined {
  const option = args.find((arg) => arg === '--no-session-persistence')
  if (option !== undefined) return option
  return env.CLAUDE_CODE_SKIP_PROMPT_HISTORY ? 'CLAUDE_CODE_SKIP_PROMPT_HISTORY' : undefined
}

/** Records which dialogs were answered. It holds more than that; nothing else in it is used. */
function configFile({ env, home }: Io): string {
  return env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : join(home, '.claude.json')
}

function dialogs({ cwd, io }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const config = readSettings(configFile(io))
  const found: Dialog[] = []
  if (config.hasCompletedOnboarding !== true) {
    found.push({ id: 'onboarding', asks: 'shows its first-run pages', certain: true })
  }
  if (valueAt(config, ['projects', cwd, 'hasTrustDialogAccepted']) !== true) {
    found.push({ id: 'trust', asks: 'asks whether you trust this folder', certain: true })
  }
  const key = io.env.ANTHROPIC_API_KEY
  const answers = asObject(config.customApiKeyResponses)
  const known = [...(asArray(answers?.approved) ?? []), ...(asArray(answers?.rejected) ?? [])]
  // Of a long key only the end is stored there.
  if (key && !known.some((tail) => typeof tail === 'string' && tail !== '' && key.endsWith(tail))) {
    found.push({ id: 'api-key', asks: 'asks whether to use the API key of the environment', certain: true })
  }
  return found
}
