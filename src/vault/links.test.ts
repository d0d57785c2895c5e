import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { keptFixtures } from '../../test/support/kept-fixtures.ts'
import { listAll } from '../../test/support/read-all.ts'
import { filesBelow, scratchFolder, scratchIo, treeState } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { BackupPart } from '../agents/backup.ts'
import { Archive } from '../archive/archive.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { partPath } from './part-content.ts'
import { removeParts } from './remove.ts'
import { restore } from './restore.ts'
import { createSnapshot } from './snapshot/create.ts'
import { Vault } from './vault.ts'

const SECRET = 'text of a file outside of the store'
const REFUSED = 'Ion does not follow such a link'

interface World {
  readonly io: Io
  readonly head: SessionHead
  readonly parts: readonly BackupPart[]
  readonly outside: string
}

function worldOf(agent: Agent, fixture: string): World {
  const io = scratchIo(fixture)
  const outside = scratchFolder()
  for (const head of listAll(agent, io).heads) {
    if (head.parent_session) continue
    const found = [...agent.backup!.parts(head, readContext(io))]
    const parts = found.flatMap((part) => (isProblem(part) ? [] : [part]))
    if (parts.length > 0) return { io, head, parts, outside }
  }
  throw new Error('no session can be copied')
}

/** Moves it away and leaves a link in its place. */
function plantLink(path: string, outside: string): void {
  const target = join(outside, basename(path))
  renameSync(path, target)
  symlinkSync(target, path)
}

function snapshotText(agent: Agent, io: Io): { readonly text: string; readonly leftOut: number } {
  const file = join(scratchFolder(), 'snapshot.tar.gz')
  const { left_out } = createSnapshot({ file, agents: [agent], ionVersion: '0.0.0' }, io)
  return { text: gunzipSync(readFileSync(file)).toString('latin1'), leftOut: left_out.length }
}

/** One of each layout would do, but agents have several: the last fixture of each agent. */
const fixtures = keptFixtures.filter(([id], index) => keptFixtures[index + 1]?.[0] !== id)

describe.each(fixtures)('%s %s', (_id, _version, agent, fixture) => {
  test('a link in place of a file is not followed out of the store', () => {
    const { io, head, parts, outside } = worldOf(agent, fixture)
    const [main] = parts
    const path = partPath(main!, agent.backup!, io)
    if (main!.kind === 'file' && main!.form !== 'database') appendFileSync(path, `\n{"type":"${SECRET}"}\n${SECRET}\n`)
    plantLink(path, outside)
    const before = treeState(outside)
    expect(() => new Vault(io).backUp(agent, head)).toThrow(REFUSED)
    const isRemoved = !(main!.kind === 'file' && main!.hasOthers)
    if (isRemoved) expect(() => removeParts(agent, head, io)).toThrow(REFUSED)
    const archive = new Archive(io)
    const [listed] = listAll(agent, io).heads.filter(({ id }) => id === head.id)
    if (listed) expect(() => archive.capture(agent, listed)).toThrow(REFUSED)
    archive.close()
    expect(snapshotText(agent, io).text).not.toContain(SECRET)
    const kept = filesBelow(join(io.home, '..', 'ion')).map((file) => readFileSync(file, 'latin1'))
    expect(kept.filter((text) => text.includes(SECRET))).toEqual([])
    expect(treeState(outside)).toEqual(before)
  })

  test('a link in place of a folder is not followed to restore or to copy', () => {
    const { io, head, parts, outside } = worldOf(agent, fixture)
    const vault = new Vault(io)
    expect(vault.backUp(agent, head)).toBe(true)
    const root = agent.backup!.roots(io)[parts[0]!.root]!
    const names = parts[0]!.path.split('/').slice(0, -1)
    // Every folder of the path, from the inside: a link to one further out contains the others.
    const folders = names.map((_, index) => names.slice(0, index + 1).join('/')).filter(Boolean)
    for (const folder of folders.toReversed()) {
      const path = join(root, folder)
      cpSync(path, join(outside, folder), { recursive: true })
      renameSync(path, `${path}.real`)
      symlinkSync(join(outside, folder), path)
      const before = treeState(outside)
      const copy = (): boolean => new Vault(io).backUp(agent, head)
      const put = (): unknown => {
        const { versions, ...rest } = vault.find(agent, head.id)!
        const part = { ...versions.at(-1)!.parts[0]!, path: parts[0]!.path }
        return restore({ ...rest, agent, parts: [part], content: (one) => vault.content(one), io, replace: true })
      }
      if (agent.backup!.mayBeLinks?.includes(folder)) expect(copy()).toBe(true)
      else {
        expect(copy).toThrow(REFUSED)
        rmSync(join(outside, parts[0]!.path), { force: true })
        const without = treeState(outside)
        expect(put).toThrow(REFUSED)
        expect(treeState(outside)).toEqual(without)
        expect(Object.keys(before).length).toBeGreaterThan(0)
      }
      rmSync(path)
      rmSync(outside, { recursive: true })
      mkdirSync(outside)
      renameSync(`${path}.real`, path)
    }
    expect(vault.backUp(agent, head)).toBe(true)
  })

  test('the store may be a link, and a link inside may stay inside', () => {
    const { io, head, parts, outside } = worldOf(agent, fixture)
    const root = agent.backup!.roots(io)[parts[0]!.root]!
    if (root === io.home || root === '/') return
    plantLink(root, outside)
    expect(new Vault(io).backUp(agent, head)).toBe(true)
    const path = partPath(parts[0]!, agent.backup!, io)
    if (parts[0]!.kind === 'rows') return
    renameSync(path, `${path}.real`)
    symlinkSync(`${basename(path)}.real`, path)
    expect(new Vault(io).backUp(agent, head)).toBe(true)
  })
})

test('a folder of a session that links to other files does not bring them into a copy', () => {
  const [, , agent, fixture] = keptFixtures.find(([, , { backup }]) => backup?.files.config && !backup.tables)!
  const { io, head, outside } = worldOf(agent, fixture)
  appendFileSync(join(outside, 'id_rsa'), SECRET)
  symlinkSync(outside, join(dirname(head.path), basename(head.path, '.jsonl')))
  expect(() => new Vault(io).backUp(agent, head)).toThrow(REFUSED)
  const { text, leftOut } = snapshotText(agent, io)
  expect(text).not.toContain(SECRET)
  expect(leftOut).toBe(1)
})
