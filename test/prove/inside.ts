import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sandboxed } from './sandbox.ts'

/** The program as `npm run build` makes it. */
export const ionProgram = fileURLToPath(new URL('../../dist/ion.cjs', import.meta.url))

/** Runs a worker script in a network of loopback only: it reads its task from a file and writes a result to another. */
export async function runInside<Task extends object, Result>(
  script: string,
  task: Task,
  { say, quiet = false }: { say: (line: string) => void; quiet?: boolean },
): Promise<{ result: Result; isolated: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'ion-proof-task-'))
  try {
    const [taskFile, resultFile] = [join(folder, 'task.json'), join(folder, 'result.json')]
    writeFileSync(taskFile, JSON.stringify(task))
    const worker = fileURLToPath(new URL(script, import.meta.url))
    const { argv, isolated, why } = sandboxed([process.execPath, '--import', 'tsx', worker, taskFile, resultFile])
    if (!isolated) say(`the agents are NOT cut off from the network: ${why}`)
    const [program = '', ...args] = argv
    const child = spawn(program, args, { stdio: ['ignore', quiet ? 2 : 1, 2] })
    const code = await new Promise((resolve) => child.once('exit', resolve))
    if (code !== 0) throw new Error(`${script} failed with exit code ${code}`)
    return { result: JSON.parse(readFileSync(resultFile, 'utf8')) as Result, isolated }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** In the worker: its task, and where its result goes. */
export function insideTask<Task>(): { task: Task; finish: (result: unknown) => void } {
  const [taskFile = '', resultFile = ''] = process.argv.slice(2)
  return {
    task: JSON.parse(readFileSync(taskFile, 'utf8')) as Task,
    finish: (result) => writeFileSync(resultFile, JSON.stringify(result)),
  }
}
