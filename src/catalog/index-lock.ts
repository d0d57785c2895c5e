import type { Io } from '../platform/io.ts'
import { livingProcess } from '../platform/process.ts'
import type { Database } from '../platform/sqlite.ts'
import { transaction } from './connection.ts'

/** Only one process at a time puts texts into the index. Its turn is a note with a time; a stale one is taken over. */
const STALE_MS = 60_000

interface Turn {
  readonly pid: number
  readonly at: number
}

/** False when another living process has the turn. */
export function takeTurn(database: Database, io: Io): boolean {
  return transaction(database, () => {
    const row = database.prepare("SELECT value FROM note WHERE key = 'turn'").get() as { value: string } | undefined
    const turn = row && (JSON.parse(row.value) as Turn)
    if (turn && turn.pid !== process.pid && livingProcess(turn.pid) && io.now().getTime() - turn.at < STALE_MS)
      return false
    keepTurn(database, io)
    return true
  })
}

/** Says that the work goes on; inside the transaction of the caller. */
export function keepTurn(database: Database, io: Io): void {
  const turn: Turn = { pid: process.pid, at: io.now().getTime() }
  database.prepare("INSERT OR REPLACE INTO note(key, value) VALUES ('turn', ?)").run(JSON.stringify(turn))
}

export function endTurn(database: Database): void {
  database.prepare("DELETE FROM note WHERE key = 'turn'").run()
}
