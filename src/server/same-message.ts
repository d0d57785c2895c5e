import type { Message, Part } from './message.ts'

/** Whether a reader would see no difference. Asked for every message after every change, so what is the same object counts at once. */
export function isSameMessage(a: Message, b: Message): boolean {
  return (
    a.id === b.id &&
    a.done === b.done &&
    a.time === b.time &&
    a.role === b.role &&
    a.parts.length === b.parts.length &&
    a.content === b.content &&
    a.parts.every((part, at) => isSamePart(part, b.parts[at]!))
  )
}

function isSamePart(a: Part, b: Part): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
