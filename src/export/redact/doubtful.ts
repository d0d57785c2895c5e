import { viewOf } from './normalise.ts'
import { eachRun } from './scan-forms.ts'
import { isMixed, isRandom, isSlug } from './values.ts'

/** Something in a masked text that no rule recognised and that may be a secret all the same. */
export interface Doubt {
  /** Its first and last characters. */
  readonly excerpt: string
  readonly length: number
}

/** Shorter ones are mostly names of files and ids. */
const SHORTEST = 20
const LONGEST = 400
/** Ids of messages, calls and requests; digests; what is in a URL, a path or the data of an image. */
const KNOWN =
  /^(?:toolu|tooluse|srvtoolu|msg|call|chatcmpl|cmpl|req|resp|fc|rs|evt|ses|session|prt|run|thread|asst|file|item|T|S)[_-]|^sha\d+-|^redacted/i
const WITHIN = /(?:[/=.:#@%&?~-]|sha\d{3}-|h1:|base64,|"integrity": ?"|[A-Za-z0-9+/]{60})$/i

/** What looks random and was not masked: letters of both cases and digits, thoroughly mixed, on their own. */
export function doubtsIn(masked: string): Doubt[] {
  const { text } = viewOf(masked)
  const doubts: Doubt[] = []
  eachRun(text, SHORTEST, (start, end) => {
    const value = text.slice(start, end)
    if (value.length > LONGEST || !isMixed(value) || !isRandom(value) || isSlug(value) || KNOWN.test(value)) return
    if (WITHIN.test(text.slice(Math.max(0, start - 60), start)) || /[/+.]\w/.test(text.slice(end, end + 2))) return
    doubts.push({ excerpt: `${value.slice(0, 4)}…${value.slice(-2)}`, length: value.length })
  })
  return doubts
}
