// What the local-first Amp of 2026-01 asks of its service besides the model: POST /api/internal?<method>.

const USER = { id: 'user_stub', email: 'dev@example.com', username: 'dev', firstName: 'Dev', lastName: 'Stub' }

/** @type {Record<string, unknown>} */
const RESULTS = {
  getUserInfo: { ...USER, features: [], team: null, mysteriousMessage: null, siteAdmin: false },
  getUserFreeTierStatus: { canUseAmpFree: false, isDailyGrantEnabled: false },
  getThreadLinkInfo: { creatorUserID: USER.id, visibility: 'private', sharedGroupIDs: [] },
  uploadThread: {},
  listThreads: { threads: [], hasMore: false },
  loadPlugins: [],
  loadSkills: [],
}

/** @param {import('./protocol.mjs').HttpCall} call @returns {object | undefined} */
export function ampService({ path, query, body }) {
  if (path !== '/api/internal') return undefined
  const method = body?.method ?? query.replace(/[=&].*/, '')
  return { ok: true, result: RESULTS[method] ?? {} }
}
