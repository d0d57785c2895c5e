/**
 * Paths within the project, relative to it: shorter, and what the reader would type. `.` for the project itself; paths of
 * folders that only begin with its name stay.
 */
export function relativePaths(text: string, project: string | undefined): string {
  const root = project?.replace(/[\\/]+$/, '') ?? ''
  if (root === '' || !text.includes(root)) return text
  return text.replace(patternOf(root), (_, separator?: string) => (separator ? '' : '.'))
}

const patterns = new Map<string, RegExp>()

function patternOf(root: string): RegExp {
  const known = patterns.get(root)
  if (known) return known
  const literal = root.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const end = `\\s'"\`;:,|&()<>`
  const pattern = new RegExp(`(?<![\\w.~/\\\\-])${literal}(?:([\\\\/])(?=[^${end}])|[\\\\/]?(?=$|[${end}]))`, 'g')
  patterns.set(root, pattern)
  return pattern
}
