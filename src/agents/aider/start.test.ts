import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'
import { conversation } from './test/open-session.ts'

const SESSION = '82ee4128-c9d8-45b8-a5c6-1f3a7ccebcc8'

testStart(agent, new URL('./', import.meta.url), {
  session: SESSION,
  args: ['--model', 'gpt-4o'],
  unknown: 'new',
})

const start = agent.start!

function requestIn(io: Io, fields: Partial<StartRequest> = {}): StartRequest {
  return {
    session: SESSION,
    prompt: undefined,
    headless: true,
    args: [],
    cwd: join(io.home, 'shop'),
    folder: taskFolder(io),
    version: '0.86.2',
    io,
    ...fields,
  }
}

function taskFolder(io: Io, name = 'main'): string {
  return join(io.env.ION_HOME!, 'tasks/0123456789abcdef', `aider-${name}`, 'agent')
}

/** The history of an Ion task after two runs, as 0.86.2 writes it. */
function taskHistory(io: Io, task = 'main'): string {
  const folder = join(taskFolder(io, task), SESSION)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'session.json'), '{"cwd":"/home/dev/shop"}\n')
  const file = join(folder, 'chat.md')
  writeFileSync(
    file,
    `
# aider chat started at 2026-11-15 23:45:59

> You can skip this check with --no-gitignore  
> Add .aider* to .gitignore (recommended)? (Y)es/(N)o [Yes]: y  
> Added .aider* to .gitignore  
> /home/dev/bin/aider --chat-history-file chat.md --message-file task.txt  
> Aider v0.86.2  
> Main model: openai/gpt-4o with diff edit format  

#### Do the thing  
#### second "line"  

Done.

> Tokens: 2.4k sent, 13 received. Cost: $0.0061 message, $0.0061 session.  

# aider chat started at 2026-11-15 23:50:00

> /home/dev/bin/aider --chat-history-file chat.md --restore-chat-history  
> Aider v0.86.2  
> Main model: openai/gpt-4o with diff edit format  
> Restored previous conversation history.  

#### and now  

Done too.

> ^C again to exit  
`,
  )
  return file
}

describe('aider: the history of a task', () => {
  test('is one session with the id that Ion assigned and the folder that Ion recorded', () => {
    const io = scratchIo()
    const path = taskHistory(io)
    const { heads, problems } = listAll(agent, io)
    expect(problems).toEqual([])
    expect(heads.map(({ revision: _revision, bytes: _bytes, updated_at: _updated, ...head }) => head)).toEqual([
      {
        id: SESSION,
        agent: 'aider',
        native_id: SESSION,
        path,
        title: 'Do the thing',
        cwd: '/home/dev/shop',
        created_at: new Date(2026, 10, 15, 23, 45, 59).toISOString(),
        model: 'openai/gpt-4o',
        agent_version: '0.86.2',
        format: 'task-markdown',
        resumable: true,
      },
    ])
    const { events } = readAll(agent, heads[0]!, io)
    expect(conversation(events)).toEqual([
      'notice: "You can skip this check with --no-gitignore"',
      'notice: "Add .aider* to .gitignore (recommended)? (Y)es/(N)o [Yes]: y"',
      'notice: "Added .aider* to .gitignore"',
      'user: Do the thing\nsecond "line"',
      'assistant: Done.',
      'usage: {"text":"Tokens: 2.4k sent, 13 received. Cost: $0.0061 message, $0.0061 session.","estimated":true}',
      'restored: "Restored previous conversation history."',
      'user: and now',
      'assistant: Done too.',
      'notice: "^C again to exit"',
    ])
    expect(agent.resumeCommand(heads[0]!)).toEqual([
      ...['aider', '--chat-history-file', path, '--input-history-file', path.replace('chat.md', 'input')],
      '--restore-chat-history',
    ])
  })

  test('without messages is not a session', () => {
    const io = scratchIo()
    const file = taskHistory(io)
    writeFileSync(file, readFileSync(file, 'utf8').split('\n\n####')[0]!)
    expect(listAll(agent, io).heads).toEqual([])
  })

  test('is found from another task too', () => {
    const io = scratchIo()
    const path = taskHistory(io, 'other')
    expect(start.warm(requestIn(io, { headless: false })).args.slice(0, 2)).toEqual(['--chat-history-file', path])
  })

  test('that Ion did not create is identified by its path', () => {
    const session = '/home/dev/shop #1/.aider.chat.history.md#2026-11-15T19:04:04'
    expect(start.warm(requestIn(scratchIo(), { session, headless: false }))).toEqual({
      args: [
        ...['--chat-history-file', '/home/dev/shop #1/.aider.chat.history.md'],
        ...['--input-history-file', '/home/dev/shop #1/.aider.input.history'],
        '--restore-chat-history',
      ],
      env: { AIDER_MESSAGE: undefined, AIDER_MESSAGE_FILE: undefined, AIDER_LOAD: undefined },
    })
  })

  test('that is long may cause a model call before anyone types', () => {
    const io = scratchIo()
    const file = taskHistory(io)
    expect(start.warm(requestIn(io)).notes).toBeUndefined()
    writeFileSync(file, 'x'.repeat(5000))
    expect(start.warm(requestIn(io)).notes).toEqual([
      'long history: Aider may first let its weak model summarise it (limit: -- --max-chat-history-tokens N)',
    ])
  })
})

describe('aider: questions', () => {
  const NO = [
    '--no-gitignore',
    '--no-check-update',
    '--no-show-release-notes',
    '--no-show-model-warnings',
    '--no-analytics',
    '--no-detect-urls',
    '--no-suggest-shell-commands',
    '--no-pretty',
  ]

  test("without a terminal all are answered with no, before the user's arguments", () => {
    const io = scratchIo()
    const tail = (args: readonly string[]): readonly string[] =>
      start.cold(requestIn(io, { args: ['--gitignore'], ...(args.length ? { cwd: args[0]! } : {}) })).args.slice(4)
    expect(tail([])).toEqual([...NO, '--no-git', '--gitignore'])
    const repository = join(io.home, 'repository')
    mkdirSync(join(repository, '.git'), { recursive: true })
    expect(tail([repository])).toEqual([...NO, '--gitignore'])
  })

  test('in a terminal they are reported in advance, and .gitignore can be prepared', () => {
    const io = scratchIo(undefined, { OPENAI_API_KEY: 'sk-test' })
    const cwd = join(io.home, 'shop')
    const asked = (args: readonly string[] = [], env = {}): unknown =>
      start.dialogs!({ cwd, io: { ...io, env: { ...io.env, ...env } }, args })
    mkdirSync(join(cwd, '.git'), { recursive: true })
    expect(asked()).toEqual([{ id: 'gitignore', asks: 'asks to add .aider* to .gitignore', certain: false }])
    for (const args of [['--no-gitignore'], ['--no-git'], ['--yes-always']]) expect(asked(args)).toEqual([])
    expect(asked([], { AIDER_GITIGNORE: 'false' })).toEqual([])
    expect(asked(['--no-gitignore'], { OPENAI_API_KEY: '' })).toEqual([
      { id: 'login', asks: 'asks you to log in, having no key', certain: true },
    ])
    const file = join(cwd, '.gitignore')
    writeFileSync(file, 'dist')
    expect(start.prepare!.gitignore!({ cwd, io })).toEqual({ file, content: 'dist\n.aider*\n', sets: '.aider*' })
    writeFileSync(file, 'dist\n.aider*\n')
    expect(start.prepare!.gitignore!({ cwd, io }).content).toBe('dist\n.aider*\n')
    expect(asked()).toEqual([])
  })

  test.each([
    ['git', "No git repo found, create one to track aider's changes (recommended)? (Y)es/(N)o [Yes]:"],
    ['gitignore', 'Add .aider*, .env to .gitignore (recommended)? (Y)es/(N)o [Yes]:'],
    ['login', 'Login to OpenRouter or create a free account? (Y)es/(N)o [Yes]:'],
    ['news', "Would you like to see what's new in this version? (Y)es/(N)o [Yes]:"],
  ])('recognises the %s dialog on the screen, until it is answered', (id, text) => {
    const shown = (screen: string): string[] =>
      start.screens!.filter(({ pattern }) => pattern.test(screen)).map((dialog) => dialog.id)
    expect(shown(text)).toEqual([id])
    expect(shown(`${text} y\nAider v0.86.2`)).toEqual([])
  })
})

describe('aider: preflight', () => {
  const refusal = (io: Io, fields: Partial<StartRequest>): unknown =>
    start.preflight!('warm', requestIn(io, fields), readContext(io))

  test('refuses options that would send a prompt at every start, and files that Ion names', () => {
    const io = scratchIo(undefined, { AIDER_MODEL: 'gpt-4o' })
    expect(refusal(io, {})).toBeUndefined()
    for (const word of ['--message', '-m', '--message-file=x', '--load']) {
      expect(refusal(io, { args: ['--model', 'x', word, 'hi'] })).toEqual({
        why: `Aider would send ${word} at every start`,
        hint: 'pass the prompt to ion run instead',
      })
    }
    expect(refusal(io, { args: ['--chat-history-file', 'x'] })).toEqual({
      why: 'Ion gives each task of Aider its own --chat-history-file',
      hint: 'leave it out',
    })
  })

  test('refuses a prompt that it would run as a command, a path included', () => {
    const io = scratchIo(undefined, { AIDER_MODEL: 'gpt-4o' })
    const refused = (text: string) =>
      refusal(io, { prompt: { text, argument: text, file: '/prompt.txt' } }) !== undefined
    expect(['!touch x', '/etc/hosts lacks a line', 'touch /etc/hosts!'].map(refused)).toEqual([true, true, false])
  })

  test('refuses a headless start without a model or key, unless a settings file may have one', () => {
    const io = scratchIo()
    expect(refusal(io, { headless: false })).toBeUndefined()
    expect(refusal(io, {})).toEqual({
      why: 'Aider has neither a model nor a key',
      hint: 'set one of OPENROUTER_API_KEY, ANTHROPIC_API_KEY, DEEPSEEK_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, or give a model: -- --model …',
    })
    expect(refusal(io, { args: ['--model=gpt-4o'] })).toBeUndefined()
    writeFileSync(join(io.home, '.aider.conf.yml'), 'model: gpt-4o\n')
    expect(refusal(io, {})).toBeUndefined()
  })
})
