import { testStart } from '../../testing/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '9c5a3a4e-7a0a-4e0e-9c52-0f4b7d0a0001',
  args: ['--model', 'gpt-5.4'],
})
