import { useEffect, useState } from 'preact/hooks'

export interface Lines<Line> {
  readonly lines: readonly Line[]
  readonly isDone: boolean
  readonly error?: string
}

/** Lines as they arrive are shown in few steps: each would render the list again. */
const STEP_MS = 60

/** The lines of a stream; another key ends it and begins the next. Without a key nothing is requested. */
export function useLines<Line>(
  request: (signal: AbortSignal) => AsyncGenerator<Line>,
  key: string | undefined,
): Lines<Line> {
  const [state, setState] = useState<Lines<Line>>({ lines: [], isDone: false })
  useEffect(() => {
    setState({ lines: [], isDone: false })
    if (key === undefined) return
    const ending = new AbortController()
    const lines: Line[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (isDone: boolean): void => {
      clearTimeout(timer)
      timer = undefined
      setState({ lines: [...lines], isDone })
    }
    const read = async (): Promise<void> => {
      for await (const line of request(ending.signal)) {
        if (ending.signal.aborted) return
        lines.push(line)
        timer ??= setTimeout(() => show(false), STEP_MS)
      }
      if (!ending.signal.aborted) show(true)
    }
    read().catch((error: Error) => {
      if (!ending.signal.aborted) setState({ lines: [...lines], isDone: true, error: error.message })
    })
    return () => {
      ending.abort()
      clearTimeout(timer)
    }
  }, [key])
  return state
}
