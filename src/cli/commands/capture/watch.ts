import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import { findAgent } from '../../../agents/find.ts'
import { Archive } from '../../../archive/archive.ts'
import type { NewEvents } from '../../../archive/watch/ingest.ts'
import { ArchiveWatch } from '../../../archive/watch/watch.ts'
import type { Located } from '../../../catalog/read-session.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { Context } from '../../command.ts'
import { progressLine } from '../../progress.ts'
import { oneLine } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { type CaptureCommandOptions, captureOne } from './run.ts'

/** After this long, other processes get a chance to write to the archive, and signals are handled. */
const BATCH_MS = 1000
const LEASE_MS = 100

/** Archives everything new, then whatever agents write, until a signal arrives. */
export async function watch(options: CaptureCommandOptions, context: Context): Promise<ExitKind> {
  const chosen = chosenAgents(options)
  const { out, err } = context
  const report = (arrival: NewEvents): void => out.write(options.json ? asJson(arrival, context) : asLine(arrival))
  const watching = new ArchiveWatch(chosen, context.io, {
    onArrival: report,
    onTrouble: (message) => err.write(`ion: ${plain(message)}\n`),
  })
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  try {
    // First, so that nothing written during the initial capture is missed.
    watching.listen()
    const sessions = await sessionsOf(chosen, context)
    for (const signal of signals) process.on(signal, end)
    await captureMissed(sessions, report, ending.signal, context)
    if (!ending.signal.aborted) {
      watching.start()
      err.write(`watching ${pluralize(watching.folders, 'folder')} of ${pluralize(chosen.length, 'agent')}\n`)
      await aborted(ending.signal)
    }
  } finally {
    watching.stop()
    for (const signal of signals) process.off(signal, end)
  }
  return 'ok'
}

function chosenAgents(options: CaptureCommandOptions): Agent[] {
  return options.agent.length > 0 ? options.agent.map(findAgent) : agents.filter((agent) => !agent.isArchive)
}

/** From the index, which is closed again, since this process may live for weeks. */
function sessionsOf(chosen: readonly Agent[], context: Context): Promise<Located[]> {
  return withCatalog(context, (catalog) => {
    refreshed(catalog, context, { extent: 'full' })
    const rows = catalog.sessions({ hidden: true, subAgents: true }).map((row) => catalog.locate(row))
    return rows.filter(({ reader }) => chosen.includes(reader))
  })
}

async function captureMissed(
  sessions: readonly Located[],
  report: (arrival: NewEvents) => void,
  signal: AbortSignal,
  context: Context,
): Promise<void> {
  const progress = progressLine(context)
  try {
    for (let done = 0; done < sessions.length && !signal.aborted; ) {
      const archive = await archiveWhenFree(signal, context)
      if (!archive) return
      const begun = performance.now()
      try {
        while (done < sessions.length && performance.now() - begun < BATCH_MS) {
          progress.onProgress({ phase: 'archiving', done, total: sessions.length })
          const session = sessions[done++]!
          const { head, reader: agent } = session
          const captured = captureOne(archive, session)
          if ('error' in captured) context.err.write(`ion: ${agent.id} ${head.id}: ${plain(captured.error)}\n`)
          else if (captured.added > 0) report({ agent, head, added: captured.added, problems: captured.problems })
        }
      } finally {
        archive.close()
      }
      await turn()
    }
  } finally {
    progress.clear()
  }
}

/** Undefined when the signal came first. */
async function archiveWhenFree(signal: AbortSignal, { io }: Context): Promise<Archive | undefined> {
  while (!signal.aborted) {
    try {
      return new Archive(io, 0)
    } catch (error) {
      if (!(error instanceof IonError) || error.kind !== 'refused') throw error
      await wait(LEASE_MS)
    }
  }
  return undefined
}

function asJson({ agent, head, added, problems }: NewEvents, { io }: Context): string {
  const archived_at = io.now().toISOString()
  return `${toJsonText({ id: head.id, agent: agent.id, added, problems, archived_at })}\n`
}

function asLine({ agent, head, added }: NewEvents): string {
  const title = head.title === null ? '' : `  ${oneLine(head.title)}`
  return `${agent.id}  ${head.id}  ${pluralize(added, 'new event')}${title}\n`
}

/** Keeps the process alive even if there is no folder to watch yet. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, 2 ** 30)
    signal.addEventListener('abort', () => {
      clearInterval(alive)
      resolve()
    })
  })
}
