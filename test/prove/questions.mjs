// What a scenario asks of the stub's log and of the transcript.
import { holds } from './checks.mjs'

/** All that was sent with the last turn, as one text. @param {import('./scene.mjs').Scene} scene */
export function lastHistory(scene) {
  return scene.model.log
    .lastHistory()
    .map(({ role, text, calls, results }) =>
      [
        role,
        text,
        ...calls.map((call) => `${call.name} ${JSON.stringify(call.input)}`),
        ...results.map(({ text }) => text),
      ].join(' '),
    )
    .join('\n')
}

/** @param {import('./scene.mjs').Scene} scene @param {string[]} texts */
export function historyHolds(scene, ...texts) {
  const history = lastHistory(scene)
  for (const text of texts)
    holds(`the history that was sent lacks "${text.slice(0, 60)}"`, history.includes(text), history)
}

/** The user's prompts in each session, as Ion reads them back. @param {import('./scene.mjs').Scene} scene */
export async function promptsRead(scene) {
  const rows = await scene.sessions()
  return Promise.all(
    rows.map(async ({ id }) =>
      (await scene.events(id)).filter(({ type }) => type === 'user').map((event) => textOf(event.content)),
    ),
  )
}

/** @param {string | { type: string, text?: string }[]} content */
export function textOf(content) {
  return (typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')).trim()
}
