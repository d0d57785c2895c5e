import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { claudeFile, claudeLines } from '../../../test/e2e/claude-session.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { findAgent } from '../../agents/find.ts'
import { taskFolder } from '../../platform/task-folders.ts'
import { appendEntry } from '../../run/ledger.ts'
import { TaskImage } from './task-image.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'

test('a session whose folder is written later than its first record gets it', () => {
  const io = scratchIo()
  const agent = findAgent('claude')
  const task = { agent: agent.id, project: io.cwd, name: 'main', folder: taskFolder(agent.id, io.cwd, 'main', io) }
  const file = claudeFile({ home: io.home } as never, ID)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ type: 'ai-title', aiTitle: 'Title', sessionId: ID })}\n`)
  appendEntry(task.folder, { type: 'session', run: 'r', native_id: ID, files: [file], how: 'told', cwd: io.cwd }, io)
  const image = new TaskImage({ agent, task, io }, undefined)
  const first = image.look().about.session
  appendFileSync(file, `${claudeLines({ id: ID, prompt: 'the prompt' })[0]!}\n`)
  const second = image.look().about.session
  image.close()
  expect([first, second]).toEqual([
    expect.objectContaining({ native_id: ID, cwd: null }),
    expect.objectContaining({ native_id: ID, cwd: expect.any(String) }),
  ])
})
