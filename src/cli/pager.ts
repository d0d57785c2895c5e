import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import type { Config } from '../config/config.ts'
import { effectivePager } from '../config/precedence.ts'
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
  /** Begin at this line, counted from 1. `n` finds the next place of the expression after it. */
  readonly start?: { readonly line: number; readonly pattern?: string }
}

/** Whether long text is shown by a pager that can begin anywhere. */
export function canPage(context: Context, { off = false }: PagerOptions): boolean {
  const [program] = pagerOf(context, off) ?? []
  return program !== undefined && isLess(program)
}

function pagerOf({ io, out, config }: Context, off: boolean): readonly string[] | undefined {
  return off || !out.isTTY || io.env.TERM === 'dumb' ? undefined : pagerCommand(io, config)
}

function isLess(program: string): boolean {
  return /^less(\.exe)?$/.test(basename(program))
}

/** `$PAGER`, or that of the settings, or `less -R`, or none. Started directly, never through a shell. */
export async function openPager(context: Context, options: PagerOptions = {}): Promise<Pager> {
  const [program, ...args] = pagerOf(context, options.off ?? false) ?? []
  if (program === undefined) return withoutPager(context)
  const extra = isLess(program) ? lessArguments(options) : []
  const child = spawn(program, [...args, ...extra], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...context.io.env, ...(isLess(program) ? lessEnv(context.io.env) : {}) } as NodeJS.ProcessEnv,
  })
  try {
    await once(child, 'spawn')
  } catch {
    return withoutPager(context)
  }
  return throughChild(child, isLess(program) && options.stay === true)
}

/** A place to begin at is of no use if it ends at once. */
function lessArguments({ stay, start }: PagerOptions): string[] {
  const opening = stay || start ? ['-+F', '-+X'] : []
  if (!start) return opening
  // Ctrl-K: less marks what it finds and stays where it is.
  const search = start.pattern === undefined ? '' : `/\x0b${start.pattern}`
  return [...opening, '-I', `-j${LINES_ABOVE + 1}`, `+${start.line}g${search}`]
}

/** A few lines above the place say what it belongs to. */
const LINES_ABOVE = 3

/** How many lines below the place to begin at are visible, too. */
export function linesBelow({ out }: Context): number {
  // The last row is the pager's prompt.
  return Math.max(0, out.rows - LINES_ABOVE - 2)
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

export function pagerCommand(io: Io, config: Config): readonly string[] | undefined {
  const { value } = effectivePager(config, io.env)
  if (value !== undefined) {
    const words = value === false ? [] : value.split(/\s+/).filter(Boolean)
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
