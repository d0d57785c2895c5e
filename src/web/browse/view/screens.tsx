import type { JSX } from 'preact'
export const screens: Readonly<Record<'search' | 'files' | 'usage' | 'agents', () => JSX.Element>> = {
  search: () => <p>…</p>,
  files: () => <p>…</p>,
  usage: () => <p>…</p>,
  agents: () => <p>…</p>,
}
