// An agent writes a line: how long until the index has it.

import type { SessionFile } from '../corpora.ts'
import { amount, megabytes, timing } from '../format.ts'
import type { measureAppend } from '../in-process.ts'
import type { BenchContext, Row } from '../types.ts'
import { prepared } from './prepared.ts'

type Appended = ReturnType<typeof measureAppend>

export async function append(context: BenchContext): Promise<Row[]> {
  const { world, middle, largest, corpus } = await prepared(context)
  const measure = (file: SessionFile): Promise<Appended> =>
    context.inProcess('measureAppend', world, file.path, context.rounds.appends)
  const [small, large] = [await measure(middle), await measure(largest)]
  const row = (id: string, file: SessionFile, { taken, idle }: Appended): Row => ({
    id,
    what: `re-index after a line was appended to a session of ${megabytes(file.size)}, p95`,
    unit: 'ms',
    goal: 2,
    value: taken.p95,
    detail: `${timing(taken)}; the file is known to have changed; finding that out by comparing takes ${idle.p50.toFixed(2)} ms`,
  })
  return [
    row('append', middle, small),
    row('append-large', largest, large),
    {
      id: 'append-check',
      what: `besides that, finding out what is new among ${amount(corpus.files)} files, p95`,
      unit: 'ms',
      value: small.idle.p95,
      detail: timing(small.idle),
    },
  ]
}
