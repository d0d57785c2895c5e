/** A key by name (`up`, `enter`, `ctrl-r`), or text that was typed or pasted. */
export interface Key {
  readonly name: string
  /** What was typed; only with the names `text` and `paste`. */
  readonly text?: string
}

const sequences: Readonly<Record<string, string>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  '[Z': 'shift-tab',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  // Which of the modifiers a terminal passes on differs.
  '[1;2A': 'shift-up',
  '[1;2B': 'shift-down',
  '[1;3A': 'shift-up',
  '[1;3B': 'shift-down',
  '[1;5A': 'shift-up',
  '[1;5B': 'shift-down',
  '[5~': 'page-up',
  '[6~': 'page-down',
  '[11~': 'f1',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  OP: 'f1',
}

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x1b': 'escape',
}

const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'

export interface Decoded {
  readonly keys: readonly Key[]
  /** The beginning of an incomplete sequence. */
  readonly rest: string
}

/**
 * Decodes what a terminal sends. `final`: nothing followed for a while, so a lone escape is the Escape key.
 * A paste is one key, so that a line break in it does not count as Enter.
 */
export function decodeKeys(input: string, final: boolean): Decoded {
  const keys: Key[] = []
  let at = 0
  while (at < input.length) {
    const rest = input.slice(at)
    if (rest.startsWith(PASTE_BEGIN)) {
      const end = rest.indexOf(PASTE_END)
      if (end < 0) return { keys, rest }
      keys.push({ name: 'paste', text: rest.slice(PASTE_BEGIN.length, end) })
      at += end + PASTE_END.length
      continue
    }
    const sequence = /^\x1b(\[[0-9;?<]*[@-~]|O[A-Z])/.exec(rest)?.[1]
    if (sequence) {
      keys.push({ name: sequences[sequence] ?? 'unknown' })
      at += sequence.length + 1
      continue
    }
    if (!final && /^\x1b(\[[0-9;?<]*|O)?$/.test(rest)) return { keys, rest }
    const character = String.fromCodePoint(rest.codePointAt(0)!)
    keys.push(keyOf(character))
    at += character.length
  }
  return { keys, rest: '' }
}

function keyOf(character: string): Key {
  const named = controls[character]
  if (named) return { name: named }
  if (character < ' ') return { name: `ctrl-${String.fromCharCode(character.charCodeAt(0) + 96)}` }
  return { name: 'text', text: character }
}
