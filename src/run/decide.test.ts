import { describe, expect, test } from 'vitest'
import type { Agent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import { type Decision, decide, type RunIntent } from './decide.ts'
import type { Facts } from './facts.ts'
import { promptIdentity } from './prompt.ts'
import type { LocatedSession } from './session-lookup.ts'
import { arrivals, lastArrival, type RunState, type TaskState } from './task-state.ts'

const agent = { id: 'robot', title: 'Robot', resume: { note: 'only by day' } } as unknown as Agent
const intent: RunIntent = {
  agent,
  command: 'ion run robot',
  cwd: '/home/dev/shop',
  mode: 'terminal',
  prompt: 'fix it',
  send: false,
  isNew: false,
  steal: false,
  onOtherPrompt: 'refuse',
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
  unstoredPrompt: undefined,
  running: undefined,
  openIn: undefined,
  unreadable: undefined,
  promptArrivedAt: undefined,
  promptArrivedIn: undefined,
  candidates: [],
  foundPrompts: [],
  bootId: 'this boot',
  news: [],
}
const at = '2026-11-15 14:02'
const run = (change: Partial<RunState> = {}): RunState => ({
  run: 'r1',
  decision: 'cold',
  mode: 'terminal',
  cwd: '/home/dev/shop',
  plannedAt: at,
  session: 's',
  prompt: { ...promptIdentity('fix it'), state: 'handed over', at },
  program: 'robot',
  process: { pid: 77, start: '1', boot: 'this boot' },
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
const pending = (change: Partial<RunState> = {}): Facts['pendingPrompt'] => ({ run: run(change), text: 'fix it' })

const unstored: Facts['unstoredPrompt'] = { text: 'fix it', reason: 'the disk is full' }

/** As gatherFacts does, with the times of this test. */
const arrivalIn = (state: TaskState): string | undefined => lastArrival(state)?.at
const whereArrived = (state: TaskState, prompt: string | undefined): Facts['promptArrivedIn'] =>
  prompt !== undefined && arrivals(state.runs).some(({ hash }) => hash === promptIdentity(prompt).hash)
    ? 'session'
    : undefined

/** What the user sees, and what is sent. */
function summary(decided: Decision): string {
  const line = `${decided.decision} (${decided.reason})`
  if (decided.decision === 'refused') return `${line} -> ${decided.hint} [${decided.kind}]`
  const sends = 'prompt' in decided && decided.prompt !== undefined ? `, sends "${decided.prompt}"` : ''
  return `${line}${sends}${decided.notes.map((note) => `; ${note}`).join('')}`
}

interface Situation {
  readonly intent?: Partial<RunIntent>
  readonly state?: TaskState
  readonly facts?: Partial<Facts>
}

const situations: Record<string, [Situation, string]> = {
  'the first start': [{}, 'cold (no session yet), sends "fix it"'],
  'the first start, nothing to send': [{ intent: { prompt: undefined } }, 'cold (no session yet)'],
  'the first start, headless, nothing to send': [
    { intent: { prompt: undefined, mode: 'headless' } },
    'refused (there is nothing to send, and without a terminal nobody can type) -> ion run robot "what to do" [usage]',
  ],
  'Ion was killed before the agent was started': [
    { state: stateOf(run({ program: undefined })), facts: { pendingPrompt: pending({ program: undefined }) } },
    'cold (Ion was stopped before a session was stored, so the prompt is still pending), sends "fix it"',
  ],
  'the agent was killed before it stored anything': [
    { state: stateOf(run()), facts: { pendingPrompt: pending() } },
    'cold (the agent was killed before a session was stored, so the prompt is still pending), sends "fix it"',
  ],
  'the same, and no prompt is given this time': [
    { intent: { prompt: undefined }, state: stateOf(run()), facts: { pendingPrompt: pending() } },
    'cold (the agent was killed before a session was stored, so the prompt is still pending), sends "fix it"',
  ],
  'the same, and another prompt is given': [
    { intent: { prompt: 'paint it' }, state: stateOf(run()), facts: { pendingPrompt: pending() } },
    'cold (the agent was killed before a session was stored, so the prompt is still pending), sends "paint it"; the earlier prompt never arrived; sending the new one instead',
  ],
  'the machine went down before it stored anything': [
    { facts: { pendingPrompt: pending({ process: { pid: 1, start: '1', boot: 'another' } }) } },
    'cold (the machine went down before a session was stored, so the prompt is still pending), sends "fix it"',
  ],
  'the agent failed before it stored anything': [
    { facts: { pendingPrompt: pending({ exit: { code: 3, signal: null } }) } },
    'cold (the agent ended with exit code 3 before a session was stored, so the prompt is still pending), sends "fix it"',
  ],
  'a session without its prompt': [
    { state: stateOf(run({ captured: true })), facts: { session, pendingPrompt: pending() } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, sending your prompt (the agent was killed before it arrived)), sends "fix it"',
  ],
  'a session with its prompt': [
    { state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02)',
  ],
  'the same from another folder': [
    { intent: { cwd: '/home/dev/shop/src' }, state: stateOf(seen), facts: { session } },
    "warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); runs in /home/dev/shop, the session's own folder",
  ],
  'the same, headless': [
    { intent: { mode: 'headless' }, state: stateOf(seen), facts: { session } },
    'none (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02, nothing to send)',
  ],
  'the same in the background': [
    { intent: { mode: 'detached' }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02)',
  ],
  'another prompt is not answered with an old answer': [
    { intent: { prompt: 'paint it', mode: 'headless' }, state: stateOf(seen), facts: { session } },
    'refused (this task already has a session (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02), and this is another prompt) -> ion run robot --headless --send "…" sends it to that session; --new starts a new session; --task <name> makes it a separate task [refused]',
  ],
  'another prompt in the background': [
    { intent: { prompt: 'paint it', mode: 'detached' }, state: stateOf(seen), facts: { session } },
    'refused (this task already has a session (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02), and this is another prompt) -> ion run robot --detach --send "…" sends it to that session; --new starts a new session; --task <name> makes it a separate task [refused]',
  ],
  'another prompt in a terminal': [
    { intent: { prompt: 'paint it' }, state: stateOf(seen), facts: { session } },
    'refused (this task already has a session (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02), and this is another prompt) -> ion run robot --send "…" sends it to that session; --new starts a new session; --task <name> makes it a separate task [refused]',
  ],
  'another prompt at the start of a workspace': [
    {
      intent: { prompt: 'paint it', mode: 'detached', onOtherPrompt: 'resume' },
      state: stateOf(seen),
      facts: { session },
    },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); the new prompt was not sent: this task already has a session (ion run robot --send "…" sends it there, --new starts another)',
  ],
  'a prompt of an earlier session, in the background': [
    {
      intent: { prompt: 'paint it', mode: 'detached' },
      state: stateOf(seen),
      facts: { session, promptArrivedIn: 'earlier session' },
    },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); this prompt went to an earlier session of the task and is not sent again',
  ],
  'a prompt of an earlier session, headless': [
    {
      intent: { prompt: 'paint it', mode: 'headless' },
      state: stateOf(seen),
      facts: { session, promptArrivedIn: 'earlier session' },
    },
    'refused (this task already has a session (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02), and this is another prompt) -> ion run robot --headless --send "…" sends it to that session; --new starts a new session; --task <name> makes it a separate task [refused]',
  ],
  'a prompt that was replaced before it arrived is another one': [
    {
      intent: { mode: 'headless' },
      state: stateOf(
        run({ captured: true }),
        run({ decision: 'warm', prompt: { ...promptIdentity('paint it'), state: 'seen', at } }),
      ),
      facts: { session },
    },
    'refused (this task already has a session (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02), and this is another prompt) -> ion run robot --headless --send "…" sends it to that session; --new starts a new session; --task <name> makes it a separate task [refused]',
  ],
  'another prompt while the first is pending replaces it': [
    {
      intent: { prompt: 'paint it', mode: 'headless' },
      state: stateOf(run({ captured: true })),
      facts: { session, pendingPrompt: pending() },
    },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, sending your prompt (the agent was killed before it arrived)), sends "paint it"; the earlier prompt never arrived; sending the new one instead',
  ],
  'another prompt while a later one is pending': [
    {
      intent: { prompt: 'paint it', mode: 'headless' },
      state: stateOf(seen, run({ decision: 'warm' })),
      facts: { session, pendingPrompt: pending({ decision: 'warm' }) },
    },
    'refused (the previous prompt has not arrived yet in session 3f2a0000-0000-4000-8000-000000000000, and this is another one) -> ion run robot --headless sends the previous one first; --new starts a new session with this one [refused]',
  ],
  'the first prompt again while a later one is pending, in the background': [
    {
      intent: { mode: 'detached' },
      state: stateOf(seen, run({ decision: 'warm', prompt: { ...promptIdentity('next'), state: 'handed over', at } })),
      facts: { session, pendingPrompt: { ...pending({ decision: 'warm' })!, text: 'next' } },
    },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, sending your prompt (the agent was killed before it arrived)), sends "next"',
  ],
  'the pending prompt with trailing white space, as an older version stored it': [
    {
      state: stateOf(run({ captured: true })),
      facts: { session, pendingPrompt: { ...pending()!, text: 'fix it\n' } },
    },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, sending your prompt (the agent was killed before it arrived)), sends "fix it\n"',
  ],
  'another prompt is sent with --send': [
    { intent: { prompt: 'paint it', send: true }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, sending your prompt), sends "paint it"',
  ],
  'the same prompt is sent again only with --send': [
    { intent: { send: true }, state: stateOf(seen), facts: { session } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, sending your prompt), sends "fix it"',
  ],
  '--send while another prompt is pending': [
    {
      intent: { prompt: 'paint it', send: true },
      state: stateOf(run({ captured: true })),
      facts: { session, pendingPrompt: pending() },
    },
    'refused (the previous prompt has not arrived yet) -> ion run robot sends it; then give this one again [refused]',
  ],
  '--new': [
    { intent: { isNew: true }, state: stateOf(seen), facts: { session } },
    'cold (a new session was requested), sends "fix it"',
  ],
  'a missing session: its prompt is not sent again': [
    { state: stateOf(seen), facts: { missingSession: '3f2a0000-0000-4000-8000-000000000000' } },
    'refused (session 3f2a0000-0000-4000-8000-000000000000 is gone from the store of Robot; its prompt was delivered 2026-11-15 14:02 and is not sent again automatically) -> ion run robot --new "…" starts the task again in a new session [refused]',
  ],
  'a session that went missing before its prompt arrived': [
    {
      state: stateOf(run({ captured: true })),
      facts: { missingSession: '3f2a0000-0000-4000-8000-000000000000', pendingPrompt: pending() },
    },
    'cold (session 3f2a0000-0000-4000-8000-000000000000 is gone from the store of Robot, and no prompt had arrived), sends "fix it"',
  ],
  'a session that cannot be resumed': [
    { state: stateOf(seen), facts: { session: { ...session, head: { ...session.head, resumable: false } } } },
    'refused (Robot cannot resume session 3f2a0000-0000-4000-8000-000000000000: only by day) -> ion show 3f2a0000-0000-4000-8000-000000000000; ion run robot --new starts another [refused]',
  ],
  'a session that cannot be resumed because its first lines were cut off': [
    {
      state: stateOf(run({ captured: true })),
      facts: { session: { ...session, head: { ...session.head, resumable: false } }, pendingPrompt: pending() },
    },
    'cold (session 3f2a0000-0000-4000-8000-000000000000 is incomplete: the agent was killed before the prompt arrived), sends "fix it"',
  ],
  'a session that cannot be resumed although something had arrived': [
    {
      state: stateOf(seen, run({ decision: 'warm' })),
      facts: { session: { ...session, head: { ...session.head, resumable: false } }, pendingPrompt: pending() },
    },
    'refused (Robot cannot resume session 3f2a0000-0000-4000-8000-000000000000: only by day) -> ion show 3f2a0000-0000-4000-8000-000000000000; ion run robot --new starts another [refused]',
  ],
  'the agent of an earlier run still lives': [
    { state: stateOf(run()), facts: { running: { process: { pid: 77, start: '1', boot: 'b' }, run: run() } } },
    'refused (Robot is still running on this task (pid 77)) -> wait for it, or stop it: kill 77; ion run robot --steal stops it and takes over [refused]',
  ],
  'the session is open in another process': [
    { state: stateOf(seen), facts: { session, openIn: 88 } },
    'refused (session 3f2a0000-0000-4000-8000-000000000000 is open in another Robot (pid 88)) -> close it there; ion run robot --steal opens it twice [refused]',
  ],
  'the same, stolen': [
    { intent: { steal: true }, state: stateOf(seen), facts: { session, openIn: 88 } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); session 3f2a0000-0000-4000-8000-000000000000 is also open in another Robot (pid 88), which Ion did not start and does not stop',
  ],
  'stolen from an earlier run': [
    {
      intent: { steal: true },
      state: stateOf(seen),
      facts: { session, openIn: 77, running: { process: { pid: 77, start: '1', boot: 'b' }, run: run() } },
    },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); Robot is running on this task (pid 77) and is stopped first',
  ],
  'a store that cannot be read': [
    { state: stateOf(seen), facts: { unreadable: '/store: EACCES' } },
    'refused (cannot read the sessions of Robot: /store: EACCES) -> fix that and try again [failed]',
  ],
  'an emptied ledger, and a session that was found all the same': [
    {
      state: { ...stateOf(seen), damage: { what: 'is empty', isRecent: true }, isRecovered: true },
      facts: { session },
    },
    "warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); the task's ledger is empty; its session was found",
  ],
  'an emptied ledger, and no session': [
    { state: { ...stateOf(), damage: { what: 'is empty', isRecent: true } } },
    'cold (no session yet), sends "fix it"; the task\'s ledger is empty; no session of the task was found',
  ],
  'a bad line that was reported when it was the last one': [
    { state: { ...stateOf(seen), damage: { what: 'has 1 unreadable line', isRecent: false } }, facts: { session } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02)',
  ],
  'several sessions may be the lost one': [
    { intent: { mode: 'headless' }, facts: { candidates: [session, session] } },
    'refused (the task\'s ledger has lost its entries, and 2 sessions may be its session: 3f2a0000-0000-4000-8000-000000000000, 3f2a0000-0000-4000-8000-000000000000) -> ion --resume <id> resumes one of them; ion run robot --headless --new "…" starts a new one [refused]',
  ],
  'a prompt that was answered and not stored is not sent again': [
    { facts: { unstoredPrompt: unstored } },
    'refused (Robot answered the last prompt but stored nothing (the disk is full); it is not sent again automatically) -> fix that; ion run robot --new "…" sends it again in a new session [refused]',
  ],
  'the same, although its session was reported': [
    { facts: { missingSession: 'x', unstoredPrompt: unstored } },
    'refused (Robot answered the last prompt but stored nothing (the disk is full); it is not sent again automatically) -> fix that; ion run robot --new "…" sends it again in a new session [refused]',
  ],
  'the same, although it left an empty session': [
    { facts: { session: { ...session, head: { ...session.head, resumable: false } }, unstoredPrompt: unstored } },
    'refused (Robot answered the last prompt but stored nothing (the disk is full); it is not sent again automatically) -> fix that; ion run robot --new "…" sends it again in a new session [refused]',
  ],
  'the same, and another prompt': [
    { intent: { prompt: 'paint it' }, facts: { unstoredPrompt: unstored } },
    'cold (Robot answered the last prompt but stored nothing (the disk is full)), sends "paint it"',
  ],
  'the same, sent again on request': [
    { intent: { send: true }, facts: { unstoredPrompt: unstored } },
    'cold (Robot answered the last prompt but stored nothing (the disk is full)), sends "fix it"',
  ],
  'the same at the start of a workspace: the agent is opened, and nothing is sent': [
    { intent: { mode: 'detached', onOtherPrompt: 'resume' }, facts: { unstoredPrompt: unstored } },
    'cold (Robot answered the last prompt but stored nothing (the disk is full)); that prompt is not sent again automatically',
  ],
  'a session without its last turn': [
    { intent: { prompt: 'fix it', mode: 'headless' }, facts: { session, unstoredPrompt: unstored } },
    'refused (Robot answered the last prompt but stored nothing (the disk is full); session 3f2a0000-0000-4000-8000-000000000000 does not have it, and it is not sent again automatically) -> fix that; ion run robot --headless --send "…" sends it again; --new sends it in a new session [refused]',
  ],
  'a session without its last turn, resumed': [
    { intent: { prompt: undefined }, state: stateOf(seen), facts: { session, unstoredPrompt: unstored } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000, prompt delivered 2026-11-15 14:02); Robot answered the last prompt but stored nothing (the disk is full)',
  ],
  'a session without its last turn, at the start of a workspace': [
    { intent: { mode: 'detached', onOtherPrompt: 'resume' }, facts: { session, unstoredPrompt: unstored } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000); Robot answered the last prompt but stored nothing (the disk is full)',
  ],
  'a session that was adopted': [
    { intent: { prompt: undefined }, facts: { session } },
    'warm (session 3f2a0000-0000-4000-8000-000000000000)',
  ],
}

describe('every situation has one answer', () => {
  test.each(Object.entries(situations))('%s', (_name, [{ intent: change, state = stateOf(), facts }, expected]) => {
    const given = { ...intent, ...change }
    const known = { promptArrivedAt: arrivalIn(state), promptArrivedIn: whereArrived(state, given.prompt) }
    expect(summary(decide(given, state, { ...noFacts, ...known, ...facts }))).toBe(expected)
  })
})
