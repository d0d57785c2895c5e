// The package as it would be published: built in a folder of its own, checked by publint, and started once.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { StepResult } from './step.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function publishedPackage(): Promise<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'ion-package-'))
  try {
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts', join(folder, 'dist')], {
      cwd: root,
      stdio: 'pipe',
    })
    for (const file of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
      cpSync(join(root, file), join(folder, file))
    }
    const definition = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string
    }
    const { messages } = await publint({ pkgDir: folder, pack: false, strict: true })
    const wrong = messages.map((message) => formatMessage(message, definition, { color: false }))
    const version = execFileSync(process.execPath, [join(folder, 'dist/ion.cjs'), '--version'], { encoding: 'utf8' })
    if (version.trim() !== definition.version) wrong.push(`ion --version says ${version}`)
    return { wrong: wrong.join('\n') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
