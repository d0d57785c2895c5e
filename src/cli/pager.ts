import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import type { Context } from './command.ts'

/** Where long text goes: the stdin of a pager, or stdout. */
export interface Pager {
  /** False if the reader has quit. Waits while the reader is behind. */
  write(text: string): Promise<boolean>
  /** Resolves when the reader has closed the pager. */
  end(): Promise<void>
  /** A pager is used: notes at the end must be part of the text. */
  readonly paged: boolean
  /** The pager stays open until the user quits it, however short the text is. */
  readonly stays: boolean
}

export interface PagerOptions {
  /** Do not page, for `--no-pager`. */
  readonly off?: boolean
  /** Keep the pager open even if everything fits on one screen. */
  readonly stay?: boolean
}

/** `$PAGER`, or `less -R`, or none. Started directly, never through a shell. */
export async function openPager(context: Context, options: PagerOptions = {}): Promise<Pager> {
  const command =
    options.off || !context.out.isTTY || context.io.env.TERM === 'dumb' ? undefined : pagerCommand(context.io)
  if (!command) return withoutPager(context)
  const isLess = /^less(\.exe)?$/.test(basename(command[0]!))
  const child = spawn(command[0]!, [...command.slice(1), ...(isLess && options.stay ? ['-+F', '-+X'] : [])], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...context.io.env, ...(isLess ? lessEnv(context.io.env) : {}) } as NodeJS.ProcessEnv,
  })
  try {
    await once(child, 'spawn')
  } catch {
    return withoutPager(context)
  }
  return throughChild(child, isLess && options.stay === true)
}

/**
 * As git does: quit at once if the text fits on the screen, and show colours. Without a locale, as in many containers, less
 * would show each byte of a letter beyond ASCII as <E2>.
 */
function lessEnv(env: Io['env']): Record<string, string> {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'C'
  return {
    ...(env.LESS === undefined ? { LESS: 'FRX' } : {}),
    ...(env.LESSCHARSET === undefined && /^(C|POSIX)$/.test(locale) ? { LESSCHARSET: 'utf-8' } : {}),
  }
}

export function pagerCommand(io: Io): readonly string[] | undefined {
  const chosen = io.env.PAGER
  if (chosen !== undefined) {
    const words = chosen.split(/\s+/).filter(Boolean)
    return words.length === 0 || words[0] === 'cat' ? undefined : words
  }
  const less = findExecutable(['less'], io)
  return less ? [less, '-R'] : undefined
}

function withoutPager({ out }: Context): Pager {
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
  // EPIPE: the reader has quit.
  stdin.on('error', () => {
    open = false
  })
  // Ctrl-C belongs to the pager while it is open.
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
