import { writeLetters } from './accent.ts'
import { wasm } from './wasm.ts'

/** The part that is used here; Node's types have none of it without the browser's. */
interface WebAssembly {
  readonly Module: new (bytes: Buffer) => object
  readonly Instance: new (module: object) => { readonly exports: Kernel }
}

/** See byte-search.wat. */
interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer }
  find(from: number, to: number, length: number, a: number, b: number): number
  /** `first` and `last` as in AccentTable. */
  findAccent(from: number, to: number, first: bigint, last: bigint): number
}

/** In its memory: the needle and its masks, the tables of accent.ts, and the bytes to search. */
export const MAX_NEEDLE = 256
export const POSITIONS = 512
export const LETTERS = 2560
export const DATA = 4096
/** So many bytes behind the end may be read. */
export const MARGIN = MAX_NEEDLE + 64
/** Read in one go: fits into the cache of a processor core. */
export const CHUNK = 256 * 1024

let loaded: { readonly kernel: Kernel; readonly memory: Buffer } | undefined

/** Loaded when first used. */
export function kernel(): { readonly kernel: Kernel; readonly memory: Buffer } {
  if (!loaded) {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly
    const { exports: kernel } = new Instance(new Module(Buffer.from(wasm, 'base64')))
    loaded = { kernel, memory: Buffer.from(kernel.memory.buffer) }
    writeLetters(loaded.memory)
  }
  return loaded
}
