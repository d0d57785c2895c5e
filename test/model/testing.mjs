// What the tests of the stub model share: asking it over HTTP, and the log without what differs from run to run.
import { onTestFinished } from 'vitest'
import { startModel } from './server.mjs'

/** A model whose ids are known, closed when the test ends. @param {Parameters<typeof startModel>[0]} [options] */
export async function scratchModel(options) {
  const model = await startModel({ seed: 'x', ...options })
  onTestFinished(() => model.close())
  return model
}

/** @param {{url: string}} model @param {string} path @param {object} body @param {RequestInit} [init] */
export function post(model, path, body, init) {
  return fetch(model.url + path, { method: 'POST', body: JSON.stringify(body), ...init })
}

/** Every `data:` of a stream of events, parsed. @param {Response} response @returns {Promise<any[]>} */
export async function streamed(response) {
  const text = await response.text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => (data === '[DONE]' ? data : JSON.parse(data)))
}

/** @param {Awaited<ReturnType<typeof startModel>>} model */
export function logged(model) {
  return model.log.entries.map(({ at, ...entry }) => entry)
}

/** A message of the log. @param {'user' | 'assistant' | 'tool' | 'system'} role @param {string} text @param {object} [more] */
export function message(role, text, more) {
  return { role, text, calls: [], results: [], ...more }
}
