// The generated data to measure on. Made once and kept outside the project; never written to afterwards.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const generator = fileURLToPath(new URL('gen-corpus.ts', import.meta.url))
const LARGE_FILE = '.claude/projects/-home-dev-big/b1b1b1b1-0000-4000-8000-000000000001.jsonl'

type Kind = 'mixed' | 'few' | 'some' | 'tiny' | 'large' | 'rows'
export type Size = 'full' | 'quick'

interface Recipe {
  readonly name: string
  readonly args: readonly string[]
  readonly oneFile?: boolean
}

/** A generated home, with its exact totals. Token totals are missing where it is one file. */
export interface Corpus {
  readonly name: string
  readonly home: string
  readonly files: number
  readonly bytes: number
  readonly claude: { readonly output_tokens: number }
  readonly codex: { readonly output_tokens: number }
}

export interface Corpora {
  /** Makes it if it does not exist. */
  get(kind: Kind): Corpus
}

/** As most people have them; the same at both sizes. */
const small = {
  few: { name: 'tiny100', args: ['--tiny', '100', '--seed', '7'] },
  some: { name: 'tiny3k', args: ['--tiny', '3000', '--seed', '7'] },
}

/** How the generator is called for each. */
const corpora: Readonly<Record<Size, Readonly<Record<Kind, Recipe>>>> = {
  full: {
    ...small,
    mixed: { name: 'c2g', args: ['--mb', '2000', '--seed', '2'] },
    tiny: { name: 'tiny', args: ['--tiny', '100000', '--seed', '7'] },
    large: { name: 'big', args: ['--mb', '3000', '--seed', '5'], oneFile: true },
    rows: { name: 'rows', args: ['--mb', '400', '--rows', '--seed', '3'] },
  },
  quick: {
    ...small,
    mixed: { name: 'c200', args: ['--mb', '200', '--seed', '1'] },
    tiny: { name: 'tiny5k', args: ['--tiny', '5000', '--seed', '7'] },
    large: { name: 'big300', args: ['--mb', '300', '--seed', '5'], oneFile: true },
    rows: { name: 'rows40', args: ['--mb', '40', '--rows', '--seed', '3'] },
  },
}

/** The corpora of a size below `folder`. */
export function corporaIn(folder: string, size: Size, say: (text: string) => void): Corpora {
  const get = (kind: Kind): Corpus => {
    const { name, args, oneFile = false } = corpora[size][kind]
    const home = join(folder, name)
    if (!existsSync(home)) make(home, args, oneFile, say)
    const totals = oneFile ? oneFileTotals(home) : JSON.parse(readFileSync(join(home, 'corpus.json'), 'utf8'))
    return { ...totals, name, home }
  }
  return { get }
}

/** Under another name until it is complete: an interrupted run leaves nothing that looks complete. */
function make(home: string, args: readonly string[], oneFile: boolean, say: (text: string) => void): void {
  const partial = `${home}.partial`
  rmSync(partial, { recursive: true, force: true })
  say(`making ${home} (once; it is kept)`)
  const target = oneFile ? ['--one-file', join(partial, LARGE_FILE)] : ['--out', partial]
  execFileSync(process.execPath, ['--import', 'tsx', generator, ...target, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  renameSync(partial, home)
}

function oneFileTotals(home: string): Omit<Corpus, 'name' | 'home'> {
  const none = { output_tokens: 0 }
  return { files: 1, bytes: statSync(join(home, LARGE_FILE)).size, claude: none, codex: none }
}

export interface SessionFile {
  /** Below the home. */
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** The session files of the first agent. */
export function sessionFiles(home: string): SessionFile[] {
  const folder = join(home, '.claude', 'projects')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = statSync(path)
      return { path: path.slice(home.length + 1), size, mtimeMs }
    })
}
