// ripgrep over the same files, for comparison, where it is installed.
import { spawnSync } from 'node:child_process'
import { childrenCpuMs } from './shell-times.ts'

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
  return { cpuMs: childrenCpuMs(stdout), files: Number(stdout.trim().split('\n')[2] ?? '0') }
}
