import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { overlay, tell } from '../state/overlay.ts'

const panels = signal<typeof import('./panels.tsx')['panels'] | undefined>(undefined)

/** The overlay, once its code is loaded. */
export function Panel(): JSX.Element | null {
  if (!overlay.value) return null
  const Shown = panels.value?.[overlay.value]
  if (Shown) return <Shown />
  import('./panels.tsx').then(
    (module) => (panels.value = module.panels),
    () => {
      overlay.value = undefined
      tell('This part of the page could not be fetched.', true)
    },
  )
  return null
}
