/** `1,234,567`. Not toLocaleString: loading its tables takes longer than all else that a short command does. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** `1 message`, `1,200 messages`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** `1.2 MB`. */
export function bytes(count: number): string {
  return scaled(count, [' B', ' kB', ' MB', ' GB', ' TB'])
}

/** `1.2k`, `3.4M`. */
export function amount(count: number): string {
  return scaled(count, ['', 'k', 'M', 'G'])
}

/** Two digits and the unit, except that whole numbers below a thousand are kept. */
function scaled(count: number, units: readonly string[]): string {
  let value = count
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : Number(value.toPrecision(2))}${units[unit]}`
}
