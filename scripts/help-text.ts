import { buildProgram } from '../src/cli/program.ts'
import type { Terminal } from '../src/cli/terminal.ts'
import { noConfig } from '../src/config/config.ts'
import { realIo } from '../src/platform/io.ts'

/** What `ion --help` prints in a terminal of this width. */
export async function helpText(columns: number): Promise<string> {
  let text = ''
  const write = (part: string): void => {
    text += part
  }
  const out: Terminal = { write, isTTY: true, columns, rows: 24, colour: false }
  await buildProgram({ io: realIo(), out, err: out, config: noConfig }).run(['--help'])
  return text
}

/** In pipes. */
const NARROW = 80
/** Nothing is wrapped from here on. */
const WIDE = 120

/** A module with that text for the usual widths, so that nothing has to be loaded for it: `widthOf` is the terminal's. */
export async function helpModule(): Promise<string> {
  const [narrow, wide] = [await helpText(NARROW), await helpText(WIDE)]
  if (wide !== (await helpText(1000))) throw new Error(`ion --help is wrapped at ${WIDE} columns`)
  return `'use strict'
const narrow = ${JSON.stringify(narrow)}
const wide = ${JSON.stringify(wide)}
/** Undefined where the parser must lay it out. */
exports.helpFor = (columns) => (columns === ${NARROW} ? narrow : columns >= ${WIDE} ? wide : undefined)
`
}
