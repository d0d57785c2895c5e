/** Complete escape sequences (CSI, OSC, DCS and the like). */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g
/** Control characters except tab and newline; also the C1 set, direction overrides and zero-width marks. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/**
 * Makes text of a transcript safe to print: it is untrusted, and a terminal obeys what it is sent. A carriage return
 * or a line separator becomes a line break.
 */
export function plain(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(CONTROLS, '')
}
