import { thousands } from '../platform/format-count.ts'
/** `1 message`, `1,200 messages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`
}
