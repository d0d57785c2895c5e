// ~/.cursor/chats/<md5 of cwd>/<id>/store.db and meta.json: protobuf blobs named by their SHA-256.
import { createHash } from 'node:crypto'
import { project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import { type Database, insert, type SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Sample, SampleSession, ToolCall, Turn } from '../../../../scripts/samples/story.ts'
import { type Field, message } from '../write-message.ts'

export default {
  sessions: [
    {
      title: 'Show the stock on the product page',
      start: '2026-11-11T12:10:05Z',
      model: 'gpt-5',
      steps: [
        { user: 'Show "only 3 left" on the product page when the stock is low. It must not slow the page down.' },
        {
          shell: 'grep -n "stock" src/routes/product.ts src/views/product.html',
          output: 'src/routes/product.ts:21:  const stock = await stockOf(sku)',
        },
        { say: 'The stock is loaded already and only not shown. I add it to the view.' },
        {
          shell:
            'sed -i \'/<h1>/a <p class="stock">{{#low}}only {{stock}} left{{/low}}</p>\' src/views/product.html && git diff --stat',
          output: ' src/views/product.html | 1 +\n 1 file changed, 1 insertion(+)',
        },
        { say: 'Below five pieces the page now says how many are left. No new query: the number was there.' },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const md5 = createHash('md5').update(project).digest('hex')
  for (const session of sessions) {
    const { id, turns, end } = session
    const start = Date.parse(session.start)
    const folder = `.cursor/chats/${md5}/${id}`
    home.json(
      `${folder}/meta.json`,
      { schemaVersion: 1, createdAtMs: start, updatedAtMs: end, hasConversation: true, cwd: project },
      end,
    )
    home.database(`${folder}/store.db`, end, (database) => {
      database.exec(
        'CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)',
      )
      const latestRootBlobId = writeBlobs(database, turns, id, start)
      const meta = {
        agentId: id,
        latestRootBlobId,
        name: session.title,
        mode: 'default',
        createdAt: start,
        lastUsedModel: session.model,
      }
      insert(database, 'meta', { key: '0', value: Buffer.from(JSON.stringify(meta)).toString('hex') })
    })
  }
}

/** The field numbers are those of agent.v1. Returns the id of the root. */
function writeBlobs(database: Database, turns: readonly Turn[], id: string, start: number): string {
  const put = (data: Uint8Array): Buffer => {
    const hash = createHash('sha256').update(data).digest()
    database.prepare('INSERT OR IGNORE INTO blobs (id, data) VALUES (?, ?)').run(hash.toString('hex'), data)
    return hash
  }
  const rounds: Field[][] = []
  for (const [n, turn] of turns.entries()) {
    if (turn.user !== undefined) {
      const said = put(message([1, turn.user], [2, uuid(id, n)], [4, 1], [25, turn.at]))
      rounds.push([[1, said]])
      continue
    }
    const steps = rounds.at(-1)
    if (!steps) throw new Error('the story begins with a prompt')
    if (turn.thought) steps.push([2, put(message([3, message([1, turn.thought], [2, 1200])]))])
    if (turn.text) steps.push([2, put(message([1, message([1, turn.text], [2, turn.at])]))])
    if (turn.call) steps.push([2, put(message([2, message([1, shellCall(turn.call)])]))])
  }
  const ids = rounds.map((fields): Field => [8, put(message([1, message(...fields)]))])
  return put(message(...ids, [26, start])).toString('hex')
}

function shellCall(call: ToolCall): Buffer {
  if (call.kind !== 'shell') throw new Error('only shell calls are known here')
  const args = message([1, call.command], [2, project], [4, `call_${call.id}`])
  const outcome = message([1, call.command], [2, project], [3, call.code], [5, resultOf(call)])
  return message([1, args], [2, message([call.failed ? 2 : 1, outcome])])
}
