import { minuteOf } from '../../platform/local-time.ts'
import { plain } from '../../platform/plain-text.ts'
import type { Answer, Message, MessagePreview, Part } from '../../server/contract.ts'
import type { Palette } from '../colour.ts'
import { fit, oneLine, wrap } from '../text.ts'
import { foldedCall } from '../tool-line.ts'

export interface ChatLook {
  readonly columns: number
  readonly colours: Palette
  /** The agent's name in headings. */
  readonly agentTitle: string
}

/** How much of a message is on the screen. */
interface Shown {
  /** Number of parts that are fully shown, not counting answers. */
  parts: number
  /** The text of the last of them, which may still grow. */
  text: string
  hasHeading: boolean
}

/** Turns messages into lines as they arrive: each line once, in order. */
export class ChatLines {
  readonly #shown = new Map<number, Shown>()
  /** What the user has typed here, which is already on the screen. */
  readonly #typed: string[] = []
  /** Which answers to the agent's questions are on the screen, by their time. */
  readonly #answered = new Set<string>()

  /** Do not show this text when it arrives. */
  expect(text: string): void {
    this.#typed.push(text.trim())
  }

  /** Treats these as shown. */
  skip(messages: readonly Message[]): void {
    for (const { id, parts } of messages) {
      const answers = parts.flatMap((part) => answerOf(part) ?? [])
      this.#shown.set(id, { parts: parts.length - answers.length, text: '', hasHeading: true })
      for (const { time } of answers) this.#answered.add(time)
    }
  }

  /** The lines that are new since the last call. */
  next(messages: readonly Message[], look: ChatLook): string[] {
    const present = new Set(messages.map(({ id }) => id))
    const gone = [...this.#shown.keys()].filter((id) => !present.has(id))
    const lines = messages.flatMap((message) => {
      if (!this.#shown.has(message.id) && this.#isTyped(message)) this.skip([message])
      return [...this.#linesOf(message, look)]
    })
    // Only when new lines follow: a transcript that is being rewritten may lack them for a moment.
    if (gone.length === 0 || lines.length === 0) return lines
    for (const id of gone) this.#shown.delete(id)
    // Rewound, or never stored.
    const note = `· ${gone.length === 1 ? 'a message above was' : `${gone.length} messages above were`} removed`
    return ['', look.colours.faint(fit(note, look.columns)), ...lines]
  }

  #isTyped({ role, content }: Message): boolean {
    const index = role === 'user' ? this.#typed.indexOf(content.trim()) : -1
    if (index >= 0) this.#typed.splice(index, 1)
    return index >= 0
  }

  *#linesOf(message: Message, look: ChatLook): Generator<string> {
    const shown = this.#shown.get(message.id) ?? { parts: 0, text: '', hasHeading: false }
    this.#shown.set(message.id, shown)
    const before = message.parts.filter((part) => !answerOf(part))[shown.parts - 1]
    if (
      before?.type === 'text' &&
      before.text !== shown.text &&
      shown.text !== '' &&
      before.text.startsWith(shown.text)
    ) {
      yield* paragraph(before.text.slice(shown.text.length), look)
      shown.text = before.text
    }
    let index = 0
    let isWaiting = false
    for (const part of message.parts) {
      const answer = answerOf(part)
      if (answer ? this.#answered.has(answer.time) : isWaiting || index++ < shown.parts) continue
      // Everything after it waits too, except for answers: they may be what it waits for.
      isWaiting ||= isOpenCall(part, message)
      if (isWaiting && !answer) continue
      const lines = [...partLines(part, message, look)]
      if (lines.length > 0 && !shown.hasHeading) {
        shown.hasHeading = true
        yield ''
        yield heading(message, look)
      }
      yield* lines
      if (answer) {
        this.#answered.add(answer.time)
        continue
      }
      shown.parts++
      shown.text = part.type === 'text' ? part.text : ''
    }
  }
}

/** Rows of what the agent is writing. */
const PREVIEW_ROWS = 6

/** The end of what the agent is writing: it is shown above the line for typing until the message has it. */
export function previewLines(preview: MessagePreview | null, columns: number): string[] {
  const lines = wrap(plain(preview?.text ?? ''), columns - 2).filter((line) => line.trim() !== '')
  return lines.slice(-PREVIEW_ROWS).map((line) => `  ${line}`)
}

/** Answers are not part of the transcript: they may appear anywhere in it, and move when the agent writes a turn late. */
function answerOf(part: Part): Answer | undefined {
  return part.type === 'note' ? part.answer : undefined
}

/** The tool that the agent is running; undefined if there is none. */
export function activityOf(message: Message | undefined): string | undefined {
  const call = message?.parts.findLast((part) => part.type === 'tool_use' && isOpenCall(part, message))
  return call?.type === 'tool_use' ? oneLine(call.name) : undefined
}

/** A call is shown together with its result, on one line. */
function isOpenCall(part: Part, { parts, done }: Message): boolean {
  if (part.type !== 'tool_use' || done) return false
  return !parts.some((other) => other.type === 'tool_result' && other.tool_use_id === part.id)
}

function heading({ role, time }: Message, { colours, agentTitle, columns }: ChatLook): string {
  const [name, paint] = role === 'user' ? ['You', colours.accent] : [agentTitle, colours.good]
  const date = new Date(time)
  const minute = Number.isNaN(date.getTime()) ? '' : colours.faint(` · ${minuteOf(date)}`)
  return `${colours.strong(paint(fit(name, columns - 8)))}${minute}`
}

function* partLines(part: Part, { parts }: Message, look: ChatLook): Generator<string> {
  const { columns, colours } = look
  if (part.type === 'text') yield* paragraph(part.text, look)
  else if (part.type === 'tool_use') {
    const result = parts.find((other) => other.type === 'tool_result' && other.tool_use_id === part.id)
    yield foldedCall({ use: part, result: result?.type === 'tool_result' ? result : undefined }, columns, colours)
  } else if (part.type === 'tool_result') {
    const hasCall = parts.some((other) => other.type === 'tool_use' && other.id === part.tool_use_id)
    if (!hasCall) yield foldedCall({ use: undefined, result: part }, columns, colours)
  } else if (part.type === 'note' && part.answer) {
    // In full: who answered is at the end.
    const lines = wrap(`${oneLine(part.text)}, ${minuteOf(new Date(part.answer.time))}`, columns - 4)
    yield* lines.map((line, index) => colours.faint(`  ${index === 0 ? '·' : ' '} ${line}`))
  } else if (part.type === 'note') {
    yield colours.faint(fit(`  · ${oneLine(part.subtype)}: ${oneLine(part.text.slice(0, 2000))}`, columns))
  }
}

function paragraph(text: string, { columns }: ChatLook): string[] {
  const body = plain(text).replace(/^\s*\n|\s+$/g, '')
  return body === '' ? [] : wrap(body, columns - 2).map((line) => `  ${line}`.trimEnd())
}
