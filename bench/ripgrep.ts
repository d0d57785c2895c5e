// ripgrep over the same files, for comparison, where it is installed.
import { spawnSync } from 'node:child_process'

/** CPU time of listing the files that contain a text, in any case; undefined without ripgrep. */
export function runRipgrep(text: string, home: string): { readonly cpuMs: number; readonly files: number } | undefined {
  const script =
    'files=$(rg --files-with-matches --ignore-case --fixed-strings -uu --hidden -- "$1" "$2" | wc -l); times; echo "$files"'
  const { status, stdout } = spawnSync(
    'bash',
    ['-c', `command -v rg >/dev/null || exit 1; ${script}`, 'bash', text, home],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    },
  )
  if (status !== 0) return undefined
  // The second line of `times` is that of the children.
  const [, children = '', files = '0'] = stdout.trim().split('\n')
  const cpuMs = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + (Number(m) * 60 + Number(s)) * 1000,
    0,
  )
  return { cpuMs, files: Number(files) }
}
