// Small statistics.

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

/**
 * Runs several things in turn, each round in the other order, so that whatever else the machine does affects all of them
 * alike. Returns the results of each by name.
 */
export async function interleaved<Runs extends Readonly<Record<string, () => Promise<unknown>>>>(
  rounds: number,
  runs: Runs,
): Promise<{ readonly [Name in keyof Runs]: Awaited<ReturnType<Runs[Name]>>[] }> {
  const names: (keyof Runs)[] = Object.keys(runs)
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as {
    [Name in keyof Runs]: Awaited<ReturnType<Runs[Name]>>[]
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      results[name].push((await runs[name]!()) as Awaited<ReturnType<Runs[typeof name]>>)
    }
  }
  return results
}

interface Cpu {
  readonly cpuMs: number
}

/** CPU of `a` to that of `b`: of the medians, with the lowest and the highest of a round. */
export function cpuRatio(a: readonly Cpu[], b: readonly Cpu[]): { value: number; low: number; high: number } {
  const cpu = (results: readonly Cpu[]): number[] => results.map(({ cpuMs }) => cpuMs)
  const each = a.map(({ cpuMs }, round) => cpuMs / b[round]!.cpuMs)
  return { value: median(cpu(a)) / median(cpu(b)), low: Math.min(...each), high: Math.max(...each) }
}

/** `1.12 to 1.31 in 5 rounds; 90 against 75 ms` */
export function ratioDetail(a: readonly Cpu[], b: readonly Cpu[]): string {
  const { low, high } = cpuRatio(a, b)
  const ms = (results: readonly Cpu[]): string =>
    Math.round(median(results.map(({ cpuMs }) => cpuMs))).toLocaleString('en')
  const rounds = `${a.length} ${a.length === 1 ? 'round' : 'rounds'}`
  return `${low.toFixed(2)} to ${high.toFixed(2)} in ${rounds}; ${ms(a)} against ${ms(b)} ms of CPU`
}
