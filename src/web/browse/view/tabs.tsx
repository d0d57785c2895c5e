import type { JSX } from 'preact'
export const tabs: Readonly<Record<string, () => JSX.Element>> = {}
