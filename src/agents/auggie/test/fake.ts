import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  boxed,
  type FakeAgent,
  type FakeCall,
  type FakeWorld,
  parseArguments,
} from '../../../../test/fake-agent/fake.ts'
import { projectOf } from '../../../platform/project.ts'
import { sessionsFolder } from '../paths.ts'
import { requestNode, responseNode } from '../records.ts'

/** Prompts without an answer are only in memory, so a kill loses them. */
const asked = new Map<string, string>()

/** Behaves like 0.36.0: see ../README.md. */
export const fake: FakeAgent = {
  version: '0.36.0 (commit 7c61e5bb)',
  inputBox: boxed('─', '› ', '─'),
  parse,
  has: (session, world) => existsSync(fileOf(session, world)),
  create: () => randomUUID(),
  prompt: (session, text) => void asked.set(session, text),
  // The first thing that is stored is the prompt with its answer.
  answer(sessionId, text, world) {
    const file = fileOf(sessionId, world)
    const now = world.now()
    const { created = now, chatHistory = [] } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    const session = {
      sessionId,
      created,
      modified: now,
      chatHistory: [...chatHistory, item(asked.get(sessionId) ?? '', text, chatHistory.length + 1, world)],
      agentState: { userGuidelines: '', workspaceGuidelines: '', modelId: '', userEmail: 'dev@example.com' },
      terminalId: '/dev/null',
    }
    world.replace(file, JSON.stringify(session, null, 2))
  },
  output: (session_id, result) =>
    `${JSON.stringify({ type: 'result', result, is_error: false, subtype: 'success', session_id, num_turns: 0 })}\n`,
}

function parse(argv: readonly string[]): FakeCall {
  const { options, positional: words } = parseArguments(argv, [
    'instruction-file',
    'mcp-config',
    'output-format',
    'resume',
    'model',
    'm',
  ])
  const file = options.get('instruction-file')
  const text = file === undefined ? (words[0] ?? '') : readFileSync(file, 'utf8').trim()
  // The screen treats it as an unknown command.
  const prompt = text.startsWith('/') && !options.has('print') ? '' : text
  const resume = options.get('resume')
  if (options.has('print') && prompt === '') {
    return { interactive: false, refusal: { text: `${FAILED} No instruction provided.`, code: 1 } }
  }
  const unknown = `${FAILED} Failed to resume session: No session found matching '${resume}'.`
  return {
    interactive: !options.has('print'),
    ...(prompt === '' ? {} : { prompt }),
    ...(resume === undefined ? {} : { resume, unknown: { text: unknown, code: 1 } }),
  }
}

const FAILED = '❌ Failed to initialize agent:'

function fileOf(session: string, { io }: FakeWorld): string {
  return join(sessionsFolder(io), `${session}.json`)
}

/** One request to the model and its answer. The folder is the top of the repository. */
function item(request: string, response: string, sequenceId: number, { cwd, now }: FakeWorld): object {
  const folder = projectOf(cwd)
  const ide_state_node = {
    workspace_folders: [{ repository_root: folder, folder_root: folder }],
    current_terminal: { terminal_id: 0, current_working_directory: folder },
  }
  const exchange = {
    request_message: request,
    response_text: response,
    request_id: randomUUID(),
    request_nodes: [
      { id: 1, type: requestNode.text, text_node: { content: request } },
      { id: 2, type: requestNode.ideState, ide_state_node },
    ],
    response_nodes: [{ id: 1, type: responseNode.text, content: response, timestamp_ms: Date.parse(now()) }],
  }
  return { exchange, completed: true, sequenceId, finishedAt: now(), changedFiles: [], source: 'local' }
}
