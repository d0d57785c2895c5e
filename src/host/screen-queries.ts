/**
 * Questions to the terminal: what it is, where its cursor stands, its colours, its modes and keys. The host's own
 * terminal answers them, so that an agent gets one answer with no client attached or with three.
 */
const QUERIES =
  /\x05|\x1b\[[>=?]?[0-9;]*c|\x1b\[\??[0-9;]*n|\x1b\[\??[0-9;]*\$p|\x1b\[\?u|\x1b\[>[0-9]*q|\x1b\[(?:1[1-9]|2[01])t|\x1b\](?:4;\d+|1[0-9]);\?(?:\x07|\x1b\\)|\x1bP[$+]q[^\x1b\x07]*\x1b\\/g

/** The beginning of a sequence whose end has not come yet. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]*\x1b?|[ -/]*)?$/

/** A picture or a copied text may be long: that is passed on in pieces. */
const LONGEST_HELD = 4096

/** What a program prints, for terminals that only look on: without questions, and never cut inside a sequence. */
export class QueryFilter {
  #held = ''

  push(text: string): string {
    const all = this.#held + text
    const cut = UNFINISHED.exec(all.slice(-LONGEST_HELD))
    this.#held = cut ? cut[0] : ''
    return all.slice(0, all.length - this.#held.length).replace(QUERIES, '')
  }
}
