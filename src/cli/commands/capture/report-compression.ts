import type { CompressionResult } from '../../../archive/compress-old-logs.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { bytes } from '../../text.ts'

/** What was compressed, where there was anything. With `--json` only what went wrong: an object there is a session. */
export function tellCooled(cooled: CompressionResult, options: Options, { out, err }: Context): void {
  for (const problem of cooled.problems) err.write(`ion: not compressed: ${plain(problem)}\n`)
  if (options.json || cooled.logs === 0) return
  const sizes = `${bytes(cooled.before)} to ${bytes(cooled.after)}`
  const left = cooled.left > cooled.problems.length ? `; ${pluralize(cooled.left, 'more log')} at the next time` : ''
  out.write(`compressed ${pluralize(cooled.logs, 'old log')}: ${sizes}${left}\n`)
}
