import { expect, test } from 'vitest'
import { post, scratchModel } from './testing.ts'

test('answers the service calls of the old Amp, known or not', async () => {
  const model = await scratchModel()
  const ask = async (method: string) =>
    (await post(model, `/w-amp/api/internal?${method}`, { method, params: {} })).json()
  expect(await ask('getThreadLinkInfo')).toEqual({
    ok: true,
    result: { creatorUserID: 'user_stub', visibility: 'private', sharedGroupIDs: [] },
  })
  expect(await ask('uploadThread')).toEqual({ ok: true, result: {} })
  expect(await ask('somethingNew')).toEqual({ ok: true, result: {} })
  expect(model.log.entries.map(({ protocol, world, path, query }) => ({ protocol, world, path, query }))).toEqual(
    ['getThreadLinkInfo', 'uploadThread', 'somethingNew'].map((query) => ({
      protocol: 'amp',
      world: 'w-amp',
      path: '/api/internal',
      query,
    })),
  )
})
