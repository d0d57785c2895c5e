import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import { taskState } from '../run/task-state.ts'
import { chooseTask, listTasks, tasksMatching } from './find.ts'
import type { ActiveTask } from './tasks.ts'

const id = '3f2a0000-0000-4000-8000-000000000001'
const command = 'ion stop'

function at(agent: string, name: string, project: string, session?: string): ActiveTask {
  return {
    task: { agent, name, project, folder: `/tasks/${project}/${agent}-${name}` },
    state: {
      ...taskState([]),
      session: session === undefined ? undefined : { native_id: session, files: [], cwd: project },
    },
    holder: undefined,
    orphans: [],
  }
}

function world(): { io: ReturnType<typeof scratchIo>; tasks: ActiveTask[] } {
  const io = scratchIo()
  const tasks = [at('one', 'main', io.home, id), at('one', 'docs', io.home), at('two', 'main', '/elsewhere', 'beef-1')]
  return { io, tasks }
}

test('by agent, name or both in this project; by session in any', () => {
  const { io, tasks } = world()
  const found = (reference: string): string => {
    const { agent, name } = chooseTask(tasks, reference, io, { command }).task
    return `${agent}-${name}`
  }
  expect(['docs', 'one-docs', 'one:docs', 'one', 'main', '3f2a', 'beef'].map(found)).toEqual([
    'one-docs',
    'one-docs',
    'one-docs',
    'one-main',
    'one-main',
    'one-main',
    'two-main',
  ])
})

test('a name never selects a task of another project, unless all projects are asked for', () => {
  const { io, tasks } = world()
  const elsewhere = tasks.slice(2)
  for (const reference of [undefined, 'two', 'main', 'two-main']) {
    expect(tasksMatching(elsewhere, reference, io)).toEqual([])
    expect(tasksMatching(elsewhere, reference, io, true)).toEqual(elsewhere)
    expect(() => chooseTask(elsewhere, reference, io, { command })).toThrow(
      expect.objectContaining({
        kind: 'not-found',
        message: `there is no running task${reference === undefined ? '' : ` "${reference}"`} in ~`,
        hint: expect.stringMatching(/^in other projects: two in \/elsewhere \(ion stop \w{8}\)$/),
      }),
    )
  }
  // A task of that name here comes first, whatever its id elsewhere begins with.
  const here = at('one', 'beef', io.home)
  expect(tasksMatching([...tasks, here], 'beef', io)).toEqual([here])
})

test('an alias of an agent means the agent', () => {
  const { io } = world()
  const agent = agents.find(({ aliases }) => aliases.length > 0)!
  const task = at(agent.id, 'main', io.home)
  expect(tasksMatching([task], agent.aliases[0], io)).toEqual([task])
})

test("an agent's name means its main task if it has one here, also when only another of its tasks qualifies", () => {
  const { io } = world()
  const agent = agents.find(({ aliases }) => aliases.length > 0)!
  const [alias] = agent.aliases
  const main = at(agent.id, 'main', io.home)
  const docs = at(agent.id, 'docs', io.home)
  const among = (at: ActiveTask): boolean => at === docs
  for (const reference of [agent.id, alias]) {
    expect(tasksMatching([docs, main], reference, io)).toEqual([main])
    expect(tasksMatching([docs], reference, io)).toEqual([docs])
    expect(() => chooseTask([docs, main], reference, io, { command, among })).toThrow(
      expect.objectContaining({
        kind: 'not-found',
        message: `there is no running task "${reference}" in ~`,
        hint: `tasks here: ${agent.id}-docs in ~ (ion stop ${agent.id}-docs)`,
      }),
    )
  }
  expect(chooseTask([docs, main], 'docs', io, { command, among })).toBe(docs)
  expect(chooseTask([docs, main], undefined, io, { command, among })).toBe(docs)
})

test('without a reference the only task here; otherwise the candidates are listed with what to type', () => {
  const { io, tasks } = world()
  expect(chooseTask(tasks.slice(1), undefined, io, { command })).toBe(tasks[1])
  expect(() => chooseTask(tasks, undefined, io, { command })).toThrow(
    expect.objectContaining({
      kind: 'usage',
      hint: 'one of: one in ~ (ion stop one), one-docs in ~ (ion stop one-docs)',
    }),
  )
  expect(() => chooseTask(tasks, 'three', io, { command })).toThrow(
    expect.objectContaining({
      kind: 'not-found',
      hint: 'tasks here: one in ~ (ion stop one), one-docs in ~ (ion stop one-docs)',
    }),
  )
  expect(() => chooseTask([], undefined, io, { command })).toThrow(
    expect.objectContaining({ kind: 'not-found', hint: 'ion ps --all' }),
  )
})

test('listed ids are unique among all tasks; a task without one can be stopped in its folder', () => {
  const { io } = world()
  const tasks = ['2', '3'].map((end) => at('one', 'main', `/p${end}`, `3f2a0000-1${end}00-4000-8000-000000000001`))
  const young = at('one', 'main', '/p4')
  expect(listTasks([...tasks, young], [...tasks, young], io, command)).toBe(
    'one in /p2 (ion stop 3f2a0000-12), one in /p3 (ion stop 3f2a0000-13), ' +
      'one in /p4 (no session id yet: change to its folder)',
  )
})
