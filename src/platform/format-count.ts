/** `1,234,567`. Not toLocaleString: loading its tables takes longer than all else that a short command does. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}
