import { testStart } from '../../testing/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: 'ses_e1e671894ffeYb1KvYFtO1mT1o',
  args: ['--model', 'stub/stub-model'],
})
