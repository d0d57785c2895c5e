/** A limit of a vendor, as an agent has stored it on this machine. Nobody is asked for it. */
export interface Quota {
  readonly agent: string
  /** From the length of the window: `5 hours`, `7 days`. */
  readonly label: string
  readonly used_percent: number
  /** ISO; null where it is not known. */
  readonly resets_at: string | null
  /** When the agent stored it. */
  readonly seen_at: string
}

/** `5 hours`, `7 days`, `90 minutes`. */
export function windowLabel(minutes: number): string {
  const units = [
    [1440, 'day'],
    [60, 'hour'],
    [1, 'minute'],
  ] as const
  const [length, unit] = units.find(([length]) => minutes >= length && minutes % length === 0) ?? [1, 'minute']
  const count = minutes / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
