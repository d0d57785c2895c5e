/** Compares numerically, part by part: 1.10 is newer than 1.9. Anything after a dash is ignored. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => (text.split(/[-+]/)[0] ?? '').split('.').map(Number))
  for (let part = 0; part < Math.max(left!.length, right!.length); part++) {
    const difference = (left![part] || 0) - (right![part] || 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}
