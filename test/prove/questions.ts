// What scenarios ask of the stub's log and of the transcript.

import type { Content, EventOf, EventType, IonEvent } from '../../src/events/event.ts'
import { holds } from './checks.ts'
import type { Scene } from './scene.ts'

/** Everything that was sent with the last turn, as one text. */
function lastHistory(scene: Scene): string {
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

export function historyHolds(scene: Scene, ...texts: string[]): void {
  const history = lastHistory(scene)
  for (const text of texts)
    holds(`the history that was sent does not have "${text.slice(0, 60)}"`, history.includes(text), history)
}

/** The user's prompts in each session, as Ion reads them back. */
export async function promptsRead(scene: Scene): Promise<string[][]> {
  const rows = await scene.sessions()
  return Promise.all(
    rows.map(async ({ id }) => eventsOf(await scene.events(id), 'user').map(({ content }) => textOf(content))),
  )
}

export function eventsOf<T extends EventType>(events: readonly IonEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}

export function textOf(content: Content): string {
  const text =
    typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return text.trim()
}
