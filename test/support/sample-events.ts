import type { IonEvent } from '../../src/events/schema.ts'

type Body<T> = T extends unknown ? Omit<T, 'id' | 'parent_id' | 'timestamp' | 'seq'> & { id?: string } : never

/** A log with the given events: session_start first, each a child of the previous one, a second apart. */
export function sampleLog(...bodies: Body<IonEvent>[]): IonEvent[] {
  const start: Body<IonEvent> = {
    type: 'session_start',
    v: 1,
    session_id: '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d',
    agent: 'an-agent',
    native_id: 'n1',
    cwd: '/home/ann/shop',
    project: '/home/ann/shop',
    title: 'Fix the *cart*',
    source: { agent_version: '1.0', format: 'x' },
  }
  let parent: string | null = null
  return [start, ...bodies].map((body, seq) => {
    const id = body.id ?? `e${seq}`
    const timestamp = new Date(Date.UTC(2026, 2, 12, 14, 0, seq)).toISOString()
    const event = { ...body, id, parent_id: parent, timestamp, seq } as IonEvent
    parent = id
    return event
  })
}
