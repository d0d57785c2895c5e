import { testStart } from '../../testing/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '82ee4128-c9d8-45b8-a5c6-1f3a7ccebcc8',
  args: ['--model', 'gpt-4o'],
  unknown: 'new',
})
