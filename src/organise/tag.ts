import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { nearest } from '../platform/nearest.ts'
import { readMarks } from './read-marks.ts'

const MAX_LENGTH = 64
const TAG = /^(?!-)[\p{L}\p{M}\p{N}._/-]+$/u

/** A tag as it is stored: in lower case, without the `#` that some write before it. Throws `usage` if it is not one. */
export function parseTag(text: string): string {
  const tag = text.trim().replace(/^#/, '').normalize('NFC').toLowerCase()
  if (TAG.test(tag) && tag.length <= MAX_LENGTH) return tag
  const problem = tag === '' ? 'a tag is empty' : `"${text}" is not a tag`
  throw new IonError('usage', problem, {
    hint: `a tag has up to ${MAX_LENGTH} letters, digits and characters of -_./ and no spaces; it does not begin with -`,
  })
}

/** The tags that are meant. Throws if one is not a tag, or if no session has it. */
export function knownTags(texts: readonly string[], io: Io): string[] {
  const tags = texts.map(parseTag)
  if (tags.length > 0) requireTags(tags, io)
  return tags
}

/** Throws `failed` if no session has one of these tags: most likely it is misspelt. */
export function requireTags(tags: readonly string[], io: Io): void {
  const known = readMarks(io)
    .tags()
    .map(({ tag }) => tag)
  const missing = tags.find((tag) => !known.includes(tag))
  if (missing === undefined) return
  const meant = nearest(missing, known)
  throw new IonError('failed', `no session has the tag ${missing}`, {
    hint:
      known.length === 0 ? 'to tag a session: ion tag <id> <tag>' : meant ? `did you mean ${meant}?` : listOf(known),
  })
}

const SHOWN = 12

function listOf(tags: readonly string[]): string {
  return `tags: ${tags.slice(0, SHOWN).join(', ')}${tags.length > SHOWN ? ', … (ion tag lists all)' : ''}`
}
