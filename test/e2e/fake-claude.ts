import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findAgent } from '../../src/agents/find.ts'
import type { Machine } from './run-ion.ts'
import { pathWith } from './terminal.ts'

export const claude = findAgent('claude')

/** Installs a program of this folder as Claude Code, with its first-run dialogs answered. Returns the PATH. */
export function installFakeClaude({ root, home }: Machine, program: 'tui-agent.mjs' | 'serve-agent.mjs'): string {
  const bin = join(root, 'bin')
  const file = join(bin, 'claude')
  mkdirSync(bin)
  const path = fileURLToPath(new URL(program, import.meta.url))
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`)
  chmodSync(file, 0o755)
  const settings = { hasCompletedOnboarding: true, projects: { [home]: { hasTrustDialogAccepted: true } } }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settings))
  return pathWith(bin)
}
