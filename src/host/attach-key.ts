import { IonError } from '../platform/error.ts'

/** The key that detaches: its name, and all forms in which terminals send it. */
export interface DetachKey {
  readonly name: string
  readonly forms: readonly string[]
}

export const DEFAULT_DETACH_KEY = 'ctrl-]'

/** `ctrl-]`, `ctrl-a`, `^a`: a control key that is one byte, and the two forms of enhanced keyboards. */
export function detachKey(text: string): DetachKey {
  const letter = /^(?:ctrl[-+]|c-|\^)([a-z\]\\^_@])$/i.exec(text)?.[1]?.toLowerCase()
  if (letter === undefined) {
    throw new IonError('usage', `"${text}" cannot be the detach key`, {
      hint: 'ctrl- and a letter, or one of ] \\ ^ _ @',
    })
  }
  const byte = String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f)
  const code = letter.charCodeAt(0)
  return { name: `Ctrl-${letter.toUpperCase()}`, forms: [byte, `\x1b[${code};5u`, `\x1b[27;5;${code}~`] }
}

/** What was typed before the key; undefined if the key was not typed. */
export function beforeKey(typed: Buffer, { forms }: DetachKey): Buffer | undefined {
  const offsets = forms.map((form) => typed.indexOf(form, 0, 'latin1')).filter((offset) => offset >= 0)
  return offsets.length ? typed.subarray(0, Math.min(...offsets)) : undefined
}
