// Numbers as a person reads them.

export function amount(number) {
  return number.toLocaleString('en')
}

export function megabytes(bytes) {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  return bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round(bytes / 1e3)} KB`
}

/** `p50 1.2 ms; p95 of CPU 3.4 ms; 200 times` */
export function timing({ p50, cpu95, count }) {
  return `p50 ${p50.toFixed(2)} ms; p95 of the CPU time ${cpu95.toFixed(2)} ms; ${count} times`
}

/** A measured value or a goal with its unit. */
export function quantity(value, unit) {
  if (unit === 'x') return `${value.toFixed(2)} x`
  if (unit === '%') return `${value.toFixed(1)} %`
  if (unit === 'KB') return `${Math.round(value)} KB`
  if (unit === 'MB') return `${Math.round(value)} MB`
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
}
