// Numbers for people.
import type { Row } from './types.ts'

export function amount(number: number): string {
  return number.toLocaleString('en')
}

export function megabytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  return bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round(bytes / 1e3)} KB`
}

/** `p50 1.2 ms; p95 of CPU 3.4 ms; 200 times` */
export function timing({ p50, cpu95, count }: { p50: number; cpu95: number; count: number }): string {
  return `p50 ${p50.toFixed(2)} ms; p95 of the CPU time ${cpu95.toFixed(2)} ms; ${count} times`
}

/** A measured value or a goal with its unit. */
export function quantity(value: number, unit: Row['unit']): string {
  if (unit === 'x') return `${value.toFixed(2)} x`
  if (unit === '%') return `${value.toFixed(1)} %`
  if (unit === 'KB') return `${Math.round(value)} KB`
  if (unit === 'MB') return `${Math.round(value)} MB`
  if (unit === 'requests') return `${value} ${value === 1 ? 'request' : 'requests'}`
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
}
