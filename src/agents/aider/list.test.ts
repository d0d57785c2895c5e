import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { copyTree } from '../../../test/support/scratch.ts'
import { eventText } from '../../events/text.ts'
import { MAX_LINE } from '../../native/line-cursor.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'
import { conversation, history, home, notes, open, openWorld, root, shop, task } from './test/open-session.ts'

describe('aider: finding histories', () => {
  test('the file named by the variable, also as a relative path', () => {
    const io = openWorld('0.86.3.dev')
    const named = join(home, 'elsewhere.md')
    writeFileSync(named, readFileSync(task('0001-plain')))
    rmSync(join(home, 'projects'), { recursive: true })
    expect(listAll(agent, io).heads).toEqual([])
    for (const value of [named, 'elsewhere.md']) {
      const { heads } = listAll(agent, { ...io, env: { AIDER_CHAT_HISTORY_FILE: value } })
      expect(heads).toMatchObject([{ native_id: `${named}#2026-11-15T19:04:07`, cwd: null, format: 'markdown' }])
      expect(agent.resumeCommand(heads[0]!)).toEqual(['aider', '--chat-history-file', named, '--restore-chat-history'])
    }
  })

  test('the current folder and its repository, once each', () => {
    const io = openWorld('0.86.3.dev')
    mkdirSync(join(shop, '.git'))
    mkdirSync(join(shop, 'src'))
    const moved = join(root, 'moved')
    copyTree(shop, moved)
    mkdirSync(join(moved, 'src'), { recursive: true })
    rmSync(join(home, 'projects'), { recursive: true })
    const { heads } = listAll(agent, { ...io, cwd: join(moved, 'src') })
    rmSync(moved, { recursive: true })
    expect(heads.length).toBe(14)
    expect(new Set(heads.map((head) => head.cwd))).toEqual(new Set([moved]))
  })

  test('two levels below the usual project folders, without following links or entering hidden folders', () => {
    const io = openWorld('handmade-edges')
    const text = readFileSync(notes)
    const put = (folder: string): void => {
      mkdirSync(join(home, folder), { recursive: true })
      writeFileSync(join(home, folder, '.aider.chat.history.md'), text)
    }
    for (const folder of ['work/a/b', 'work/a/b/c', 'work/.hidden', 'work/node_modules', 'other/a']) put(folder)
    symlinkSync(join(home, 'other'), join(home, 'work/link'))
    expect(new Set(listAll(agent, io).heads.map((head) => head.cwd))).toEqual(
      new Set([join(home, 'src/notes'), join(home, 'work/a/b')]),
    )
  })

  test('stops after 2000 folders, and says so', () => {
    const io = openWorld('handmade-edges')
    for (let n = 0; n < 2000; n++) mkdirSync(join(home, 'src/notes', String(n).padStart(4, '0')))
    const { heads, problems } = listAll(agent, io)
    expect(heads.length).toBe(1)
    expect(problems).toEqual([
      {
        code: 'search_limit',
        problem: 'looked for chat histories in 2000 folders and stopped here',
        path: join(home, 'src/notes/1998'),
      },
    ])
  })
})

describe('aider: damage', () => {
  test('a file truncated at any byte is readable, and everything before the cut is unchanged', () => {
    const { io, head, events } = open('0.86.3.dev', `${history}#2026-11-15T19:03:39`)
    const bytes = readFileSync(history)
    for (let size = 502; size < 1145; size += 7) {
      writeFileSync(history, bytes.subarray(0, size))
      const cut = readAll(agent, head, io)
      expect(cut.problems).toEqual([])
      expect(cut.events.slice(0, -1)).toEqual(events.slice(0, cut.events.length - 1))
    }
  })

  test('a torn prompt is a prompt', () => {
    const { io, head } = open('0.86.3.dev', `${task('0005-killed')}#2026-11-15T19:04:26`)
    appendFileSync(head.path, '\n#### and then a to')
    expect(conversation(readAll(agent, head, io).events)).toEqual(['user: SLOWCASE killed', 'user: and then a to'])
  })

  test('later runs do not change earlier ones', () => {
    const { io, head, events } = open('0.86.3.dev', `${history}#2026-11-15T19:03:39`)
    appendFileSync(history, '\n# aider chat started at 2026-11-15 19:03:39\n\n> aider  \n\n#### again  \n')
    const { heads } = listAll(agent, io)
    expect(heads.find((found) => found.native_id === head.native_id)).toEqual(head)
    expect(heads.map((found) => found.native_id)).toContain(`${history}#2026-11-15T19:03:39~2`)
    expect(readAll(agent, head, io).events).toEqual(events)
  })

  test('invalid UTF-8 is reported and counted once', () => {
    const { io, head } = open('0.86.3.dev', `${task('0005-killed')}#2026-11-15T19:04:26`)
    appendFileSync(head.path, Buffer.from('\n\xff\xfe broken\n', 'latin1'))
    expect(listAll(agent, io).problems).toEqual([])
    const { events, problems } = readAll(agent, head, io)
    expect(problems).toMatchObject([{ problem: 'invalid UTF-8; shown with �', path: head.path }])
    expect(conversation(events)).toEqual(['user: SLOWCASE killed', 'assistant: �� broken'])
  })

  test('a line that is too long is one problem, a long answer is split', () => {
    const { io, head } = open('0.86.3.dev', `${task('0005-killed')}#2026-11-15T19:04:26`)
    appendFileSync(head.path, `\n${'x'.repeat(MAX_LINE + 5)}\n${`${'y'.repeat(999)}\n`.repeat(9000)}`)
    const reading = readContext(io)
    const { events, problems } = readAll(agent, head, io, reading)
    expect(problems).toMatchObject([{ problem: 'line of 34 MB is too long to read' }])
    expect(reading.coverage.bad).toBe(1)
    expect(events.slice(8).map((event) => [event.type, eventText(event).length])).toEqual([
      ['assistant', 8397999],
      ['assistant', 601999],
    ])
  })

  test('a missing run and an unreadable file are problems', () => {
    const { io, head } = open('0.86.3.dev', `${task('0005-killed')}#2026-11-15T19:04:26`)
    writeFileSync(head.path, '')
    expect(readAll(agent, head, io).problems).toEqual([
      { code: 'missing', problem: 'the run is no longer in the file', path: head.path },
    ])
    rmSync(history)
    mkdirSync(history)
    expect(listAll(agent, io).problems).toEqual([
      { code: 'not_regular_file', problem: 'a folder where a file should be', path: history },
    ])
  })
})
