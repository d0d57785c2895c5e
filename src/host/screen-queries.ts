/**
 * Terminal queries: its type, cursor position, colours, modes and keys. The host's own terminal answers them, so that an
 * agent gets exactly one answer, however many clients are attached.
 */
const QUERIES =
  /\x05|\x1b\[[>=?]?[0-9;]*c|\x1b\[\??[0-9;]*n|\x1b\[\??[0-9;]*\$p|\x1b\[\?u|\x1b\[>[0-9]*q|\x1b\[(?:1[1-9]|2[01])t|\x1b\](?:4;\d+|1[0-9]);\?(?:\x07|\x1b\\)|\x1bP[$+]q[^\x1b\x07]*\x1b\\/g

/** The beginning of a sequence that is not complete yet. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]*\x1b?|[ -/]*)?$/

/** Longer sequences, such as images or copied text, are passed on in pieces. */
const LONGEST_HELD = 4096

/** Output of a program for attached terminals: without queries, and never cut inside a sequence. */
export class QueryFilter {
  #held = ''

  push(text: string): string {
    const all = this.#held + text
    const cut = UNFINISHED.exec(all.slice(-LONGEST_HELD))
    this.#held = cut ? cut[0] : ''
    return all.slice(0, all.length - this.#held.length).replace(QUERIES, '')
  }
}
