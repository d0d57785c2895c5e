import type { ImageBlock } from '../../events/event.ts'
import { uuidV5 } from '../../events/id.ts'
import { projectOf } from '../../platform/project.ts'
import type {
  AssistantMessage,
  Message,
  NewSession,
  SessionWriter,
  ToolCall,
  UserMessage,
  WrittenSession,
} from '../write.ts'
import { imageFormats, requestNode, responseNode } from './records.ts'

/**
 * One file. Auggie sends the nodes of each completed item and nothing else of it; `request_message` and `response_text` are
 * for its screen and its list. The result of a call is in the item after it.
 */
export const writer: SessionWriter = {
  proven: { oldest: '0.36.0', newest: '0.36.0' },
  budget: 120_000,
  calls: 'kept',
  images: true,
  prepare({ cwd }) {
    const project = projectOf(cwd)
    return (session) => write(session, project)
  },
}

function write({ id, cwd, title, at, messages }: NewSession, project: string): WrittenSession {
  const session = {
    // First what a list needs: of a large file Ion reads only both ends.
    sessionId: id,
    created: at,
    modified: at,
    customTitle: title,
    agentState: {},
    chatHistory: exchangesOf(messages).map((exchange, index) => toItem(exchange, index, { id, cwd, project })),
  }
  const content = `${JSON.stringify(session, null, 2)}\n`
  return {
    nativeId: id,
    parts: [{ kind: 'file', root: 'augment', path: `sessions/${id}.json`, form: 'whole', content }],
  }
}

/** One request to the model: results of the calls before, what the user said, and what came back. */
interface Exchange {
  readonly results: readonly ToolCall[]
  readonly prompts: UserMessage[]
  readonly answers: AssistantMessage[]
}

/** A new request begins with what a user says after an answer, and with the answer that follows calls. */
function exchangesOf(messages: readonly Message[]): Exchange[] {
  const exchanges: Exchange[] = []
  let current: Exchange = { results: [], prompts: [], answers: [] }
  const next = (): void => {
    exchanges.push(current)
    current = { results: current.answers.flatMap(callsOf), prompts: [], answers: [] }
  }
  for (const message of messages) {
    if (message.role === 'user') {
      if (current.answers.length > 0) next()
      current.prompts.push(message)
    } else {
      if (current.answers.some((answer) => callsOf(answer).length > 0)) next()
      current.answers.push(message)
    }
  }
  next()
  // Results that the model has not answered. Auggie would send their calls without them.
  if (current.results.length > 0) exchanges.push(current)
  return exchanges
}

function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content.filter((block) => block.type === 'call')
}

interface Place {
  readonly id: string
  readonly cwd: string
  /** Auggie works in the top folder of the repository, and lists sessions by it. */
  readonly project: string
}

function toItem({ results, prompts, answers }: Exchange, index: number, { id, cwd, project }: Place): object {
  const said = promptNodes(prompts)
  const got = answers.length > 0 ? answerNodes(answers) : []
  const ideState = {
    workspace_folders: [{ repository_root: project, folder_root: project }],
    workspace_folders_unchanged: false,
    current_terminal: { terminal_id: 0, current_working_directory: cwd },
  }
  const folder = index === 0 ? [{ type: requestNode.ideState, ide_state_node: ideState }] : []
  const last = answers.at(-1) ?? prompts.at(-1) ?? results.at(-1)!
  return {
    exchange: {
      request_message: said.flatMap((node) => ('text_node' in node ? [node.text_node.content] : [])).join('\n'),
      response_text: got.flatMap((node) => ('content' in node ? [node.content] : [])).join(''),
      request_id: uuidV5(`${id}/${index}`),
      request_nodes: numbered([...results.map(resultNode), ...folder, ...said]),
      response_nodes: numbered(got),
    },
    completed: true,
    sequenceId: index + 1,
    finishedAt: last.timestamp,
    changedFiles: [],
    changedFilesSkipped: [],
    changedFilesSkippedCount: 0,
    isHistorySummary: false,
    historySummaryVersion: 0,
    source: 'local',
  }
}

function numbered(nodes: readonly object[]): object[] {
  return nodes.map((node, index) => ({ id: index + 1, ...node }))
}

/** Prompts that follow each other are one request: there is no answer to put between them. Where they meet is no white space. */
function promptNodes(prompts: readonly UserMessage[]) {
  return prompts.flatMap(({ content }, index) => {
    const first = content.findIndex(({ type }) => type === 'text')
    const last = content.findLastIndex(({ type }) => type === 'text')
    return content.map((block, at) => {
      if (block.type === 'image') return imageNode(block)
      const start = index > 0 && at === first ? block.text.trimStart() : block.text
      const isMet = index < prompts.length - 1 && at === last
      return { type: requestNode.text, text_node: { content: isMet ? start.trimEnd() : start } }
    })
  })
}

function imageNode({ media_type, data }: ImageBlock) {
  const format = imageFormats.indexOf(media_type ?? '') + 1 || 1
  return { type: requestNode.image, image_node: { image_data: data, format } }
}

function resultNode({ id, output, isError, timestamp }: ToolCall) {
  const result = {
    tool_use_id: id,
    content: output,
    is_error: isError,
    duration_ms: 0,
    start_time_ms: Date.parse(timestamp),
  }
  return { type: requestNode.toolResult, tool_result_node: result }
}

/** Auggie joins texts that follow each other as they are: a line break is put between them. */
function answerNodes(answers: readonly AssistantMessage[]) {
  const blocks = answers.flatMap(({ content, timestamp }) =>
    content.map((block) => ({ block, timestamp_ms: Date.parse(timestamp) })),
  )
  return blocks.map(({ block, timestamp_ms }, at) => {
    if (block.type === 'call') {
      const { id: tool_use_id, name: tool_name, input } = block
      return {
        type: responseNode.toolUse,
        tool_use: { tool_use_id, tool_name, input_json: JSON.stringify(input) },
        timestamp_ms,
      }
    }
    const isText = (index: number): boolean => blocks[index]?.block.type === 'text'
    const start = isText(at - 1) ? `\n${block.text.trimStart()}` : block.text
    return { type: responseNode.text, content: isText(at + 1) ? start.trimEnd() : start, timestamp_ms }
  })
}
