import { useEffect, useState } from 'preact/hooks'

/** The time, once a second; without `isTicking` it stands still. */
export function useClock(isTicking = true): number {
  const [now, tick] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    tick(Date.now())
    const timer = setInterval(() => tick(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isTicking])
  return now
}
