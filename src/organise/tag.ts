import { IonError } from '../platform/error.ts'
import { nearest } from '../platform/nearest.ts'
import type { AllMarks } from './marks.ts'

const MAX_LENGTH = 64
const TAG = /^[\p{L}\p{M}\p{N}._/-]+$/u

/** A tag as it is stored: in lower case, without the `#` that some write before it. Throws `usage` if it is not one. */
export function parseTag(text: string): string {
  const tag = text.trim().replace(/^#/, '').normalize('NFC').toLowerCase()
  if (TAG.test(tag) && tag.length <= MAX_LENGTH) return tag
  const problem = tag === '' ? 'a tag is empty' : `"${text}" is not a tag`
  throw new IonError('usage', problem, {
    hint: `a tag has up to ${MAX_LENGTH} letters, digits and characters of -_./ and no spaces`,
  })
}

/** What to report if no session has one of these tags; undefined if each is known. */
export function unknownTag(marks: AllMarks, tags: readonly string[]): IonError | undefined {
  const known = marks.tags().map(({ tag }) => tag)
  const missing = tags.find((tag) => !known.includes(tag))
  if (missing === undefined) return undefined
  const meant = nearest(missing, known)
  const hint =
    known.length === 0
      ? 'to tag a session: ion tag <id> <tag>'
      : meant
        ? `did you mean ${meant}? ion tag lists all tags`
        : `known tags: ${known.slice(0, SHOWN).join(', ')}${known.length > SHOWN ? ', … (ion tag lists all)' : ''}`
  return new IonError('failed', `no session has the tag ${missing}`, { hint })
}

const SHOWN = 12
