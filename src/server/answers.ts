import { join } from 'node:path'
import { parsedObject } from '../native/narrow.ts'
import { readRegularFile } from '../native/regular-file.ts'
import { toIso } from '../native/time.ts'
import { stampOf } from '../native/walk.ts'
import { appendLine, privateFolder } from '../platform/atomic-file.ts'
import { isMissing, messageOf } from '../platform/error.ts'

/** An answer to a question of the agent that was given through Ion, and that the agent has taken. */
export interface RecordedAnswer {
  /** Just before the last key was pressed: what the agent did because of it is later. */
  readonly at: string
  /** The native id of the session; null if there was none yet. */
  readonly session: string | null
  /** How many sessions the task had before that one: a session that does not exist yet has no id. */
  readonly earlier: number
  /** The id of the last event that the transcript had then; null if it had none. */
  readonly after: string | null
  readonly question: string
  readonly details: string
  /** The label of the choice. */
  readonly choice: string
  readonly by: string
}

const VERSION = 1

/**
 * A file of its own: the ledger decides what a start does, is read by every start, contains no text of the conversation, and
 * a bad line in it is a reason to stop.
 */
export function answersFile(taskFolder: string): string {
  return join(taskFolder, 'answers.jsonl')
}

/** On the disk when this returns. */
export function appendAnswer(taskFolder: string, answer: RecordedAnswer): void {
  privateFolder(taskFolder)
  appendLine(answersFile(taskFolder), JSON.stringify({ v: VERSION, ...answer }))
}

/** Follows the answers of a task, whichever process records them. */
export class AnswerLog {
  readonly #file: string
  #stamp: string | undefined
  #answers: readonly RecordedAnswer[] = []

  constructor(taskFolder: string) {
    this.#file = answersFile(taskFolder)
  }

  /** In order. */
  of(session: string | undefined, earlier: number): readonly RecordedAnswer[] {
    return this.#answers.filter((one) => (one.session === null ? one.earlier === earlier : one.session === session))
  }

  /** Reads the file again if it has changed; returns whether it has. The chat goes without what cannot be read. */
  look(onTrouble: (trouble: string) => void): boolean {
    const found = stampOf(this.#file)
    const stamp = found && `${found.ino}:${found.size}:${found.mtimeMs}`
    if (stamp === this.#stamp) return false
    this.#stamp = stamp
    try {
      this.#answers = parseAnswers(readRegularFile(this.#file).toString('utf8'))
    } catch (error) {
      this.#answers = []
      if (!isMissing(error)) onTrouble(`the recorded answers cannot be read: ${messageOf(error)}`)
    }
    return true
  }
}

/** Oldest first. Lines that are incomplete, as a crash leaves the last one, or of a newer version are skipped. */
export function parseAnswers(text: string): RecordedAnswer[] {
  const answers = text.split('\n').flatMap((line) => {
    const { v, ...answer } = parsedObject(line) ?? {}
    return v === VERSION && isAnswer(answer) ? [answer] : []
  })
  return answers.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function isAnswer(value: Partial<Record<keyof RecordedAnswer, unknown>>): value is RecordedAnswer {
  const { at, session, earlier, after, question, details, choice, by } = value
  const texts = [question, details, choice, by, session ?? '', after ?? '']
  return toIso(at) === at && Number.isSafeInteger(earlier) && texts.every((one) => typeof one === 'string')
}
