/** The CPU time of a shell's children, from what its `times` printed: two lines, the second of which is theirs. */
export function childrenCpuMs(times: string): number {
  const children = times.split('\n')[1] ?? ''
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + (Number(m) * 60 + Number(s)) * 1000,
    0,
  )
}
