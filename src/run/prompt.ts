import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Prompt } from '../agents/start.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt, IonError, messageOf } from '../platform/error.ts'
import type { PromptIdentity } from './ledger.ts'

/**
 * Linux accepts up to 128 KB in one argument, and Windows 32 KB in the command line. A longer prompt goes through stdin or
 * a file; an agent that reads neither is asked to open the file.
 */
const LONGEST_ARGUMENT = 100_000

/** What `--nudge` sends. Neutral on purpose: it must suit any task. */
export const NUDGE = 'Please continue where you stopped.'

/** Trailing white space is not part of a prompt: it comes from files, pipes and editors, not from the user. */
export function promptText(text: string): string {
  return text.trimEnd()
}

/** Whether both are the same prompt. Older versions of Ion kept trailing white space. */
export function isEqualPrompt(a: string, b: string): boolean {
  return promptText(a) === promptText(b)
}

export function promptIdentity(text: string): PromptIdentity {
  return { hash: createHash('sha256').update(text).digest('hex'), length: Buffer.byteLength(text) }
}

export function promptFile(folder: string, hash: string): string {
  return join(folder, 'prompts', `${hash.slice(0, 16)}.txt`)
}

/** The prompt in the forms that agents accept. */
export function promptFor(text: string, folder: string): Prompt {
  const file = promptFile(folder, promptIdentity(text).hash)
  return { text, argument: argumentOf(text, file), file }
}

function argumentOf(text: string, file: string): string {
  if (Buffer.byteLength(text) <= LONGEST_ARGUMENT) return text
  return `The task is in the file ${file}. Read that file whole and do what it says.`
}

/** Saves the exact text, readable only by the user. */
export function savePrompt(text: string, folder: string): void {
  const file = promptFile(folder, promptIdentity(text).hash)
  if (!existsSync(file)) replaceFile(file, text)
}

/** All prompts that the task was given, oldest first. */
export function storedPrompts(folder: string): (PromptIdentity & { readonly text: string; readonly at: string })[] {
  const files = attempt(() => readdirSync(join(folder, 'prompts'))) ?? []
  const found = files
    .filter((name) => name.endsWith('.txt'))
    .flatMap((name) => {
      const path = join(folder, 'prompts', name)
      const [text, stat] = [attempt(() => readFileSync(path, 'utf8')), attempt(() => statSync(path))]
      return text && stat ? [{ ...promptIdentity(text), text, at: stat.mtime.toISOString() }] : []
    })
  return found.sort((a, b) => a.at.localeCompare(b.at))
}

export function loadPrompt({ hash }: PromptIdentity, folder: string): string {
  const file = promptFile(folder, hash)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new IonError('failed', `the pending prompt cannot be read: ${messageOf(error)}`, {
      cause: error,
      hint: 'give the prompt again',
    })
  }
  if (promptIdentity(text).hash === hash) return text
  throw new IonError('failed', `the prompt in ${file} was changed`, { hint: 'give the prompt again' })
}

/** Whether one of these prompts, of which the ledger knows the identity, is this one. */
export function isAmong(text: string, given: readonly PromptIdentity[], folder: string): boolean {
  const { hash, length } = promptIdentity(text)
  if (given.some((one) => one.hash === hash)) return true
  // Only a text that an older version of Ion stored with its trailing white space is longer.
  const longer = given.filter((one) => one.length > length)
  return longer.some((one) => isEqualPrompt(attempt(() => loadPrompt(one, folder)) ?? '', text))
}

/** Agents trim prompts and change line breaks, but not words. */
function normalise(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

/** Shorter texts may be part of others by chance. */
const MIN_UNIQUE_LENGTH = 24

/** Whether a user message of the transcript is this prompt. */
export function isSamePrompt(message: string, text: string, folder: string): boolean {
  const given = normalise(message)
  return [text, promptFor(text, folder).argument].some((form) => {
    const wanted = normalise(form)
    return given === wanted || (wanted.length >= MIN_UNIQUE_LENGTH && given.includes(wanted))
  })
}
