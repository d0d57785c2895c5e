import { testStart } from '../../testing/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '09432af9-dc45-46b0-8c55-1bef0f4d99ee',
  args: ['--model', 'sonnet4.5'],
})
