import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Io } from '../../src/platform/io.ts'
import { DAY } from '../../src/storage/deletions.ts'
import { scratchIo } from './scratch.ts'

export const OLD = 'aaaaaaaa-0000-4000-8000-000000000001'
export const NEW = 'bbbbbbbb-0000-4000-8000-000000000002'
const GONE = 'cccccccc-0000-4000-8000-000000000003'

function put(path: string, text: string, time: Date): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, time, time)
}

/** Two sessions of one agent with settings beside them, one inside a project, and two in the archive. */
export function madeWorld(): Io {
  const io = scratchIo()
  const day = (age: number): Date => new Date(io.now().getTime() - age * DAY)
  const session = (id: string, cwd: string, said: string, time: Date): string =>
    `${JSON.stringify({
      type: 'user',
      uuid: `${id.slice(0, -1)}9`,
      parentUuid: null,
      sessionId: id,
      cwd,
      version: '2.1.325',
      timestamp: time.toISOString(),
      message: { role: 'user', content: said },
    })}\n`
  const projects = join(io.home, '.claude/projects')
  const large = `Mend the \x1b[31mcart\x07 ${'x'.repeat(3000)}`
  put(join(projects, `-gone-shop/${OLD}.jsonl`), session(OLD, '/gone/shop', large, day(28)), day(28))
  put(join(projects, `-gone-tool/${NEW}.jsonl`), session(NEW, '/gone/tool', 'Write the parser', day(2)), day(2))
  put(join(io.home, '.claude/settings.json'), `{"theme":"${'x'.repeat(1986)}"}`, day(2))
  const talk = '# aider chat started at 2026-10-01 10:00:00\n\n#### hello  \n'
  put(join(io.home, 'projects/note/.aider.chat.history.md'), talk, day(40))
  for (const id of [OLD, GONE]) {
    const start = {
      type: 'session_start',
      v: 1,
      seq: 0,
      id: 'e0',
      parent_id: null,
      timestamp: '2026-10-19T00:00:00.000Z',
      session_id: id,
      agent: 'claude',
      native_id: id,
      cwd: '/gone/shop',
      project: '/gone/shop',
      title: 'kept',
      source: { agent_version: null, format: 'jsonl' },
    }
    put(join(io.env.ION_HOME!, 'sessions/0123456789abcdef', `${id}.jsonl`), `${JSON.stringify(start)}\n`, day(20))
  }
  return io
}
