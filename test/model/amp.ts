// What the local-first Amp of 2026-01 asks of its service besides the model: POST /api/internal?<method>. What the service
// refuses is not known; requests to the model, which it passes on to Anthropic, are checked by Anthropic's rules.
import type { HttpCall } from './protocol.ts'

const USER = { id: 'user_stub', email: 'dev@example.com', username: 'dev', firstName: 'Dev', lastName: 'Stub' }

const RESULTS: Record<string, unknown> = {
  getUserInfo: { ...USER, features: [], team: null, mysteriousMessage: null, siteAdmin: false },
  getUserFreeTierStatus: { canUseAmpFree: false, isDailyGrantEnabled: false },
  getThreadLinkInfo: { creatorUserID: USER.id, visibility: 'private', sharedGroupIDs: [] },
  uploadThread: {},
  listThreads: { threads: [], hasMore: false },
  loadPlugins: [],
  loadSkills: [],
}

export function ampService({ path, query, body }: HttpCall): object | undefined {
  if (path !== '/api/internal') return undefined
  const method = (body as { method?: string }).method ?? query.replace(/[=&].*/, '')
  return { ok: true, result: RESULTS[method] ?? {} }
}
