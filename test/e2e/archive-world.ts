import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { Archive } from '../../src/archive/archive.ts'
import { writerFolder } from '../../src/archive/archive-paths.ts'
import { sessionId } from '../../src/events/id.ts'
import { isProblem } from '../../src/events/item.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { withDatabaseFile, withNativeDatabase } from '../../src/native/database.ts'
import { readContext } from '../../src/native/read-context.ts'
import { rowLines } from '../../src/native/rows.ts'
import type { Io } from '../../src/platform/io.ts'
import { partPath } from '../../src/vault/part-content.ts'
import { removeParts } from '../../src/vault/remove.ts'
import { type RestoreResult, restore } from '../../src/vault/restore.ts'
import { Vault } from '../../src/vault/vault.ts'
import { listAll, readAll } from '../support/read-all.ts'
import { filesBelow, scratchFolder } from '../support/scratch.ts'
import { ioOf } from './fake-agent.ts'
import { type Machine, machine } from './run-ion.ts'

/** A session in an agent's store, and Ion's copies of it. */
export interface Subject {
  readonly id: string
  readonly fixture: string
  readonly native: string
}

/** One agent whose sessions are files, with a sub-agent's beside them, and one whose sessions are rows. */
export const subjects: readonly Subject[] = [
  { id: 'claude', fixture: 'claude/fixtures/2.1.325', native: '88888888-8888-4888-8888-888888888888' },
  { id: 'goose', fixture: 'goose/fixtures/1.52.0', native: '20261115_7' },
]

export class KeepWorld {
  readonly where: Machine
  readonly subject: Subject
  readonly agent: Agent
  readonly io: Io
  readonly sessionId: string

  constructor(subject: Subject, where: Machine = small(machine(subject.fixture))) {
    this.subject = subject
    this.where = where
    this.agent = findAgent(subject.id)
    this.io = ioOf(where)
    this.sessionId = sessionId(subject.id, subject.native)
  }

  /** A copy for another try, without files that can be rebuilt, since these contain paths. */
  copy(): KeepWorld {
    const root = scratchFolder()
    for (const name of ['home', 'ion']) {
      const from = join(this.where.root, name)
      cpSync(from, join(root, name), {
        recursive: true,
        preserveTimestamps: true,
        filter: (path) => !/catalog\.db/.test(path),
      })
    }
    return new KeepWorld(this.subject, { root, home: join(root, 'home'), ionHome: join(root, 'ion') })
  }

  /** Undefined when the agent does not have it. */
  head(): SessionHead | undefined {
    return listAll(this.agent, this.io).heads.find(({ native_id }) => native_id === this.subject.native)
  }

  capture(): void {
    const archive = new Archive(this.io)
    try {
      const { uncopied } = archive.capture(this.agent, this.head()!)
      archive.save()
      if (uncopied !== undefined) throw new Error(uncopied)
    } finally {
      archive.close()
    }
  }

  remove(): void {
    removeParts(this.agent, this.head()!, this.io)
  }

  restore(io: Io = this.io): RestoreResult[] {
    const vault = new Vault(this.io)
    const kept = vault.find(this.agent, this.sessionId)!
    const { parts } = kept.versions.at(-1)!
    return restore({ ...kept, agent: this.agent, parts, content: (part) => vault.content(part), io })
  }

  /** All parts of the session, and what Ion reads from it. */
  session(io: Io = this.io): unknown {
    const head = listAll(this.agent, io).heads.find(({ native_id }) => native_id === this.subject.native)
    if (!head) return undefined
    const parts: Record<string, string> = {}
    for (const part of this.agent.backup!.parts(head, readContext(io))) {
      if (isProblem(part)) throw new Error(part.problem)
      const path = partPath(part, this.agent.backup!, io)
      if (part.kind === 'file') parts[part.path] = withDatabaseFile(path, (file) => readFileSync(file, 'base64'))
      else parts[part.path] = [...withNativeDatabase(path, (database) => rowLines(database, part))].slice(1).join('\n')
    }
    return { parts, events: readAll(this.agent, head, io).events }
  }

  /** All other sessions that the agent has. */
  others(): unknown {
    return listAll(this.agent, this.io)
      .heads.filter(({ native_id, parent_session }) => native_id !== this.subject.native && !parent_session)
      .map((head) => readAll(this.agent, head, this.io).events)
  }

  damage(): string[] {
    return [...new Vault(this.io).verify([this.agent])].flatMap(({ problem }) => problem ?? [])
  }

  /** Temporary files that Ion left in the agent's store. */
  leftovers(): string[] {
    return filesBelow(this.where.home).filter((path) => /\.ion-|\.tmp/.test(path))
  }

  /** What a dead process leaves behind: a lease that nobody holds. */
  endWriter(): void {
    rmSync(writerFolder(this.io), { recursive: true, force: true })
  }

  forget(): void {
    rmSync(this.where.root, { recursive: true, force: true })
  }
}

/** A few sessions are enough, and are copied often. */
function small(where: Machine): Machine {
  mkdirSync(where.ionHome)
  for (const file of filesBelow(where.home)) if (/\.jsonl$/.test(file) && !/(8888|1111)/.test(file)) rmSync(file)
  return where
}

/** Figures for docs/reliability.md, if ION_TEST_FIGURES is set. */
export function note(what: string, figures: object): void {
  const file = process.env.ION_TEST_FIGURES
  if (file) appendFileSync(file, `${what} ${JSON.stringify(figures)}\n`)
}
