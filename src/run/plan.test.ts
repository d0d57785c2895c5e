import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../agents/agent.ts'
import type { AgentCommand, Start, StartRequest } from '../agents/start.ts'
import { compareVersions } from '../platform/compare-versions.ts'
import type { Io } from '../platform/io.ts'
import { agentapiArgv } from './agentapi.ts'
import { type ComposedPlan, composePlan, planLine } from './plan.ts'

const io: Io = {
  env: { PATH: '/usr/bin', AGENTAPI_STATE_FILE: '/outer', AMP_THREAD: 'x' },
  home: '/home/dev',
  cwd: '/home/dev/shop',
  platform: 'linux',
  now: () => new Date(0),
}

const command = ({ session, prompt }: StartRequest): AgentCommand => ({
  args: ['--id', session, ...(prompt ? ['--', prompt.argument] : [])],
  env: { ROBOT: '1', AMP_THREAD: undefined, NEVER_SET: undefined },
})

function composed(start: Partial<Start>, agentapi: boolean, prompt: string | undefined = 'fix it'): ComposedPlan {
  const agent = {
    id: 'robot',
    title: 'Robot',
    agentapiType: 'custom',
    start: { oldest: '1.0', newest: '2.0', sessionId: 'assigned', cold: command, warm: command, ...start },
  } as unknown as Agent
  return composePlan(
    { decision: 'cold', reason: 'no session yet', cwd: '/home/dev/shop', prompt, notes: [] },
    {
      agent,
      task: { name: 'main', project: '/home/dev/shop', folder: '/ion/t' },
      mode: 'terminal',
      program: { path: '/usr/bin/robot', version: '2.0' },
      args: [],
      io,
      agentapi: agentapi
        ? {
            program: '/usr/bin/agentapi',
            stateFile: '/ion/t/state',
            pidFile: '/ion/t/pid',
            persist: true,
            port: undefined,
          }
        : undefined,
      dialogs: [],
      fresh: () => 'id-1',
    },
  )
}

const server = [
  '/usr/bin/agentapi',
  'server',
  '--type',
  'custom',
  '--state-file',
  '/ion/t/state',
  '--pid-file',
  '/ion/t/pid',
  '--',
]

test('a plan has every detail of a start', () => {
  const { plan } = composed({}, false)
  expect(plan).toEqual({
    agent: 'robot',
    task: 'main',
    project: '/home/dev/shop',
    run: 'id-1',
    decision: 'cold',
    reason: 'no session yet',
    way: 'terminal',
    argv: ['/usr/bin/robot', '--id', 'id-1', '--', 'fix it'],
    cwd: '/home/dev/shop',
    env: { added: { ION_RUN: 'id-1', ROBOT: '1' }, removed: ['AMP_THREAD'] },
    stdin: 'terminal',
    output: 'plain',
    files: [],
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    native_id: 'id-1',
    prompt: {
      action: 'send',
      hash: createHash('sha256').update('fix it').digest('hex'),
      length: 6,
      file: expect.stringMatching(/^\/ion\/t\/prompts\/[0-9a-f]{16}\.txt$/),
    },
    dialogs: [],
    notes: [],
  })
  expect(planLine(plan)).toBe('starting a new session')
})

describe('under agentapi', () => {
  test('the agent gets the prompt directly, and the files of another agentapi are not passed on', () => {
    const { plan, isTyped } = composed({}, true)
    expect([plan.argv, plan.stdin, plan.env.removed, isTyped]).toEqual([
      [...server, '/usr/bin/robot', '--id', 'id-1', '--', 'fix it'],
      'nothing',
      ['AGENTAPI_STATE_FILE', 'AMP_THREAD'],
      false,
    ])
  })

  test.each([
    ['ends after its prompt', { endsAfterPrompt: true }],
    [
      'reads it from stdin',
      {
        cold: (request: StartRequest): AgentCommand => ({
          ...command(request),
          ...(request.prompt ? { stdin: 'prompt' } : {}),
        }),
      },
    ],
  ] as [string, Partial<Start>][])('for an agent that %s, agentapi types the prompt', (_name, start) => {
    const { plan, isTyped } = composed(start, true)
    expect([plan.argv, plan.stdin, isTyped]).toEqual([[...server, '/usr/bin/robot', '--id', 'id-1'], 'prompt', true])
  })

  test('without a state file, on another port', () => {
    const agentapi = { program: 'agentapi', stateFile: 's', pidFile: 'p', persist: false, port: '4000' }
    expect(agentapiArgv(agentapi, 'amazonq', ['q', 'chat'])).toEqual([
      'agentapi',
      'server',
      '--type',
      'amazonq',
      '--pid-file',
      'p',
      '--port',
      '4000',
      '--',
      'q',
      'chat',
    ])
  })
})

test.each([
  ['1.10.0', '1.9.9', 1],
  ['0.0.1768018268-gcd18ba', '0.0.1790142911', -1],
  ['2.1', '2.1.0', 0],
])('%s against %s is %i', (a, b, sign) => {
  expect(compareVersions(a, b)).toBe(sign)
})
