import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IonError, messageOf } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Context } from './command.ts'

/**
 * Opens the text in the user's editor, and gives what was saved to `save`. If that throws, the text stays where it is and
 * the error says where.
 */
export async function editText(text: string, save: (edited: string) => void, context: Context): Promise<void> {
  const { io, err } = context
  // A folder of its own, which only the user may read: editors put copies beside a file.
  const folder = mkdtempSync(join(io.env.TMPDIR || tmpdir(), 'ion-edit-'))
  const file = join(folder, 'note.md')
  writeFileSync(file, text === '' ? '' : `${text}\n`, { mode: 0o600 })
  try {
    await editFile(file, context)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  try {
    save(readFileSync(file, 'utf8'))
  } catch (error) {
    err.write(`what you wrote is in ${file}\n`)
    throw error
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Opens the file in the user's editor until it is closed. Throws if that fails. */
export async function editFile(file: string, context: Context): Promise<void> {
  const [program, ...args] = editorOf(context)
  const child = spawn(program!, [...args, file], { stdio: 'inherit', env: context.io.env as NodeJS.ProcessEnv })
  // Ctrl-C belongs to the editor while it is open.
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    if (code !== 0) throw new Error(`it ended with ${signal ?? `exit code ${code}`}`)
  } catch (error) {
    throw new IonError('failed', `cannot edit with "${program}": ${messageOf(error)}`, {
      hint: 'set EDITOR to the command of your editor',
      cause: error,
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}

/**
 * `$VISUAL`, else `$EDITOR`, which may have arguments; in a terminal, else what most systems have. Started directly, never
 * through a shell.
 */
function editorOf({ io, out }: Context): readonly string[] {
  const chosen = (io.env.VISUAL || io.env.EDITOR || '').split(/\s+/).filter(Boolean)
  if (chosen.length > 0) return chosen
  const found = out.isTTY ? findExecutable(['sensible-editor', 'editor', 'vi', 'nano'], io) : undefined
  if (found) return [found]
  throw new IonError('failed', 'there is no editor', { hint: 'set EDITOR to the command of your editor' })
}
