import { type Database, transaction } from '../../platform/sqlite.ts'

/**
 * Decides in which session a call counts that several contain: forks, resumed sessions, replays by sub-agents, archived copies.
 * It is the session that knows most of it, and of those that know the same the earliest, so that the answer depends neither on
 * the order in which sessions were indexed nor on copies that are made later. Only reports need it, so it is done for them.
 */
export function settleCalls(database: Database): void {
  if (isSettled(database)) return
  transaction(database, () => {
    database.exec(`
      CREATE TEMP TABLE IF NOT EXISTS shared_call(identity INTEGER PRIMARY KEY);
      DELETE FROM shared_call;
      INSERT INTO shared_call
        SELECT identity FROM model_call WHERE identity IN (
          SELECT identity FROM model_call WHERE session IN (SELECT session FROM unsettled_session)
          UNION SELECT identity FROM unsettled_call)
        GROUP BY identity HAVING min(session) <> max(session) OR max(repeats) = 1;
      UPDATE model_call SET repeats = ranked.place > 1 FROM (
        SELECT identity, session,
          row_number() OVER (PARTITION BY identity ORDER BY known DESC, created_at, is_copy, id, session) AS place
        FROM (
          SELECT call.identity, call.session, sum(call.input + call.output + call.cache_read + call.cache_write) AS known,
            ifnull(stored.created_at, '~') AS created_at, stored.store <> stored.agent AS is_copy, stored.id
          FROM shared_call JOIN model_call AS call USING (identity) JOIN stored_session AS stored ON stored.key = call.session
          GROUP BY call.identity, call.session)
      ) AS ranked
      WHERE model_call.identity = ranked.identity AND model_call.session = ranked.session
        AND repeats <> (ranked.place > 1);
      DELETE FROM shared_call;
      DELETE FROM unsettled_session;
      DELETE FROM unsettled_call;`)
  })
}

function isSettled(database: Database): boolean {
  const { found } = database
    .prepare('SELECT EXISTS(SELECT 1 FROM unsettled_session) OR EXISTS(SELECT 1 FROM unsettled_call) AS found')
    .get() as { found: number }
  return found === 0
}
