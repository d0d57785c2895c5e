import { signal } from '@preact/signals'

/** A module that is loaded when it is first used. A component that uses it is rendered again when it is there. */
export interface Lazy<Module> {
  /** Undefined while it is being loaded; after a failure the next call tries again. */
  use(): Module | undefined
  isLoaded(): boolean
}

export function lazy<Module>(load: () => Promise<Module>, onError: () => void = () => {}): Lazy<Module> {
  const loaded = signal<{ readonly module: Module } | undefined>(undefined)
  let isLoading = false
  const start = async (): Promise<void> => {
    isLoading = true
    try {
      loaded.value = { module: await load() }
    } catch {
      onError()
    }
    isLoading = false
  }
  return {
    use() {
      if (!loaded.value && !isLoading) void start()
      return loaded.value?.module
    },
    isLoaded: () => loaded.value !== undefined,
  }
}
