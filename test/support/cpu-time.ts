/** Seconds of computing that it took: a busy machine makes one wait longer, but hardly compute longer. */
export function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
