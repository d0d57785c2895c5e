import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyTree, scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import archiveAgent from '../../agents/ion/index.ts'
import type { IonEvent } from '../../events/event.ts'
import { isEvent } from '../../events/item.ts'
import { parseEvent } from '../../events/log-line.ts'
import { contentText } from '../../events/text.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { Archive } from '../archive.ts'
import { checkImportFile } from '../import-file.ts'
import { archivedHead } from '../import-log.ts'
import { parseTrajectory } from './document.ts'
import { agentId, trajectoryLog } from './events.ts'
import { importTrajectory } from './import.ts'

const fixtures = fileURLToPath(new URL('fixtures/handmade', import.meta.url))

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(join(fixtures, `${name}.atif.json`), 'utf8'))
}

function eventsOf(value: unknown): readonly IonEvent[] {
  return trajectoryLog(parseTrajectory(value), { cwd: null }).events
}

/** Without what every event has. */
function gist(event: IonEvent): unknown {
  const { seq: _seq, parent_id: _parent, timestamp: _time, timestamp_guessed: _guessed, ...rest } = event
  return rest
}

describe('a document with every kind of step', () => {
  const document = fixture('every-kind-1.7')

  test('becomes events that the schema accepts', () => {
    for (const event of eventsOf(document)) expect(parseEvent(structuredClone(event), 1)).toEqual(event)
  })

  test('keeps texts, calls with their results, reasoning, images and tokens', () => {
    const [start, ...events] = eventsOf(document)
    expect(start).toMatchObject({
      timestamp: '2026-11-15T18:00:00.000Z',
      agent: 'openhands',
      native_id: 'atif-run-2026-11-15/main',
      title: 'Customers get their refund twice. This is what they see:',
      model: 'gpt-5.6',
      source: { agent_version: '0.60.0', format: 'atif-v1.7' },
    })
    const image = { type: 'image', media_type: 'image/png', url: 'images/receipt.png' }
    const shot = { type: 'image', media_type: 'image/png', url: 'https://example.com/shot.png' }
    expect(events.filter(({ type }) => type !== 'system').map(gist)).toEqual([
      {
        type: 'user',
        id: 's2',
        content: [{ type: 'text', text: 'Customers get their refund twice. This is what they see:' }, image],
      },
      {
        type: 'thinking',
        id: 's3',
        content: 'Two places may send it.',
        model: 'gpt-5.6-mini',
        token_usage: { input: 150, output: 80, cache_read: 1000, cache_write: 50, reasoning: 30 },
      },
      { type: 'assistant', id: 's3.1', content: [{ type: 'text', text: 'I look at both places.' }] },
      { type: 'tool_use', id: 'call_a', name: 'bash', input: { command: 'grep -rn refund src' } },
      { type: 'tool_use', id: 'call_b', name: 'read_file', input: { path: 'src/refund.ts' } },
      {
        type: 'tool_result',
        id: 's3.4',
        tool_use_id: 'call_b',
        content: 'export function refund() {}',
        is_error: false,
      },
      {
        type: 'tool_result',
        id: 's3.5',
        tool_use_id: 'call_a',
        content: 'src/refund.ts:1: refund 💶',
        is_error: false,
      },
      // The id is used a second time.
      { type: 'tool_use', id: 'call_a~2', name: 'delegate', input: { task: 'write a test' }, model: 'gpt-5.6' },
      { type: 'tool_result', id: 's4.1', tool_use_id: 'call_a~2', content: '', is_error: false },
      // One result for two calls.
      { type: 'assistant', id: 's5', content: [{ type: 'text', text: 'Both run now.' }], model: 'gpt-5.6' },
      { type: 'tool_use', id: 't1', name: 'keystrokes', input: { keys: 'npm test\n' } },
      { type: 'tool_use', id: 't2', name: 'keystrokes', input: { keys: 'git status\n' } },
      { type: 'tool_result', id: 's5.3', tool_use_id: 't1', content: '', is_error: false },
      {
        type: 'tool_result',
        id: 's5.4',
        tool_use_id: 't2',
        content: '2 passed\nnothing to commit',
        is_error: false,
      },
      // An action without a call.
      {
        type: 'assistant',
        id: 's6',
        content: [{ type: 'text', text: '```bash\ncat CHANGELOG.md\n```' }],
        model: 'gpt-5.6',
      },
      { type: 'tool_use', id: 's6.1', name: 'action', input: {} },
      {
        type: 'tool_result',
        id: 's6.2',
        tool_use_id: 's6.1',
        content: [{ type: 'text', text: '# Changes' }, shot],
        is_error: false,
      },
      { type: 'compaction', id: 's7', summary: 'Summarised the context.', replaces: [] },
      { type: 'user', id: 's8', content: 'Summary: the refund was sent by two jobs.' },
      // Its tokens were counted in the document that it was copied from.
      { type: 'assistant', id: 's9', content: [{ type: 'text', text: 'It is fixed.' }], model: 'gpt-5.6' },
    ])
  })

  test('keeps what events have no field for', () => {
    const system = eventsOf(document).filter((event) => event.type === 'system')
    expect(system.map(({ id, subtype, content }) => [id.replace(/-\w{16}$/, ''), subtype, content])).toEqual([
      ['s1', 'system_prompt', 'You are a careful engineer.'],
      [
        's3:more',
        'atif_step',
        {
          reasoning_effort: 'high',
          llm_call_count: 1,
          metrics: {
            cost_usd: 0.0021,
            logprobs: [-0.1],
            extra: { cache_creation_input_tokens: 50, reasoning_tokens: 30 },
          },
          tool_call_extra: { 1: { timeout: 30 } },
          result_extra: { 1: { is_error: false, took_ms: 12 } },
        },
      ],
      [
        's4:more',
        'atif_step',
        {
          subagent_trajectory_ref: {
            0: [
              { trajectory_id: 'tester' },
              { trajectory_path: 'other/trajectory.json', session_id: 'run-2026-11-15' },
            ],
          },
        },
      ],
      ['s7.1', 'observation', '41 messages'],
      ['s7:more', 'atif_step', { extra: { context_management: { type: 'compaction', boundary: 'replace' } } }],
      ['s8:more', 'atif_step', { is_copied_context: true }],
      ['s9:more', 'atif_step', { is_copied_context: true, metrics: { prompt_tokens: 10, completion_tokens: 5 } }],
      ['document', 'atif_document', expect.objectContaining({ notes: 'One run.', extra: { task: 'refunds' } })],
    ])
  })
})

test('what the format does not define becomes native events, and audio a file', () => {
  const events = eventsOf(fixture('unknown-fields-1.9'))
  expect(events[0]).toMatchObject({
    agent: 'claude',
    // Not the id of the agent's own session.
    native_id: 'atif-3f2a0c1e-0000-4000-8000-00000000a71f',
    session_id: expect.not.stringContaining('3f2a0c1e'),
    timestamp_guessed: true,
  })
  expect(events.filter(({ type }) => type === 'native').map(gist)).toEqual([
    {
      type: 'native',
      id: 's1:unknown',
      record: {
        step_id: 1,
        'steps[0].message[1].source.duration_sec': 1.5,
        'steps[0].message[2]': { type: 'video', source: { media_type: 'video/mp4', path: 'a.mp4' } },
      },
    },
    {
      type: 'native',
      id: 's2',
      record: { step_id: 2, source: 'environment', message: 'a kind of step that 1.7 does not have' },
    },
    {
      type: 'native',
      id: 's3:unknown',
      record: { step_id: 3, 'steps[2].mood': 'calm', 'steps[2].tool_calls[0].approved': true },
    },
    { type: 'native', id: expect.stringMatching(/^unknown-/), record: { colour: 'blue', 'agent.licence': 'x' } },
  ])
  expect(events.find(({ type }) => type === 'user')).toMatchObject({
    content: [
      { type: 'text', text: 'What is said here?' },
      { type: 'file', path: 'say.wav', media_type: 'audio/wav' },
    ],
  })
  expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({ is_error: true })
})

const step = (more: object) => ({ step_id: 1, source: 'agent', message: '', ...more })
const call = { tool_call_id: 'c', function_name: 'f', arguments: {} }

test.each<[string, object, string]>([
  [
    'a version of another kind',
    { schema_version: 'ATIF-v2.0' },
    'schema_version: version 2.0 is not known; Ion knows version 1',
  ],
  ['no agent', { agent: undefined }, 'agent.name: missing, and must be a string'],
  ['no steps', { steps: [] }, 'steps: no steps'],
  ['steps that are not a list', { steps: {} }, 'steps: an object instead of a list'],
  ['a wrong number', { steps: [{ ...step({}), step_id: 2 }] }, 'steps[0].step_id: 2 instead of 1'],
  ['no message', { steps: [step({ message: null })] }, 'steps[0].message: null instead of a text or a list of parts'],
  [
    'a wrong time',
    { steps: [step({ timestamp: 'yesterday' })] },
    'steps[0].timestamp: "yesterday" is not an ISO 8601 time',
  ],
  [
    'a call of the user',
    { steps: [step({ source: 'user', tool_calls: [call] })] },
    'steps[0].tool_calls: only a step of the agent',
  ],
  [
    'arguments that are a text',
    { steps: [step({ tool_calls: [{ ...call, arguments: '{}' }] })] },
    'steps[0].tool_calls[0].arguments: a string instead of an object',
  ],
  [
    'a result of no call',
    { steps: [step({ tool_calls: [call], observation: { results: [{ source_call_id: 'd' }] } })] },
    'steps[0].observation.results[0].source_call_id: this step has no call "d"',
  ],
  [
    'an image without a source',
    { steps: [step({ message: [{ type: 'image' }] })] },
    'steps[0].message[0].source.media_type: missing, and must be a string',
  ],
  [
    'a sub-agent that is wrong inside',
    { subagent_trajectories: [{ ...document({}), trajectory_id: 't', steps: [{ step_id: 'one' }] }] },
    'subagent_trajectories[0].steps[0].step_id: "one" instead of 1',
  ],
  [
    'two sub-agents with one id',
    { subagent_trajectories: [1, 2].map(() => ({ ...document({}), trajectory_id: 't' })) },
    'subagent_trajectories[1].trajectory_id: a second sub-agent with the id "t"',
  ],
])('refuses %s, and says where', (_name, change, message) => {
  expect(() => parseTrajectory(document(change))).toThrow(message)
})

function document(change: object): object {
  const agent = { name: 'x', version: '1' }
  return { schema_version: 'ATIF-v1.7', session_id: 's', agent, steps: [step({ message: 'Hello' })], ...change }
}

test.each([
  ['Claude-Code', 'claude'],
  ['mini-SWE agent 2', 'mini-swe-agent-2'],
  ['../../etc', 'etc'],
  ['ion', 'atif'],
  ['…', 'atif'],
])('the agent %s is %s', (name, id) => {
  expect(agentId(name)).toBe(id)
})

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const calls = fc.uniqueArray(fc.record({ id: fc.string({ minLength: 1, maxLength: 6 }), name: text, output: text }), {
  maxLength: 4,
  selector: ({ id }) => id,
})
const anyStep = fc.oneof(
  fc.record({ source: fc.constantFrom('user', 'system'), message: text }),
  fc.record({ source: fc.constant('agent'), message: text, reasoning: fc.option(text), calls }),
)

test('any document: every text, and every call with its own result, in order', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 12 }), fc.boolean(), (steps, isLinked) => {
      const events = eventsOf(
        document({
          steps: steps.map((one, index) => ({
            step_id: index + 1,
            source: one.source,
            message: one.message,
            ...('calls' in one
              ? {
                  reasoning_content: one.reasoning,
                  tool_calls: one.calls.map(({ id, name }) => ({
                    tool_call_id: id,
                    function_name: name,
                    arguments: { name },
                  })),
                  observation: {
                    results: one.calls.map(({ id, output }) => ({
                      ...(isLinked ? { source_call_id: id } : {}),
                      content: output,
                    })),
                  },
                }
              : {}),
          })),
        }),
      )
      const wanted = steps.flatMap((one) => {
        if (!('calls' in one)) return [`${one.source} ${one.message}`]
        return [
          ...(one.reasoning ? [`thinking ${one.reasoning}`] : []),
          ...(one.message ? [`assistant ${one.message}`] : []),
          ...one.calls.map(({ name, output }) => `call ${name} ${output}`),
        ]
      })
      const results = new Map(
        events.flatMap((event) =>
          event.type === 'tool_result' ? [[event.tool_use_id, contentText(event.content)]] : [],
        ),
      )
      const found = events.flatMap((event) => {
        if (event.type === 'user' || event.type === 'assistant') return [`${event.type} ${contentText(event.content)}`]
        if (event.type === 'thinking') return [`thinking ${event.content}`]
        if (event.type === 'system' && event.subtype === 'system_prompt') return [`system ${event.content}`]
        return event.type === 'tool_use' ? [`call ${event.name} ${results.get(event.id)}`] : []
      })
      expect(found).toEqual(wanted)
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    }),
  )
})

describe('importing', () => {
  function world(): { io: Io; archive: Archive; folder: string } {
    const io = scratchIo()
    const archive = new Archive(io)
    onTestFinished(() => archive.close())
    const folder = scratchFolder()
    copyTree(fixtures, folder)
    return { io, archive, folder }
  }

  function imported(path: string, archive: Archive, io: Io) {
    const file = checkImportFile(path, io)
    if (file.kind !== 'trajectory') throw new Error(`a ${file.kind}`)
    return importTrajectory(file.trajectory, { path, cwd: '/home/dev/shop' }, archive)
  }

  function stored(id: string, io: Io): IonEvent[] {
    return [...archiveAgent.read(archivedHead(id, io)!, readContext(io))].filter(isEvent).map(({ event }) => event)
  }

  test('archives the document and its sub-agents; twice adds nothing', () => {
    const { io, archive, folder } = world()
    const path = join(folder, 'every-kind-1.7.atif.json')
    const first = imported(path, archive, io)
    const [tester] = first.subAgents
    const [deeper] = tester!.subAgents
    expect(first).toMatchObject({ unknown: 0, continuedIn: 'trajectory.cont-1.json' })
    expect(first.added).toBe(stored(first.start.session_id, io).length)
    expect(tester!.start).toMatchObject({ parent_session: first.start.session_id, spawned_by: 'call_a~2' })
    expect(deeper!.start).toMatchObject({ parent_session: tester!.start.session_id })
    const again = imported(path, archive, io)
    expect([again.added, again.subAgents[0]!.added, again.conflict]).toEqual([0, 0, undefined])
    expect(archivedHead(first.start.session_id, io)).toMatchObject({ agent: 'openhands', cwd: '/home/dev/shop' })
  })

  test('has the image that is beside the document', () => {
    const { io, archive, folder } = world()
    const { start } = imported(join(folder, 'every-kind-1.7.atif.json'), archive, io)
    const data = readFileSync(join(fixtures, 'images/receipt.png')).toString('base64')
    expect(stored(start.session_id, io)[2]).toMatchObject({ content: [{}, { type: 'image', data }] })
  })

  test('adds what a longer document of the same run has, without branches', () => {
    const { io, archive, folder } = world()
    const value = fixture('every-kind-1.7') as { steps: object[] }
    const shorter = join(folder, 'shorter.json')
    writeFileSync(shorter, JSON.stringify({ ...value, steps: value.steps.slice(0, 5), notes: 'running' }))
    const before = imported(shorter, archive, io)
    const after = imported(join(folder, 'every-kind-1.7.atif.json'), archive, io)
    expect(after.start.session_id).toBe(before.start.session_id)
    expect(after.conflict).toBeUndefined()
    const all = stored(after.start.session_id, io)
    expect(all.filter(({ type }) => type === 'assistant')).toHaveLength(4)
    expect(all).toHaveLength(before.added + after.added)
  })

  test('reads no other file of the machine as an image', () => {
    const { io, archive, folder } = world()
    const png = readFileSync(join(fixtures, 'images/receipt.png'))
    const outside = join(scratchFolder(), 'secret.png')
    writeFileSync(outside, png)
    symlinkSync(outside, join(folder, 'link.png'))
    writeFileSync(join(folder, 'notes.png'), 'a password')
    mkdirSync(join(folder, 'folder.png'))
    const paths = [outside, `../${outside}`, 'link.png', 'notes.png', 'folder.png', 'missing.png']
    const message = paths.map((path) => ({ type: 'image', source: { media_type: 'image/png', path } }))
    const file = join(folder, 'hostile.json')
    writeFileSync(file, JSON.stringify(document({ steps: [{ step_id: 1, source: 'user', message }] })))
    const { start } = imported(file, archive, io)
    const content = paths.map((url) => ({ type: 'image', media_type: 'image/png', url }))
    expect(stored(start.session_id, io)[1]).toMatchObject({ content })
  })

  test('a document that is not complete JSON is refused with the place', () => {
    const { io, folder } = world()
    const whole = readFileSync(join(folder, 'oldest-1.0.atif.json'), 'utf8')
    const path = join(folder, 'torn.json')
    writeFileSync(path, whole.slice(0, -20))
    expect(() => checkImportFile(path, io)).toThrow(/torn\.json is not valid JSON: .*nothing was imported/)
  })
})
