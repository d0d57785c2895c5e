import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { findAgent } from '../agents/find.ts'
import type { RunRequest } from './request.ts'
import { refuseFirstStart } from './run-task.ts'
import { taskOf } from './task.ts'

/** A first start that is refused, as its prompt is a command of the agent. `onVersion` runs when its version is asked. */
async function start(onVersion: (taskFolder: string) => string): Promise<void> {
  const scratch = scratchIo()
  const bin = join(scratch.home, 'bin')
  const io = { ...scratch, env: { ...scratch.env, PATH: `${bin}:${process.env.PATH}` } }
  const agent = findAgent('claude')
  const task = taskOf(agent.id, io.home, 'main', io)
  mkdirSync(bin)
  writeFileSync(join(bin, agent.binaries[0]!), `#!/bin/sh\n${onVersion(task.folder)}\necho '2.1.325 (Claude Code)'\n`)
  chmodSync(join(bin, agent.binaries[0]!), 0o755)
  const request: RunRequest = {
    ...{ prompt: '/clear', send: false, isNew: false, steal: false, restore: false, args: undefined },
    ...{ agent, task, command: 'ion run claude', cwd: io.home, mode: 'detached', defaultArgs: [] },
    ...{ adopt: undefined, agentapi: undefined, onOtherPrompt: 'resume' },
  }
  return refuseFirstStart(request, io)
}

test('a first start that is not possible is refused', async () => {
  await expect(start(() => '')).rejects.toMatchObject({ kind: 'refused' })
})

test('a task that another Ion starts meanwhile is not refused: that start counts', async () => {
  const touch = (folder: string): string => `mkdir -p '${folder}'; printf 'x\\nx\\n' >'${folder}/ledger.jsonl'`
  await expect(start(touch)).resolves.toBeUndefined()
})
