import { address } from '../api/server.ts'

/**
 * Text of the open chat that survives a reload: sessionStorage belongs to this tab. A tab may show one chat after the other, and
 * none of them should get what was written for another.
 */
export function tabStorage(name: string): { read(): string; write(text: string): void } {
  const key = (): string => `${name} ${new URL(address('')).pathname}`
  return {
    read: () => sessionStorage.getItem(key()) ?? '',
    write: (text) => (text === '' ? sessionStorage.removeItem(key()) : sessionStorage.setItem(key(), text)),
  }
}
