// @module-tag deep
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MemoryStore } from '../../../test/support/memory-store.ts'
import { newKey } from '../../../test/support/replica-key.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { findExecutable } from '../../platform/executable.ts'
import { realIo } from '../../platform/io.ts'
import { unwrapKeyRing } from './key-ring.ts'
import { findKey, generateKey, type ReplicaKey } from './keys.ts'
import { CONFIG, openReplica, rekey } from './open-config.ts'

const [age, keygen] = ['age', 'age-keygen'].map((name) => findExecutable([name], realIo()))
const isInstalled = age !== undefined && keygen !== undefined
const note = isInstalled ? '' : ' (skipped: age and age-keygen are not installed; apt-get install age)'

describe.skipIf(!isInstalled)(`with the program age${note}`, () => {
  test('it opens the ring of a store with the key, and with the recovery key', async () => {
    const [store, key, recovery] = [new MemoryStore(), await newKey(), await newKey()]
    await openReplica(store, { key, recipients: await recovery.publicKeys() })
    const rings = [key, recovery].map((one) => run(age!, ['-d', '-i', fileWith(one)], ringOf(store)))
    expect(rings[0]).toBe(rings[1])
    expect(JSON.parse(rings[0]!)).toEqual({
      v: 1,
      names: expect.stringMatching(/^[\w+/]{43}=$/),
      data: [{ id: expect.stringMatching(/^[0-9a-f]{16}$/), key: expect.stringMatching(/^[\w+/]{43}=$/) }],
    })
  })

  test('a ring that it encrypted is opened, in a store with the id of that ring', async () => {
    const [store, owner, key] = [new MemoryStore(), await newKey(), await newKey()]
    const { id, sealer } = await openReplica(store, { key: owner })
    const content = run(age!, ['-d', '-i', fileWith(owner)], ringOf(store))
    const recipients = await key.publicKeys()
    const ring = run(age!, ['-a', ...recipients.flatMap((one) => ['-r', one])], content)
    const config = JSON.parse(store.objects.get(CONFIG)!.bytes.toString())
    await store.put(CONFIG, Buffer.from(JSON.stringify({ ...config, ring })))
    const opened = await openReplica(store, { key, id })
    expect(opened.sealer.open('a', sealer.seal('a', Buffer.from('content'))).toString()).toBe('content')
    expect(await unwrapKeyRing(ring, owner)).toBe('wrong-key')
  })

  test('it opens the ring after a rekey with the new key only', async () => {
    const [store, key, next] = [new MemoryStore(), await newKey(), await newKey()]
    await openReplica(store, { key })
    await rekey(store, key, { key: next })
    expect(JSON.parse(run(age!, ['-d', '-i', fileWith(next)], ringOf(store))).data.length).toBe(2)
    expect(() => run(age!, ['-d', '-i', fileWith(key)], ringOf(store))).toThrow(/no identity matched/)
  })

  test('it reads key files of Ion, and Ion reads those of age-keygen', async () => {
    const { text, publicKey } = await generateKey(scratchIo())
    expect(run(keygen!, ['-y'], text).trim()).toBe(publicKey)
    const io = scratchIo()
    const file = join(io.home, 'key.txt')
    run(keygen!, ['-o', file])
    expect(await (await findKey(io, file))!.publicKeys()).toEqual([run(keygen!, ['-y', file]).trim()])
  })
})

function run(program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

function fileWith(key: ReplicaKey): string {
  const file = join(scratchFolder(), 'key.txt')
  writeFileSync(file, `${key.identities().join('\n')}\n`)
  chmodSync(file, 0o600)
  return file
}

function ringOf(store: MemoryStore): string {
  return JSON.parse(store.objects.get(CONFIG)!.bytes.toString()).ring
}
