// Small statistics.

export function median(numbers) {
  return quantile(numbers, 0.5)
}

export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/**
 * Runs several things in turn, so many times, each time in the other order: what else the machine does falls on all of
 * them alike. Gives the results of each by name.
 */
export async function interleaved(rounds, runs) {
  const names = Object.keys(runs)
  const results = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) results[name].push(await runs[name]())
  }
  return results
}

/** CPU of `a` to that of `b`: of the medians, with the lowest and the highest of a round. */
export function cpuRatio(a, b) {
  const cpu = (results) => results.map(({ cpuMs }) => cpuMs)
  const each = a.map(({ cpuMs }, round) => cpuMs / b[round].cpuMs)
  return { value: median(cpu(a)) / median(cpu(b)), low: Math.min(...each), high: Math.max(...each) }
}

/** `1.12 to 1.31 in 5 rounds; 90 against 75 ms` */
export function ratioDetail(a, b) {
  const { low, high } = cpuRatio(a, b)
  const ms = (results) => Math.round(median(results.map(({ cpuMs }) => cpuMs))).toLocaleString('en')
  const rounds = `${a.length} ${a.length === 1 ? 'round' : 'rounds'}`
  return `${low.toFixed(2)} to ${high.toFixed(2)} in ${rounds}; ${ms(a)} against ${ms(b)} ms of CPU`
}
