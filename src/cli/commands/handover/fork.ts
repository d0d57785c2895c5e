import type { Run } from '../../command.ts'
import type { fork } from '../../definitions/running.ts'
import { locate, requestOf } from './request.ts'
import { handOver } from './run.ts'

export const run: Run<typeof fork> = async ([reference], options, context) => {
  const source = await locate(reference, context)
  return handOver(await requestOf(source, undefined, { ...options, as: 'native' }, context), options, context)
}
