import { testStart } from '../../testing/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: 'T-01a1e097-8970-7135-8ef0-e238aac5673f',
  args: ['--mode', 'rush'],
})
