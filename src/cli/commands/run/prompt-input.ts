import { readFileSync } from 'node:fs'
import { IonError } from '../../../platform/error.ts'
import { refuseNoFile } from '../../require-path.ts'

/** Neutral on purpose: it must fit any task. */
const NUDGE = 'Please go on where you stopped.'

export interface PromptInput {
  readonly text: string | undefined
  /** Stdin was read, so that the agent needs the terminal opened anew. */
  readonly fromStdin: boolean
}

/** The prompt from words, a file or stdin; an error when two of them are given or it is empty. */
export function promptInput(
  words: readonly string[],
  file: string | undefined,
  nudge: boolean,
  readStdin: () => string = () => readFileSync(0, 'utf8'),
): PromptInput {
  if ([words.length > 0, file !== undefined, nudge].filter(Boolean).length > 1) {
    throw new IonError('usage', 'the prompt is given twice', {
      hint: 'give words, --prompt-file or --nudge, one of them',
    })
  }
  if (nudge) return { text: NUDGE, fromStdin: false }
  if (file !== undefined) return { text: filled(readText(file), file), fromStdin: false }
  if (words.length === 1 && words[0] === '-') return { text: filled(readStdin(), 'stdin'), fromStdin: true }
  return { text: words.length ? filled(words.join(' '), 'the command line') : undefined, fromStdin: false }
}

function readText(file: string): string {
  refuseNoFile(file)
  const bytes = readFileSync(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (error) {
    throw new IonError('usage', `${file} is not a text in UTF-8`, { cause: error, hint: 'save it as UTF-8' })
  }
}

function filled(text: string, where: string): string {
  if (text.includes('\0')) {
    throw new IonError('usage', `the prompt from ${where} has a zero byte in it`, { hint: 'give plain text' })
  }
  if (text.trim() !== '') return text
  throw new IonError('usage', `the prompt from ${where} is empty`, {
    hint: 'say what is to be done, or leave it out to resume',
  })
}
