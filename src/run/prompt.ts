import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Prompt } from '../agents/start.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { PromptMark } from './ledger.ts'

/**
 * Linux takes at most 128 KB in one argument, and Windows 32 KB in the whole line. What is longer goes by stdin or file
 * where the agent reads one; where it does not, it is told where the text is.
 */
const LONGEST_ARGUMENT = 100_000

export function promptIdentity(text: string): PromptMark {
  return { hash: createHash('sha256').update(text).digest('hex'), length: Buffer.byteLength(text) }
}

export function promptFile(folder: string, hash: string): string {
  return join(folder, 'prompts', `${hash.slice(0, 16)}.txt`)
}

/** The prompt as an agent gets it. */
export function promptFor(text: string, folder: string): Prompt {
  const file = promptFile(folder, promptIdentity(text).hash)
  return { text, argument: argumentOf(text, file), file }
}

function argumentOf(text: string, file: string): string {
  if (Buffer.byteLength(text) <= LONGEST_ARGUMENT) return text
  return `The task is in the file ${file}. Read that file whole and do what it says.`
}

/** Keeps the exact text, readable by the user only. */
export function savePrompt(text: string, folder: string): void {
  const file = promptFile(folder, promptIdentity(text).hash)
  if (!existsSync(file)) replaceFile(file, text)
}

export function loadPrompt({ hash }: PromptMark, folder: string): string {
  const file = promptFile(folder, hash)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new IonError('failed', `the prompt that is still to be sent cannot be read: ${messageOf(error)}`, {
      cause: error,
      hint: 'give the prompt again',
    })
  }
  if (promptIdentity(text).hash === hash) return text
  throw new IonError('failed', `the prompt in ${file} was changed`, { hint: 'give the prompt again' })
}

/** Agents trim, and break lines anew; nobody changes words. */
function folded(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

/** Short texts may stand in others by chance. */
const SURE_LENGTH = 24

/** Whether what stands in the transcript is this prompt. */
export function isSamePrompt(said: string, text: string, folder: string): boolean {
  const given = folded(said)
  return [text, promptFor(text, folder).argument].some((form) => {
    const wanted = folded(form)
    return given === wanted || (wanted.length >= SURE_LENGTH && given.includes(wanted))
  })
}
