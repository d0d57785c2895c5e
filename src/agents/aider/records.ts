import type { TokenUsage } from '../../events/schema.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { ToDrafts } from '../../native/translate.ts'
import { microDollars } from '../../native/usage.ts'
import type { Block } from './blocks.ts'

export const RESTORED = 'Restored previous conversation history.'

/** Enter pressed on an empty line. */
export function isBlankPrompt(text: string): boolean {
  return text.trim() === '' || text === '<blank>'
}

export function modelIn(notice: string): string | undefined {
  return /^(?:Main model|Model): (\S+)/.exec(notice)?.[1]
}

export function versionIn(notice: string): string | undefined {
  return /^Aider v(\S+)/.exec(notice)?.[1]
}

/** The heading has the machine's local time without a zone. */
export function localTime(started: string | undefined): string | null {
  return (started && toIso(new Date(started.replace(' ', 'T')).getTime())) || null
}

/** What the blocks of a conversation mean. Aider writes only the time of a start: the first event of a run has it, the rest is guessed. */
export function createTranslator(): ToDrafts<Block> {
  let model: string | undefined
  let time: string | null = null
  let isStarting = false
  /** Between a prompt and its answer. */
  let isAsked = false

  return (block) => {
    const drafts = draftsOf(block)
    const first = drafts[0]
    if (!first || !time) return drafts
    const timed = [{ ...first, time }, ...drafts.slice(1)]
    time = null
    return timed
  }

  function draftsOf({ kind, text }: Block): Draft[] {
    if (kind === 'heading') {
      time = localTime(text)
      isStarting = true
      return []
    }
    if (kind === 'prompt') {
      if (isBlankPrompt(text)) return []
      isAsked = true
      return [{ type: 'user', content: text }]
    }
    if (kind === 'answer') {
      isAsked = false
      return [{ type: 'assistant', content: [{ type: 'text', text }], ...(model ? { model } : {}) }]
    }
    model = modelIn(text) ?? model
    if (text.trim() === '') return []
    if (!isStarting || !COMMAND_LINE.test(text)) return [notice(text, isAsked)]
    isStarting = false
    return [{ type: 'system', subtype: 'command_line', content: text }]
  }
}

/** A run writes its command line first, after at most a question about git. */
const COMMAND_LINE = /^\S*aider(?:[.\\/]\S*)?(?: |$)/

function notice(text: string, isAsked: boolean): Draft {
  const edit = /^Applied edit to (.+)$/.exec(text)
  if (edit) return { type: 'system', subtype: 'edit', content: { path: edit[1] } }
  const commit = /^Commit ([0-9a-f]{7,40}) ([\s\S]*)$/.exec(text)
  if (commit) return { type: 'system', subtype: 'commit', content: { commit: commit[1], message: commit[2] } }
  const token_usage = usageIn(text)
  // Rounded to thousands, and summed over the attempts of a message.
  if (token_usage) {
    const call = { ...costIn(text), is_sum: true } as const
    return { type: 'system', subtype: 'usage', content: { text, estimated: true }, token_usage, call }
  }
  return { type: 'system', subtype: subtypeOf(text, isAsked), content: text }
}

function subtypeOf(text: string, isAsked: boolean): string {
  if (text === RESTORED) return 'restored'
  // At an empty prompt it only means to quit.
  if (text.startsWith('^C') && isAsked) return 'interrupted'
  return /^litellm\.\w*(?:Error|Exception|Timeout)/.test(text) ? 'api_error' : 'notice'
}

const USAGE =
  /^Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received/

/** `Tokens: 2.6k sent, 8 received. Cost: …`; what is sent includes what came from the cache. */
function usageIn(text: string): TokenUsage | undefined {
  const match = USAGE.exec(text)
  if (!match) return undefined
  const [sent, written, hit, received] = match.slice(1).map(count) as [number, number, number, number]
  return {
    input: Math.max(0, sent - written - hit),
    output: received,
    cache_read: hit,
    cache_write: written,
    reasoning: 0,
  }
}

/** `Cost: $0.0052 message, $0.0104 session.` */
function costIn(text: string): { cost?: number } {
  const [, dollars] = /\bCost: \$([\d.,]+) message\b/.exec(text) ?? []
  const cost = dollars === undefined ? undefined : microDollars(Number(dollars.replaceAll(',', '')))
  return cost === undefined ? {} : { cost }
}

function count(text: string | undefined): number {
  if (!text) return 0
  const factor = text.endsWith('k') ? 1e3 : text.endsWith('M') ? 1e6 : 1
  return Math.round(Number.parseFloat(text.replaceAll(',', '')) * factor) || 0
}
