// What Gemini's generateContent refuses. Known from its documentation (ai.google.dev/gemini-api/docs) and from the errors in
// public issues, which are named by repository and number.
//
// Not rules here: a content without a role (only Vertex refuses it), two contents of one role in a row (Gemini CLI sends
// them), and an empty text, as long as the field is there.
import { asObject } from '../../src/native/narrow.ts'
import { firstOf, firstRejection, objectsOf, type Rejection, type Rules, type Violation } from './rules.ts'
import { sealedFor } from './seal.ts'

type Part = Record<string, unknown>

interface Content {
  role: unknown
  parts: Part[]
}

interface Request {
  contents: Content[]
  model: string
  organisation: string
}

export function checkContents(body: unknown, model: string, organisation: string): Rejection | undefined {
  const contents = objectsOf(asObject(body)?.contents).map(({ role, parts }) => ({ role, parts: objectsOf(parts) }))
  return firstRejection(rules, { contents, model, organisation })
}

const rules: Rules<Request> = {
  // API reference.
  'at least one content': ({ contents }) =>
    contents.length ? undefined : proto('contents', 'contents is not specified'),

  // portkey.ai/error-library (10129), and public sources that quote it.
  'known role': ({ contents }) =>
    firstOf(contents, ({ role }, index) =>
      role === undefined || role === 'user' || role === 'model'
        ? undefined
        : { place: `contents[${index}].role`, message: 'Please use a valid role: user, model.' },
    ),

  // vercel/ai#3775.
  'parts of a content': ({ contents }) =>
    firstOf(contents, ({ parts }, index) =>
      parts.length ? undefined : proto(`contents[${index}].parts`, 'contents.parts must not be empty.'),
    ),

  // router-for-me/CLIProxyAPI#1292, boldsoftware/sketch#68.
  'data of a part': ({ contents }) =>
    eachPart(contents, (part, place) =>
      DATA.some((field) => part[field] !== undefined)
        ? undefined
        : proto(`${place}.data`, "required oneof field 'data' must have one initialized field"),
    ),

  // router-for-me/CLIProxyAPI#1903.
  'name of a tool': ({ contents }) =>
    eachPart(contents, (part, place) =>
      firstOf(CALL_FIELDS, ([field, name]) =>
        part[field] === undefined || asObject(part[field])?.name
          ? undefined
          : proto(`${place}.${name}.name`, 'Name cannot be empty.'),
      ),
    ),

  // API reference: both are of the type Struct, a JSON object.
  'arguments and response of a call': ({ contents }) =>
    eachPart(contents, (part, place) =>
      firstOf(CALL_FIELDS, ([field, name, content]) => {
        const given = asObject(part[field])?.[content]
        if (given === undefined || asObject(given)) return undefined
        const where = `${place}.${name}.${content}`
        const type = 'type.googleapis.com/google.protobuf.Struct'
        return { place: where, message: `Invalid value at '${where}' (${type}), ${JSON.stringify(given)}` }
      }),
    ),

  // google-gemini/gemini-cli#11814, #26956.
  'a call comes after the user': ({ contents }) =>
    firstOf(contents, (content, index) => {
      const before = contents[index - 1]
      if (!callsOf(content).length || (before && before.role !== 'model')) return undefined
      const what = 'function call turn comes immediately after a user turn or after a function response turn.'
      return { place: `contents[${index}]`, message: `Please ensure that ${what}` }
    }),

  // langchain-ai/langchain#27799.
  'a response comes after its call': ({ contents }) =>
    firstOf(contents, (content, index) => {
      if (!responsesOf(content).length || callsOf(contents[index - 1]).length) return undefined
      const what = 'function response turn comes immediately after a function call turn.'
      return { place: `contents[${index}]`, message: `Please ensure that ${what}` }
    }),

  // google-gemini/gemini-cli#5443, #16543.
  'as many responses as calls': ({ contents }) =>
    firstOf(contents, (content, index) => {
      const calls = callsOf(content).length
      if (!calls || calls === responsesOf(contents[index + 1]).length) return undefined
      const what = 'the number of function response parts is equal to the number of function call parts'
      return { place: `contents[${index}]`, message: `Please ensure that ${what} of the function call turn.` }
    }),

  // crewAIInc/crewAI#6973, decolua/9router#3055.
  'the end of the conversation': ({ contents }) =>
    contents.at(-1)?.role === 'model'
      ? { place: `contents[${contents.length - 1}]`, message: 'Requests ending with a model turn are not supported.' }
      : undefined,

  // docs ("Thought signatures"), nanbingxyz/5ire#405: since Gemini 3, the first call of each step of the current turn.
  'signature of a call': ({ contents, model }) => {
    if (!NEEDS_SIGNATURES.test(model)) return undefined
    // The turn begins with the last thing that the user said.
    const begin = contents.findLastIndex((content) => content.role !== 'model' && !responsesOf(content).length)
    return firstOf(contents, (content, index) => {
      const [first] = callsOf(content)
      if (index < begin || !first || first.thoughtSignature) return undefined
      const why =
        'This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.'
      const which = `function call \`default_api:${asObject(first.functionCall)?.name}\` , position ${index + 1}`
      const more = 'Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.'
      return {
        place: `contents[${index}]`,
        message: `Function call is missing a thought_signature in functionCall parts. ${why} Additional data, ${which}. ${more}`,
      }
    })
  },

  // crmne/ruby_llm#521 (not base64), google-gemini/gemini-cli#13467 (not its own). The documented values that skip the check
  // are accepted.
  'own signatures': ({ contents, organisation }) =>
    eachPart(contents, ({ thoughtSignature: signature }, place) => {
      if (signature === undefined || SKIPPED.includes(String(signature))) return undefined
      const where = `${place}.thought_signature`
      if (typeof signature !== 'string' || !/^[\w+/-]+={0,2}$/.test(signature)) {
        const what = `(TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(signature)}`
        return { place: where, message: `Invalid value at '${where}' ${what}` }
      }
      return sealedFor(signature) === organisation
        ? undefined
        : { place: where, message: 'Corrupted thought signature.' }
    }),
}

/** One of them is in each part. */
const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]
const CALL_FIELDS = [
  ['functionCall', 'function_call', 'args'],
  ['functionResponse', 'function_response', 'response'],
] as const
/** Values that a client sends for calls that have no signature, such as those of another model. */
const SKIPPED = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']
const NEEDS_SIGNATURES = /^gemini-(?:[3-9]|\d\d)/

function proto(field: string, what: string): Violation {
  return { place: field, message: `* GenerateContentRequest.${field}: ${what}\n` }
}

function eachPart(
  contents: readonly Content[],
  check: (part: Part, place: string) => Violation | undefined,
): Violation | undefined {
  return firstOf(contents, ({ parts }, index) =>
    firstOf(parts, (part, at) => check(part, `contents[${index}].parts[${at}]`)),
  )
}

function callsOf(content: Content | undefined): Part[] {
  return (content?.parts ?? []).filter((part) => part.functionCall !== undefined)
}

function responsesOf(content: Content | undefined): Part[] {
  return (content?.parts ?? []).filter((part) => part.functionResponse !== undefined)
}
