import { openDatabase } from '../../platform/sqlite.ts'
import { testAgent } from '../../testing/test-agent.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

const numbers = [1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9]

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '1.52.0': numbers.map((n) => `20261115_${n}`),
    'legacy-jsonl': ['20250325_200615'],
  },
  overrides: [
    { env: (_io, root) => ({ XDG_DATA_HOME: root }), move: ['.local/share/goose', 'goose'] },
    { env: (_io, root) => ({ GOOSE_PATH_ROOT: root }), move: ['.local/share/goose', 'data'] },
  ],
  lines: { session: '20250325_200615', unknown: '{"role":"from-the-future","created":1742932579,"content":[]}' },
  openTransaction: (io) => {
    const database = openDatabase(databasePath(io))
    database.exec("BEGIN IMMEDIATE; UPDATE sessions SET name = 'half done'")
    return () => {
      database.exec('ROLLBACK')
      database.close()
    }
  },
})
