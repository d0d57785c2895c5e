import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import type { Context } from './command.ts'

/** Where long text goes: a pager's stdin, or stdout itself. */
export interface Pager {
  /** False when the reader has left and nothing more is wanted. Waits while the reader is behind. */
  write(text: string): Promise<boolean>
  /** Resolves when the reader has closed the pager. */
  end(): Promise<void>
  /** A person pages through it: what is said at the end belongs into the text, not beside it. */
  readonly paged: boolean
  /** It stays on the screen until the person leaves it, however short the text is. */
  readonly stays: boolean
}

export interface PagerOptions {
  /** Do not page, for `--no-pager`. */
  readonly off?: boolean
  /** Keep the pager open also when all fits on one screen. */
  readonly stay?: boolean
}

/** `$PAGER`, else `less -R`, else none. Started by its arguments, never through a shell. */
export async function openPager(context: Context, options: PagerOptions = {}): Promise<Pager> {
  const command =
    options.off || !context.out.isTTY || context.io.env.TERM === 'dumb' ? undefined : pagerCommand(context.io)
  if (!command) return straight(context)
  const isLess = /^less(\.exe)?$/.test(basename(command[0]!))
  // As git does it: leave at once what fits on the screen, and let colours through.
  const quiet = isLess && context.io.env.LESS === undefined ? { LESS: 'FRX' } : {}
  const child = spawn(command[0]!, [...command.slice(1), ...(isLess && options.stay ? ['-+F', '-+X'] : [])], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...context.io.env, ...quiet } as NodeJS.ProcessEnv,
  })
  try {
    await once(child, 'spawn')
  } catch {
    return straight(context)
  }
  return throughChild(child, isLess && options.stay === true)
}

export function pagerCommand(io: Io): readonly string[] | undefined {
  const wished = io.env.PAGER
  if (wished !== undefined) {
    const words = wished.split(/\s+/).filter(Boolean)
    return words.length === 0 || words[0] === 'cat' ? undefined : words
  }
  const less = findExecutable(['less'], io)
  return less ? [less, '-R'] : undefined
}

function straight({ out }: Context): Pager {
  return {
    paged: false,
    stays: false,
    async write(text) {
      out.write(text)
      await out.drained?.()
      return true
    },
    end: async () => {},
  }
}

function throughChild(child: ChildProcess, stays: boolean): Pager {
  const stdin = child.stdin!
  let open = true
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
    open = false
  })
  // EPIPE: the reader has seen enough.
  stdin.on('error', () => {
    open = false
  })
  // Ctrl-C is the pager's, as long as it is there.
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  return {
    paged: true,
    stays,
    async write(text) {
      if (open && !stdin.write(text))
        await Promise.race([closed, new Promise((resolve) => stdin.once('drain', resolve))])
      return open
    },
    async end() {
      stdin.end()
      await closed
      process.off('SIGINT', ignore)
    },
  }
}
