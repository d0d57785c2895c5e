import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { removeParts } from '../../src/vault/remove.ts'
import { listAll } from '../support/read-all.ts'
import { installFake, ioOf, logins, playable, promptsOf } from './fake-agent.ts'
import { type Machine, machine, runIon } from './run-ion.ts'

const TASK = 'Fix the refund test'

function scene(): { where: Machine; ion: (...args: string[]) => ReturnType<typeof runIon> } {
  const where = machine()
  const PATH = installFake(where)
  for (const agent of playable) {
    const trust = agent.start?.prepare?.trust?.({ cwd: where.home, io: ioOf(where) })
    if (trust) replaceFile(trust.file, trust.content)
  }
  return { where, ion: (...args) => runIon(where, args, { env: { PATH, ...logins } }) }
}

const restorable = playable.filter(({ backup: keep }) => keep)

describe.each(restorable.map((agent) => [agent.id, agent] as const))('fake %s', (id, agent) => {
  test('a task whose session the agent has lost continues from the copy, and the prompt is not sent again', async () => {
    const { where, ion } = scene()
    await ion('run', id, '--headless', TASK)
    const io = ioOf(where)
    const [head] = listAll(agent, io).heads
    removeParts(agent, head!, io)
    expect(promptsOf(where, agent)).toEqual({})
    const refused = await ion('run', id, '--headless', TASK)
    expect([refused.code, refused.err]).toEqual([
      4,
      expect.stringMatching(
        /is gone from the store of .*; Ion has a copy from .*\n {2}-> ion run .* --restore restores it/,
      ),
    ])
    const again = await ion('run', id, '--headless', '--restore', TASK)
    expect([again.code, again.out.trim(), again.err]).toEqual([
      0,
      'I have done it: Fix the refund test',
      expect.stringContaining('restored session'),
    ])
    expect(promptsOf(where, agent)).toEqual({ [head!.native_id]: [TASK] })
    expect((await ion('run', id, '--headless', '--send', 'and the docs')).code).toBe(0)
    expect(promptsOf(where, agent)).toEqual({ [head!.native_id]: [TASK, 'and the docs'] })
  })
})

describe('ion restore', () => {
  async function captured(): Promise<ReturnType<typeof scene> & { id: string; file: string }> {
    const world = scene()
    await world.ion('run', 'claude', '--headless', TASK)
    const { out } = await world.ion('sessions', '--all', '--json')
    const { id, path } = JSON.parse(out) as { id: string; path: string }
    return { ...world, id, file: path }
  }

  test('restores a missing session, leaves an equal one, and does not overwrite one that has continued', async () => {
    const { ion, id, file } = await captured()
    const bytes = readFileSync(file)
    rmSync(file)
    expect((await ion('restore', id)).out).toMatch(
      /^restored Claude Code .* \(Fix the refund test\) as of .*\n {2}written /,
    )
    expect(readFileSync(file)).toEqual(bytes)
    expect((await ion('restore', id)).out).toMatch(/is already there, identical to the copy of .*\n$/)
    const more = Buffer.concat([bytes, Buffer.from('{"type":"user"}\n')])
    writeFileSync(file, more)
    const refused = await ion('restore', id)
    expect([refused.code, refused.err]).toEqual([
      4,
      expect.stringMatching(/exists and differs from the copy.*\n.*--replace/),
    ])
    expect(readFileSync(file)).toEqual(more)
    expect((await ion('restore', id, '--replace')).code).toBe(0)
    expect(readFileSync(file)).toEqual(bytes)
    // The previous content was backed up first, and can be restored in turn.
    expect((await ion('restore', id)).code).toBe(0)
    expect(readFileSync(file)).toEqual(more)
  })

  test('one flipped bit in an exact copy is reported, and nothing is restored', async () => {
    const { where, ion, id, file } = await captured()
    rmSync(file)
    const objects = join(where.ionHome, 'vault', 'objects')
    const [two] = readdirSync(objects)
    const [name] = readdirSync(join(objects, two!))
    const object = join(objects, two!, name!)
    const good = readFileSync(object)
    const bad = Buffer.from(good)
    bad[Math.floor(bad.length / 2)]! ^= 1
    writeFileSync(object, bad)
    const failed = await ion('restore', id)
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining(`an exact copy is damaged: ${object}`)])
    expect(listAll(playable.find((agent) => agent.id === 'claude')!, ioOf(where)).heads).toEqual([])
    const checked = await ion('capture', '--verify')
    expect([checked.code, checked.out]).toEqual([
      1,
      expect.stringContaining(`claude ${id}: an exact copy is damaged: ${object}`),
    ])
    writeFileSync(object, good)
    expect((await ion('capture', '--verify')).out).toMatch(/^1 copy of .* read back: all intact\n$/)
    expect((await ion('restore', id)).code).toBe(0)
  })

  test('a session without a copy, and a state that does not exist', async () => {
    const { where, ion, id } = await captured()
    expect(await ion('restore', id, '--state', '9')).toMatchObject({
      code: 2,
      err: expect.stringContaining('from 1 to 1'),
    })
    rmSync(join(where.ionHome, 'vault'), { recursive: true })
    expect(await ion('restore', id)).toMatchObject({ code: 3, err: expect.stringContaining('there is no exact copy') })
  })
})

test('amazon-q: the conversation that replaced another is backed up before it is replaced', async () => {
  const where = machine('amazon-q/fixtures/handmade-1.19.7')
  const agent = findAgent('amazon-q')
  const [head] = listAll(agent, ioOf(where)).heads
  expect((await runIon(where, ['capture', head!.id])).code).toBe(0)
  const database = openDatabase(head!.path)
  database
    .prepare("UPDATE conversations SET value = json_set(value, '$.conversation_id', ?) WHERE key = ?")
    .run('00000000-0000-4000-8000-00000000beef', head!.cwd)
  database.close()
  expect((await runIon(where, ['restore', head!.id])).code).toBe(4)
  expect((await runIon(where, ['restore', head!.id, '--replace'])).code).toBe(0)
  const now = (): unknown => listAll(agent, ioOf(where)).heads.find(({ cwd }) => cwd === head!.cwd)?.native_id
  expect(now()).toBe(head!.native_id)
  expect((await runIon(where, ['restore', '00000000-0000-4000-8000-00000000beef', '--replace'])).code).toBe(0)
  expect(now()).toBe('00000000-0000-4000-8000-00000000beef')
})
