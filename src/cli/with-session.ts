import type { SessionLookup } from '../catalog/catalog.ts'
import { openSession } from '../catalog/open-session.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { attempt } from '../platform/error.ts'
import type { Context } from './command.ts'
import { progressLine } from './progress.ts'

interface NamedSession {
  readonly row: SessionRow
  /** Which of the references named it. */
  readonly reference: string
  /** Knows this session, if not more. */
  readonly catalog: SessionLookup
}

/**
 * Runs `body` with the session named by the first of `references` that names one. `remote`: also one that is stored on its
 * agent's server. If none does, the index is fully updated, and then the last of them is an error.
 */
export async function withSession<T>(
  context: Context,
  references: readonly [...string[], string],
  { remote }: { readonly remote: boolean },
  body: (session: NamedSession) => T | Promise<T>,
): Promise<T> {
  const opened = remote ? undefined : await openQuickly(references, context)
  if (opened) return body({ ...opened, catalog: opened.lookup })
  const { findFresh, withCatalog } = await import('./with-catalog.ts')
  return withCatalog(context, async (local) => {
    const catalog = remote ? (await import('./remote-sessions.ts')).withRemote(local, context) : local
    const reference = references.find((one) => attempt(() => catalog.find(one))) ?? references.at(-1)!
    return body({ row: findFresh(catalog, reference, context), reference, catalog })
  })
}

async function openQuickly(references: readonly string[], context: Context): ReturnType<typeof openSession> {
  const progress = progressLine(context)
  try {
    return await openSession(context.io, references, progress.onProgress)
  } finally {
    progress.clear()
  }
}

/** `id` or `id#event`; a title may have such a sign, too. */
export function placesIn(reference: string): [...string[], string] {
  const at = reference.lastIndexOf('#')
  return at <= 0 ? [reference] : [reference, reference.slice(0, at)]
}
