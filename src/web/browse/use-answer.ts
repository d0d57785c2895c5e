import { useEffect, useState } from 'preact/hooks'

export interface Answer<Body> {
  readonly body?: Body
  readonly error?: string
}

/** What a request answered, or why it did not; asked again when `key` changes. The last answer stays until the next is there. */
export function useAnswer<Body>(request: () => Promise<Body>, key = ''): Answer<Body> {
  const [answer, setAnswer] = useState<Answer<Body>>({})
  useEffect(() => {
    let isCurrent = true
    request().then(
      (body) => isCurrent && setAnswer({ body }),
      (error: Error) => isCurrent && setAnswer({ error: error.message }),
    )
    return () => {
      isCurrent = false
    }
  }, [key])
  return answer
}
