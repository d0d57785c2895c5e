import { formatCount } from '../platform/format-count.ts'
/** `1 message`, `1,200 messages`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
