/** Below this all sizes are the same. */
const SMALLEST = 256

/**
 * The size to which so many bytes are padded: Padmé (Nikitin et al., "Reducing Metadata Leakage … with PURBs", 2019).
 * It keeps as many leading bits of the size as its exponent has bits, so a size gives away O(log log n) bits, and at
 * most 12 % is added.
 */
export function paddedSize(size: number): number {
  if (size <= SMALLEST) return SMALLEST
  const exponent = floorLog2(size)
  const unit = 2 ** (exponent - floorLog2(exponent) - 1)
  return Math.ceil(size / unit) * unit
}

/** Of an integer from 1 to 2^32 - 1. */
function floorLog2(value: number): number {
  return 31 - Math.clz32(value)
}
