/** One event of a server's event stream. */
export interface StreamEvent {
  readonly name: string
  readonly data: string
  /** The id of this event, or of the last one before it that had one. */
  readonly id: string
}

/**
 * Parses a stream in pieces, split anywhere, and returns the events that each piece completes. Comments (heartbeats) are
 * skipped.
 */
export function eventReader(): (piece: string) => StreamEvent[] {
  let rest: string[] = []
  let id = ''
  let name = ''
  let data: string[] = []

  const line = (text: string): StreamEvent | undefined => {
    if (text === '') {
      const event = data.length > 0 ? { name: name || 'message', data: data.join('\n'), id } : undefined
      name = ''
      data = []
      return event
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id') id = value
    return undefined
  }

  return (piece) => {
    // A long line comes in many pieces, and is parsed once, when it is complete.
    if (!/[\r\n]/.test(piece) && !rest.at(-1)?.endsWith('\r')) {
      rest.push(piece)
      return []
    }
    const lines = (rest.join('') + piece).split(/\r\n|\n|\r(?!$)/)
    rest = [lines.pop() ?? '']
    return lines.flatMap((text) => line(text) ?? [])
  }
}
