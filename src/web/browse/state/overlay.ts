import { signal } from '@preact/signals'

export type OverlayName = 'palette' | 'help' | 'export' | 'share' | 'handover' | 'edit'

/** The open dialog. */
export const overlay = signal<OverlayName | undefined>(undefined)
/** What was typed before the palette was loaded. */
export const typedAhead = signal('')
/** On a narrow page the rail of prompts is opened over the transcript. */
export const isRailOpen = signal(false)
