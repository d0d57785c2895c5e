import { formatCount } from '../platform/format-count.ts'

/** `2026-03-12 14:02 UTC`, independent of the reader's time zone. */
export function dayAndTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

/** The decoded size of base64: `34 kB`. */
export function dataSize(base64: string): string {
  return sizeLabel(Math.floor((base64.length * 3) / 4))
}

export function sizeLabel(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** `950`, `1.2k`, `34k`, `5.6M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count)
  const [value, unit] = count < 999_500 ? [count / 1e3, 'k'] : [count / 1e6, 'M']
  return `${value < 9.95 ? value.toFixed(1) : formatCount(Math.round(value))}${unit}`
}

/** `1 message`, `1,234 messages`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`
}

/** The note about branches that a document does not show. */
export function leftOut(events: number): string {
  if (events === 1) return '1 event on other branches is not shown; --branch all shows it.'
  return `${formatCount(events)} events on other branches are not shown; --branch all shows them.`
}
