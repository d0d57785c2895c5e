// The generated data that is measured on. Made once and kept outside the project; never written to afterwards.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const generator = fileURLToPath(new URL('gen-corpus.mjs', import.meta.url))
const LARGE_FILE = '.claude/projects/-home-dev-big/b1b1b1b1-0000-4000-8000-000000000001.jsonl'

/** What is measured on what, and how the generator is called for it. */
const corpora = {
  full: {
    mixed: { name: 'c2g', args: ['--mb', '2000', '--seed', '2'] },
    tiny: { name: 'tiny', args: ['--tiny', '100000', '--seed', '7'] },
    large: { name: 'big', args: ['--mb', '3000', '--seed', '5'], oneFile: true },
  },
  quick: {
    mixed: { name: 'c200', args: ['--mb', '200', '--seed', '1'] },
    tiny: { name: 'tiny5k', args: ['--tiny', '5000', '--seed', '7'] },
    large: { name: 'big300', args: ['--mb', '300', '--seed', '5'], oneFile: true },
  },
}

/** The corpora of a size below `folder`: `get('mixed')` makes it if it is not there. */
export function corporaIn(folder, size, say) {
  const get = (kind) => {
    const { name, args, oneFile = false } = corpora[size][kind]
    const home = join(folder, name)
    if (!existsSync(home)) make(home, args, oneFile, say)
    const totals = oneFile ? oneFileTotals(home) : JSON.parse(readFileSync(join(home, 'corpus.json'), 'utf8'))
    return { ...totals, name, home }
  }
  return { get, largeFile: (home) => join(home, LARGE_FILE) }
}

/** Under another name until it is whole: a run that was broken off leaves nothing that looks complete. */
function make(home, args, oneFile, say) {
  const partial = `${home}.partial`
  rmSync(partial, { recursive: true, force: true })
  say(`making ${home} (once; it is kept)`)
  const target = oneFile ? ['--one-file', join(partial, LARGE_FILE)] : ['--out', partial]
  execFileSync(process.execPath, [generator, ...target, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  renameSync(partial, home)
}

function oneFileTotals(home) {
  return { files: 1, bytes: statSync(join(home, LARGE_FILE)).size }
}

/** The files of the first agent, for those who need one: path below the home, size and time. */
export function sessionFiles(home) {
  const folder = join(home, '.claude', 'projects')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = statSync(path)
      return { path: path.slice(home.length + 1), size, mtimeMs }
    })
}
