import { createHash } from 'node:crypto'
import type { Sealer } from '../../src/replica/seal/sealer.ts'

function checkOf(key: string, plain: Uint8Array): Buffer {
  return createHash('sha256').update(`${key}\n`).update(plain).digest()
}

/** Only tells when something was changed or put at another place. */
export const checkingSealer: Sealer = {
  isEncrypted: false,
  storeId: '0'.repeat(32),
  seal: (key, plain) => Buffer.concat([checkOf(key, plain), plain]),
  open: (key, sealed) => {
    const plain = Buffer.from(sealed.subarray(32))
    if (!checkOf(key, plain).equals(sealed.subarray(0, 32))) throw new Error('was changed')
    return plain
  },
  name: (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32),
}
