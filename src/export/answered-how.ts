/** What Ion's own clients give as `by`, in a sentence. */
const CLIENTS: ReadonlyMap<string, string> = new Map([
  ['page', 'on the page'],
  ['ion attach --chat', 'in ion attach --chat'],
  ['HTTP', 'over HTTP'],
])

/** How a question was answered: `answered on the page`, `answered by mona`. */
export function answeredHow(by: string): string {
  return CLIENTS.get(by) ?? `by ${by}`
}
