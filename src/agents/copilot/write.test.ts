import { testWriter } from '../../../test/suites/test-writer.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import agent from './index.ts'

testWriter(agent, { home: () => scratchIo() })
