import { testStart } from '../../testing/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '01a1e085-aeae-7b20-bd68-1895ac30e981',
  args: ['--model', 'gpt-5'],
})
