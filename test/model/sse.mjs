// How a streamed answer is cut into frames: server-sent events, or one JSON object per line.

/** @param {string} name @param {object} data */
export function namedEvent(name, data) {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** @param {object | string} data a string is sent as it stands, for markers such as `[DONE]` */
export function plainEvent(data) {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** @param {object} data */
export function jsonLine(data) {
  return `${JSON.stringify(data)}\n`
}

/** A text as a model streams it: in several pieces, cut between words. @param {string} text */
export function pieces(text) {
  return text.match(/.{1,24}(?=\s|$)|.{1,24}/gsu) ?? []
}
