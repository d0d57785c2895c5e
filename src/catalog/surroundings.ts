import type { Io } from '../platform/io.ts'
import { version } from '../platform/version.ts'

/** Values that an adapter asked for while it listed its sources: with others it might list others. Null: not set. */
export type Surroundings = Readonly<Record<string, string | null>>

const ENV = 'env.'

/** The same environment, and what is asked of it from now on. Another version of Ion may look in other places. */
export function observed(io: Io): { readonly io: Io; readonly seen: Surroundings } {
  const seen: Record<string, string | null> = { version }
  const see = (key: string): void => {
    seen[key] = currentValue(key, io)
  }
  const env = new Proxy(io.env, {
    get(target, name) {
      if (typeof name === 'string') see(ENV + name)
      return Reflect.get(target, name) as string | undefined
    },
    has(target, name) {
      if (typeof name === 'string') see(ENV + name)
      return Reflect.has(target, name)
    },
  })
  const observedIo: Io = {
    ...io,
    env,
    get home() {
      see('home')
      return io.home
    },
    get cwd() {
      see('cwd')
      return io.cwd
    },
    get platform() {
      see('platform')
      return io.platform
    },
  }
  return { io: observedIo, seen }
}

export function isUnchanged(seen: Surroundings, io: Io): boolean {
  return Object.entries(seen).every(([key, value]) => value === (key === 'version' ? version : currentValue(key, io)))
}

function currentValue(key: string, io: Io): string | null {
  if (key.startsWith(ENV)) return io.env[key.slice(ENV.length)] ?? null
  return io[key as 'home' | 'cwd' | 'platform']
}
