import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IonError } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import type { Context } from './command.ts'

/**
 * Opens the text in the user's editor, and gives what was saved to `save`. If that throws, the text stays where it is and
 * the error says where.
 */
export async function editText(text: string, save: (edited: string) => void, { io, err }: Context): Promise<void> {
  const [program, ...args] = editorOf(io)
  // A folder of its own, which only the user may read: editors put copies beside a file.
  const folder = mkdtempSync(join(io.env.TMPDIR || tmpdir(), 'ion-edit-'))
  const file = join(folder, 'note.md')
  writeFileSync(file, text === '' ? '' : `${text}\n`, { mode: 0o600 })
  const child = spawn(program!, [...args, file], { stdio: 'inherit', env: io.env as NodeJS.ProcessEnv })
  // Ctrl-C belongs to the editor while it is open.
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    if (code !== 0) throw new Error(`it ended with ${signal ?? `exit code ${code}`}`)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new IonError('failed', `cannot edit with "${program}": ${(error as Error).message}; nothing was changed`, {
      hint: 'set EDITOR to the command of your editor',
      cause: error,
    })
  } finally {
    process.off('SIGINT', ignore)
  }
  try {
    save(readFileSync(file, 'utf8'))
  } catch (error) {
    err.write(`what you wrote is in ${file}\n`)
    throw error
  }
  rmSync(folder, { recursive: true, force: true })
}

/** `$VISUAL`, else `$EDITOR`, which may have arguments, else what most systems have. Never through a shell. */
function editorOf(io: Io): readonly string[] {
  const chosen = (io.env.VISUAL || io.env.EDITOR || '').split(/\s+/).filter(Boolean)
  if (chosen.length > 0) return chosen
  const found = findExecutable(['editor', 'vi', 'nano', 'notepad'], io)
  if (found) return [found]
  throw new IonError('failed', 'no editor was found', { hint: 'set EDITOR to the command of your editor' })
}
