// What OpenAI's Responses API refuses. Known from its reference (developers.openai.com/api) and from the errors in public
// issues, which are named by repository and number.
//
// Not checked, because it is known only of items that OpenAI stores: that a reasoning item is followed by the item it
// belongs to. Not a rule: texts may be empty.
import { asObject } from '../../src/native/narrow.ts'
import { checkArguments, checkCallId, checkToolName } from './openai-rules.ts'
import { firstOf, firstRejection, objectsOf, type Rejection, type Rules } from './rules.ts'
import { sealedFor } from './seal.ts'

type Item = Record<string, unknown>

interface Request {
  items: Item[]
  organisation: string
  /** False: the provider keeps nothing, so an item must have everything in it. */
  store: boolean
  /** What came before is at the provider. */
  isContinued: boolean
}

export function checkInput(body: unknown, organisation: string): Rejection | undefined {
  const { input, store, previous_response_id } = asObject(body) ?? {}
  if (typeof input === 'string') return undefined
  return firstRejection(rules, {
    items: objectsOf(input),
    organisation,
    store: store !== false,
    isContinued: typeof previous_response_id === 'string',
  })
}

const rules: Rules<Request> = {
  // API reference.
  'known role': ({ items }) =>
    firstOf(items, ({ role, type = 'message' }, index) => {
      if (type !== 'message' || ROLES.includes(String(role))) return undefined
      const supported = "'assistant', 'system', 'developer', and 'user'"
      const message = `Invalid value: '${role}'. Supported values are: ${supported}.`
      return { place: `input[${index}]`, message, code: 'invalid_value' }
    }),

  // jeremychone/rust-genai#119, epam/ai-dial-adapter-openai#511.
  'type of a text': ({ items }) =>
    firstOf(items, ({ role, content }, index) =>
      firstOf(objectsOf(content), ({ type }, part) => {
        const isSaid = role === 'assistant'
        if (type !== (isSaid ? 'input_text' : 'output_text')) return undefined
        const supported = isSaid ? "'output_text' and 'refusal'" : "'input_text', 'input_image', and 'input_file'"
        const message = `Invalid value: '${type}'. Supported values are: ${supported}.`
        return { place: `input[${index}].content[${part}]`, message, code: 'invalid_value' }
      }),
    ),

  // Wei-Shaw/sub2api#3785 and #3981, Alishahryar1/free-claude-code#1826, github/copilot-language-server-release#46. An id
  // may be left out.
  'id of an item': ({ items }) =>
    firstOf(items, ({ type = 'message', id }, index) => {
      const prefix = ID_PREFIXES[String(type)]
      if (id === undefined || id === null || !prefix || String(id).startsWith(prefix)) return undefined
      const message = `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`
      return { place: `input[${index}].id`, message, code: 'invalid_value' }
    }),

  // continuedev/continue#10723, microsoft/vscode#321977.
  'ids of items are unique': ({ items }) => {
    const seen = new Set<unknown>()
    return firstOf(items, ({ id }, index) => {
      if (id === undefined || id === null) return undefined
      const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
      if (seen.has(id)) return { place: `input[${index}].id`, message, param: 'input' }
      seen.add(id)
      return undefined
    })
  },

  // earendil-works/pi#2328, openai/codex#14355.
  'id of a call': ({ items }) =>
    firstOf(items, (item, index) =>
      isCall(item) || isOutput(item) ? checkCallId(item.call_id, `input[${index}].call_id`) : undefined,
    ),

  // As in Chat Completions (mcp-use/mcp-use#90, continuedev/continue#11645).
  'name of a tool': ({ items }) =>
    firstOf(items, ({ type, name }, index) =>
      type === 'function_call' ? checkToolName(name, `input[${index}].name`) : undefined,
    ),

  // API reference: a string. That it is JSON of an object is not known of OpenAI itself, but of servers that speak its
  // protocol (local-inference-lab/vllm#684, sgl-project/sglang#28035, meituan-longcat/LongCat-2.0#14).
  'arguments of a call': ({ items }) =>
    firstOf(items, ({ type, arguments: given }, index) =>
      type === 'function_call' ? checkArguments(given, `input[${index}].arguments`) : undefined,
    ),

  // continuedev/continue#10092.
  'an output has its call': ({ items, isContinued }) =>
    firstOf(isContinued ? [] : items, (item, index) => {
      const asked = (other: Item): boolean => isCall(other) && other.call_id === item.call_id
      if (!isOutput(item) || items.slice(0, index).some(asked)) return undefined
      const message = `No tool call found for ${wordsOf(item)} with call_id ${item.call_id}.`
      return { place: `input[${index}]`, message, param: 'input' }
    }),

  // openai/codex#93, Gitlawb/openclaude#187.
  'a call has its output': ({ items }) =>
    firstOf(items, (item, index) => {
      const answers = (other: Item): boolean => isOutput(other) && other.call_id === item.call_id
      if (!isCall(item) || items.slice(index).some(answers)) return undefined
      const message = `No tool output found for ${wordsOf(item)} ${item.call_id}.`
      return { place: `input[${index}]`, message, param: 'input' }
    }),

  // anomalyco/opencode#7724, openai/openai-agents-js#546.
  'reasoning that is not stored': ({ items, store }) =>
    firstOf(store ? [] : items, ({ type, id, encrypted_content }, index) => {
      if (type !== 'reasoning' || !id || encrypted_content) return undefined
      const why = 'Items are not persisted when `store` is set to false.'
      const next = 'Try again with `store` set to true, or remove this item from your input.'
      return { place: `input[${index}]`, status: 404, message: `Item with id '${id}' not found. ${why} ${next}` }
    }),

  // openai/codex#8119, pingdotgg/t3code#410.
  'sealed reasoning': ({ items, organisation }) =>
    firstOf(items, ({ encrypted_content: sealed }, index) => {
      if (typeof sealed !== 'string' || sealedFor(sealed) === organisation) return undefined
      const content = `The encrypted content ${sealed.slice(0, 4)}...${sealed.slice(-4)} could not be verified.`
      const why = ' Reason: Encrypted content organization_id did not match the target organization.'
      return {
        place: `input[${index}].encrypted_content`,
        message: sealedFor(sealed) === undefined ? content : content + why,
        code: 'invalid_encrypted_content',
      }
    }),
}

const ROLES = ['user', 'assistant', 'system', 'developer']
/** Calls that the client answers. Others, such as a web search, are answered by the provider. */
const CALLS = ['function_call', 'custom_tool_call', 'local_shell_call']
const OUTPUTS = CALLS.map((type) => `${type}_output`)
const ID_PREFIXES: Record<string, string> = {
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
}

function isCall({ type }: Item): boolean {
  return CALLS.includes(String(type))
}

function isOutput({ type }: Item): boolean {
  return OUTPUTS.includes(String(type))
}

/** Its type, as it is called in messages. */
function wordsOf({ type }: Item): string {
  return String(type).replaceAll('_', ' ')
}
