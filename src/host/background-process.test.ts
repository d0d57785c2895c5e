import { expect, onTestFinished, test } from 'vitest'
import { exitCodes } from '../platform/error.ts'
import { exitOnInternalError, receiveRequest, surviveInternalErrors } from './background-process.ts'

/** The handler that this adds, without installing it in the test's own process. */
function handlerOf(install: () => void): (error: Error) => void {
  const before = process.listeners('uncaughtException')
  install()
  const added = process.listeners('uncaughtException').find((one) => !before.includes(one))!
  process.off('uncaughtException', added)
  return added as (error: Error) => void
}

test('after an internal error a host continues, and a server exits so that it can be started again', () => {
  const lines: string[] = []
  const codes: unknown[] = []
  const log = (line: string): void => void lines.push(line.split('\n')[0]!)
  handlerOf(() => surviveInternalErrors(log))(new Error('one'))
  expect([lines, codes]).toEqual([['internal error: Error: one'], []])
  const exit = ((code: unknown) => void codes.push(code)) as typeof process.exit
  handlerOf(() => exitOnInternalError(log, exit))(new Error('two'))
  expect([lines.at(-1), codes]).toEqual(['internal error: Error: two', [exitCodes.failed.code]])
})

test('a command for internal use says how it is started', () => {
  const { send } = process
  onTestFinished(() => void Object.assign(process, { send }))
  Object.assign(process, { send: undefined })
  expect(() => receiveRequest('ion run --detach')).toThrow(expect.objectContaining({ hint: 'ion run --detach' }))
})
