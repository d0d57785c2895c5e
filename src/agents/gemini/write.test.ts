import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

/** Gemini was used in the project before: the file that names a folder's project stays, as other sessions need it. */
function home(): Io {
  const io = scratchIo()
  const folder = join(io.home, '.gemini', 'tmp', 'handed-over')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '.project_root'), join(io.home, 'handed-over'))
  return io
}

testWriter(agent, { home })
testWriter(agent, { home, version: '0.33.0' })
