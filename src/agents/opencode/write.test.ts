import { fileURLToPath } from 'node:url'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import agent from './index.ts'

const fixture = fileURLToPath(new URL('./fixtures/1.18.33', import.meta.url))

testWriter(agent, { home: () => scratchIo(fixture) })
