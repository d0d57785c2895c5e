// The keys of the picker, for docs/picker.md.
import type { HelpLine } from '../../src/cli/picker/keys.ts'
import { table } from './markdown.ts'

export function keyTable(lines: readonly HelpLine[]): string {
  return table(
    ['key', 'what it does'],
    lines.map(({ key, what }) => [key, what]),
  )
}
