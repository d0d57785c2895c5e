// How a streamed answer is cut into frames: server-sent events, or one JSON object per line.

export function namedEvent(name: string, data: object) {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** A string is sent as it is, for markers such as `[DONE]`. */
export function plainEvent(data: object | string) {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

export function jsonLine(data: object) {
  return `${JSON.stringify(data)}\n`
}

/** A text as a model streams it: in pieces, split between words. */
export function pieces(text: string) {
  return text.match(/.{1,24}(?=\s|$)|.{1,24}/gsu) ?? []
}
