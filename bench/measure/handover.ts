import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFloor, runNode, type Usage } from '../child.ts'
import { interleaved, median } from '../statistics.ts'
import type { BenchContext, Row } from '../types.ts'

const SIZES = [5000, 50_000] as const
const GOAL_MS = 1000
const GOAL_MB = 150

/** Handing a long session over, all of it: reading, converting, writing, reading back. */
export async function handover({ program, scratch, rounds, say }: BenchContext): Promise<Row[]> {
  const folder = scratch('handover')
  const home = join(folder, 'home')
  const bin = join(folder, 'bin')
  for (const made of [home, bin]) mkdirSync(made)
  writeFileSync(join(bin, 'codex'), '#!/bin/sh\necho codex-cli 0.166.0\n')
  chmodSync(join(bin, 'codex'), 0o755)
  const world = { home, ionHome: join(folder, 'ion'), path: bin }
  for (const size of SIZES) {
    say(`  a session of ${size} messages`)
    writeSession(home, size)
  }
  const handOver = (size: number) => async (): Promise<Usage> => {
    const args = [program, 'handover', idOf(size), '--in', 'codex', '--as', 'native', '--budget', '90000000', '--again']
    const usage = await runNode(folder, args, world)
    // Each would be one more session in the index of the next round.
    rmSync(join(home, '.codex'), { recursive: true })
    return usage
  }
  await handOver(SIZES[0])()
  const { floor, small, large } = await interleaved(rounds.long, {
    floor: () => runFloor(folder),
    small: handOver(SIZES[0]),
    large: handOver(SIZES[1]),
  })
  const cpu = (runs: readonly Usage[]): number =>
    median(runs.map(({ cpuMs }) => cpuMs)) - median(floor.map(({ cpuMs }) => cpuMs))
  const peak = (runs: readonly Usage[]): number => median(runs.map(({ peakMb }) => peakMb))
  const [few, many] = SIZES.map((size) => size.toLocaleString('en'))
  return [
    {
      id: 'handover',
      what: `handover of ${few} messages, CPU`,
      unit: 'ms',
      goal: GOAL_MS,
      value: cpu(small),
      detail: `over an empty Node, median of ${small.length}`,
    },
    {
      id: 'handover-memory',
      what: 'peak memory of that',
      unit: 'MB',
      goal: GOAL_MB,
      value: peak(small),
      detail: `${Math.round(peak(large))} MB for ${many}`,
    },
    {
      id: 'handover-linear',
      what: `handover of ${many} messages, to that of ${few}`,
      unit: 'x',
      goal: SIZES[1] / SIZES[0],
      value: cpu(large) / cpu(small),
      detail: `${Math.round(cpu(large))} ms`,
    },
  ]
}

function idOf(size: number): string {
  return `${String(size).padStart(8, '0')}-0000-4000-8000-000000000000`
}

/** Prompts, answers and calls with results, as Claude Code stores them. */
function writeSession(home: string, size: number): void {
  const sessionId = idOf(size)
  const folder = join(home, '.claude', 'projects', home.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const lines: string[] = []
  let parentUuid: string | null = null
  for (let n = 0; n < size; n++) {
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const timestamp = new Date(Date.UTC(2026, 10, 1) + n * 1000).toISOString()
    const record = { parentUuid, isSidechain: false, cwd: home, sessionId, version: '2.1.325', uuid, timestamp }
    lines.push(JSON.stringify({ ...record, ...messageAt(n) }))
    parentUuid = uuid
  }
  writeFileSync(join(folder, `${sessionId}.jsonl`), `${lines.join('\n')}\n`)
}

function messageAt(n: number): object {
  const say = (role: 'user' | 'assistant', content: unknown): object => ({
    type: role,
    message: { role, content, ...(role === 'assistant' ? { id: `msg_${n}`, model: 'claude-opus-4-8' } : {}) },
  })
  const call = { type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command: `cat src/refunds-${n}.ts` } }
  switch (n % 4) {
    case 0:
      return say('user', `Prompt ${n}: look at the refunds again, and say what is wrong with this part.`)
    case 1:
      return say('assistant', [{ type: 'text', text: 'I look at the file.' }, call])
    case 2:
      return say('user', [
        { type: 'tool_result', tool_use_id: `toolu_${n - 1}`, content: 'const cents = 1\n'.repeat(20 + (n % 200)) },
      ])
    default:
      return say('assistant', [{ type: 'text', text: `Answer ${n}. ${'Cents are rounded too early. '.repeat(8)}` }])
  }
}
