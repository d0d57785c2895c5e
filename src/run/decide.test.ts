import { describe, expect, test } from 'vitest'
import type { Agent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import { bootId } from '../platform/boot.ts'
import { type Decision, decide, type RunIntent } from './decide.ts'
import type { Facts } from './facts.ts'
import { promptIdentity } from './prompt.ts'
import type { LocatedSession } from './session-lookup.ts'
import type { RunState, TaskState } from './task-state.ts'

const agent = { id: 'robot', title: 'Robot', resume: { note: 'only by day' } } as unknown as Agent
const wish: RunIntent = {
  agent,
  command: 'ion run robot',
  cwd: '/home/dev/shop',
  way: 'terminal',
  prompt: 'fix it',
  send: false,
  isNew: false,
  steal: false,
}
const session: LocatedSession = {
  head: {
    id: '3f2a0000-0000-4000-8000-000000000000',
    native_id: '3f2a0000-0000-4000-8000-000000000000',
    cwd: '/home/dev/shop',
    resumable: true,
  } as SessionHead,
  files: ['/store'],
}
const noFacts: Facts = {
  session: undefined,
  missingSession: undefined,
  pendingPrompt: undefined,
  running: undefined,
  openIn: undefined,
  unreadable: undefined,
  news: [],
}
const at = new Date(2026, 10, 15, 14, 2).toISOString()
const run = (change: Partial<RunState> = {}): RunState => ({
  run: 'r1',
  decision: 'cold',
  way: 'terminal',
  cwd: '/home/dev/shop',
  plannedAt: at,
  session: 's',
  prompt: { ...promptIdentity('fix it'), state: 'handed over', at },
  program: 'robot',
  process: { pid: 77, start: '1', boot: bootId() },
  captured: false,
  exit: undefined,
  ...change,
})
const seen = run({
  captured: true,
  exit: { code: 0, signal: null },
  prompt: { ...promptIdentity('fix it'), state: 'seen', at },
})
const stateOf = (...runs: RunState[]): TaskState => ({
  session: undefined,
  past: [],
  attempts: [],
  runs,
  args: [],
  lastAt: at,
})
const due = (change: Partial<RunState> = {}): Facts['pendingPrompt'] => ({ run: run(change), text: 'fix it' })

/** What the user is told, and what is sent. */
function told(verdict: Decision): string {
  const line = `${verdict.decision} (${verdict.reason})`
  if (verdict.decision === 'refused') return `${line} -> ${verdict.hint} [${verdict.kind}]`
  const sends = 'prompt' in verdict && verdict.prompt !== undefined ? `, sends "${verdict.prompt}"` : ''
  return `${line}${sends}${verdict.notes.map((note) => `; ${note}`).join('')}`
}

interface Situation {
  readonly wish?: Partial<RunIntent>
  readonly state?: TaskState
  readonly facts?: Partial<Facts>
}

const situations: Record<string, [Situation, string]> = {
  'the first start': [{}, 'cold (no session yet), sends "fix it"'],
  'the first start, nothing to send': [{ wish: { prompt: undefined } }, 'cold (no session yet)'],
  'the first start, headless, nothing to send': [
    { wish: { prompt: undefined, way: 'headless' } },
    'refused (there is nothing to send, and without a terminal nobody can type) -> ion run robot "what to do" [usage]',
  ],
  'Ion was killed before the agent was started': [
    { state: stateOf(run({ program: undefined })), facts: { pendingPrompt: due({ program: undefined }) } },
    'cold (Ion was ended before a session was stored, so the prompt is still due), sends "fix it"',
  ],
  'the agent was killed before it stored anything': [
    { state: stateOf(run()), facts: { pendingPrompt: due() } },
    'cold (it was killed before a session was stored, so the prompt is still due), sends "fix it"',
  ],
  'the same, and no prompt is given this time': [
    { wish: { prompt: undefined }, state: stateOf(run()), facts: { pendingPrompt: due() } },
    'cold (it was killed before a session was stored, so the prompt is still due), sends "fix it"',
  ],
  'the same, and another prompt is given': [
    { wish: { prompt: 'paint it' }, state: stateOf(run()), facts: { pendingPrompt: due() } },
    'cold (it was killed before a session was stored, so the prompt is still due), sends "paint it"; the earlier prompt never arrived; the new one is sent in its place',
  ],
  'the machine went down before it stored anything': [
    { facts: { pendingPrompt: due({ process: { pid: 1, start: '1', boot: 'another' } }) } },
    'cold (the machine went down before a session was stored, so the prompt is still due), sends "fix it"',
  ],
  'the agent failed before it stored anything': [
    { facts: { pendingPrompt: due({ exit: { code: 3, signal: null } }) } },
    'cold (the agent ended with exit code 3 before a session was stored, so the prompt is still due), sends "fix it"',
  ],
  'a session without its prompt': [
    { state: stateOf(run({ captured: true })), facts: { session, pendingPrompt: due() } },
    'warm (session 3f2a0000, it was killed before the prompt arrived), sends "fix it"',
  ],
  'a session with its prompt': [
    { state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000, prompt delivered 2026-11-15 14:02)',
  ],
  'the same from another folder': [
    { wish: { cwd: '/home/dev/shop/src' }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000, prompt delivered 2026-11-15 14:02); runs in /home/dev/shop, where the session is at home',
  ],
  'the same, headless': [
    { wish: { way: 'headless' }, state: stateOf(seen), facts: { session } },
    'none (session 3f2a0000, prompt delivered 2026-11-15 14:02, nothing to send)',
  ],
  'the same in the background': [
    { wish: { way: 'detached' }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000, prompt delivered 2026-11-15 14:02)',
  ],
  'another prompt is not sent silently': [
    { wish: { prompt: 'paint it' }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000, prompt delivered 2026-11-15 14:02); the new prompt was not sent: this task has a session already (ion run robot --send "…" sends it there, --new starts another)',
  ],
  'another prompt is sent with --send': [
    { wish: { prompt: 'paint it', send: true }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000, one more prompt), sends "paint it"',
  ],
  'the same prompt is sent again only with --send': [
    { wish: { send: true }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000, one more prompt), sends "fix it"',
  ],
  '--send while another prompt is due': [
    {
      wish: { prompt: 'paint it', send: true },
      state: stateOf(run({ captured: true })),
      facts: { session, pendingPrompt: due() },
    },
    'refused (a prompt before this one has not arrived yet) -> ion run robot sends it; then give this one again [refused]',
  ],
  '--new': [
    { wish: { isNew: true }, state: stateOf(seen), facts: { session } },
    'cold (a new session was asked for), sends "fix it"',
  ],
  'a session that is gone is not sent its prompt again': [
    { state: stateOf(seen), facts: { missingSession: '3f2a0000-0000-4000-8000-000000000000' } },
    'refused (session 3f2a0000 is gone from the store of Robot; its prompt was delivered 2026-11-15 14:02 and is not sent twice by itself) -> ion run robot --new "…" starts the task again in a new session [refused]',
  ],
  'a session that is gone before its prompt arrived': [
    {
      state: stateOf(run({ captured: true })),
      facts: { missingSession: '3f2a0000-0000-4000-8000-000000000000', pendingPrompt: due() },
    },
    'cold (session 3f2a0000 is gone from the store of Robot, and no prompt had arrived), sends "fix it"',
  ],
  'a session that cannot be resumed': [
    { state: stateOf(seen), facts: { session: { ...session, head: { ...session.head, resumable: false } } } },
    'refused (Robot cannot resume session 3f2a0000: only by day) -> ion show 3f2a0000-0000-4000-8000-000000000000; ion run robot --new starts another [refused]',
  ],
  'a session that cannot be resumed because its first lines were cut off': [
    {
      state: stateOf(run({ captured: true })),
      facts: { session: { ...session, head: { ...session.head, resumable: false } }, pendingPrompt: due() },
    },
    'cold (session 3f2a0000 is not whole: it was killed before the prompt arrived), sends "fix it"',
  ],
  'a session that cannot be resumed although something had arrived': [
    {
      state: stateOf(seen, run({ decision: 'warm' })),
      facts: { session: { ...session, head: { ...session.head, resumable: false } }, pendingPrompt: due() },
    },
    'refused (Robot cannot resume session 3f2a0000: only by day) -> ion show 3f2a0000-0000-4000-8000-000000000000; ion run robot --new starts another [refused]',
  ],
  'the agent of an earlier run still lives': [
    { state: stateOf(run()), facts: { running: { process: { pid: 77, start: '1', boot: 'b' }, run: run() } } },
    'refused (Robot is still running on this task (pid 77)) -> wait for it, or end it: kill 77; ion run robot --steal ends it and takes over [refused]',
  ],
  'the session is open elsewhere': [
    { state: stateOf(seen), facts: { session, openIn: 88 } },
    'refused (session 3f2a0000 is open in another Robot (pid 88)) -> close it there; ion run robot --steal opens it twice [refused]',
  ],
  'the same, stolen': [
    { wish: { steal: true }, state: stateOf(seen), facts: { session, openIn: 88 } },
    'warm (session 3f2a0000, prompt delivered 2026-11-15 14:02); session 3f2a0000 is open in another Robot, too (pid 88), which Ion did not start and which goes on',
  ],
  'stolen from an earlier run': [
    {
      wish: { steal: true },
      state: stateOf(seen),
      facts: { session, openIn: 77, running: { process: { pid: 77, start: '1', boot: 'b' }, run: run() } },
    },
    'warm (session 3f2a0000, prompt delivered 2026-11-15 14:02); Robot is running on this task (pid 77), and is ended first',
  ],
  'a store that cannot be read': [
    { state: stateOf(seen), facts: { unreadable: '/store: EACCES' } },
    'refused (cannot tell what Robot has stored: /store: EACCES) -> mend that, and try again [failed]',
  ],
  'a session that was adopted': [{ wish: { prompt: undefined }, facts: { session } }, 'warm (session 3f2a0000)'],
}

describe('every situation has one answer', () => {
  test.each(Object.entries(situations))('%s', (_name, [{ wish: change, state = stateOf(), facts }, expected]) => {
    expect(told(decide({ ...wish, ...change }, state, { ...noFacts, ...facts }))).toBe(expected)
  })
})
