import { readFileSync } from 'node:fs'
import { IonError } from '../../../platform/error.ts'
import { NUDGE, promptText } from '../../../run/prompt.ts'
import { requireFile } from '../../validate.ts'

export interface PromptInput {
  readonly text: string | undefined
  /** Stdin was consumed, so the agent must read from the terminal device instead. */
  readonly fromStdin: boolean
}

/** The prompt from the arguments, a file or stdin; an error if it is empty or given twice. */
export function promptInput(
  words: readonly string[],
  file: string | undefined,
  nudge: boolean,
  readStdin: () => string = () => readFileSync(0, 'utf8'),
): PromptInput {
  if (nudge && (words.length > 0 || file !== undefined)) {
    throw new IonError('usage', '--nudge sends its own prompt, so another one cannot be given', {
      hint: '--nudge alone asks the agent to continue; --send "…" sends your prompt instead',
    })
  }
  if (words.length > 0 && file !== undefined) {
    throw new IonError('usage', 'more than one prompt is given', {
      hint: 'use only one of: a prompt argument, --prompt-file',
    })
  }
  if (nudge) return { text: NUDGE, fromStdin: false }
  if (file !== undefined) return { text: nonEmpty(readText(file), file), fromStdin: false }
  if (words.length === 1 && words[0] === '-') return { text: nonEmpty(readStdin(), 'stdin'), fromStdin: true }
  return { text: words.length ? nonEmpty(words.join(' '), 'the command line') : undefined, fromStdin: false }
}

function readText(file: string): string {
  requireFile(file)
  const bytes = readFileSync(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (error) {
    throw new IonError('usage', `${file} is not UTF-8 text`, { cause: error, hint: 'save it as UTF-8' })
  }
}

function nonEmpty(text: string, where: string): string {
  if (text.includes('\0')) {
    throw new IonError('usage', `the prompt from ${where} contains a NUL byte`, { hint: 'use plain text' })
  }
  if (text.trim() !== '') return promptText(text)
  throw new IonError('usage', `the prompt from ${where} is empty`, {
    hint: 'say what to do, or omit the prompt to resume',
  })
}
