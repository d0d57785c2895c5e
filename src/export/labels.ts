import { formatCount } from '../platform/format-count.ts'

/** `2026-03-12 14:02 UTC`, independent of the reader's time zone. */
export function dayAndTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

/** The decoded size of base64: `34 kB`. */
export function dataSize(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4)
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** The note about branches that a document does not show. */
export function leftOut(events: number): string {
  if (events === 1) return '1 event on other branches is not shown; --branch all shows it.'
  return `${formatCount(events)} events on other branches are not shown; --branch all shows them.`
}
