/**
 * Older versions wrapped what a command printed: `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.3}}`.
 * The wrapper is removed, so that the text can be read and searched; nothing else that looks like JSON is touched.
 */
export const WRAPPED = '{"output":"'
const WRAP_END = /","metadata":\{"exit_code":(-?\d+),"duration_seconds":[\d.e+-]+\}\}$/
/** Newer versions put a few lines before the output instead. */
const EXIT_LINE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const EXIT_HEAD = 400
const WRAP_TAIL = 120

export interface Output {
  readonly text: string
  readonly failed: boolean
}

export function readOutput(text: string): Output {
  const end = text.startsWith(WRAPPED) ? WRAP_END.exec(text.slice(-WRAP_TAIL)) : null
  if (!end) return { text, failed: isFailure(EXIT_LINE.exec(headLines(text))?.[1]) }
  try {
    const { output } = JSON.parse(text) as { output: string }
    return { text: output, failed: isFailure(end[1]) }
  } catch {
    return { text, failed: false }
  }
}

/** The lines before the output itself, which may say anything. */
function headLines(text: string): string {
  const head = text.slice(0, EXIT_HEAD)
  const body = head.indexOf('\nOutput:\n')
  return body < 0 ? '' : head.slice(0, body)
}

function isFailure(exitCode: string | undefined): boolean {
  return exitCode !== undefined && exitCode !== '0'
}

/** True when the wrapped text has the expected end: `tail` is its end, decoded. */
export function endsWrapped(tail: string): boolean {
  return WRAP_END.test(tail)
}
