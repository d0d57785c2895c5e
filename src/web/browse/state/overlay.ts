import { signal } from '@preact/signals'

export type OverlayName = 'palette' | 'help' | 'export' | 'share' | 'handover' | 'edit'

/** The open dialog. */
export const overlay = signal<OverlayName | undefined>(undefined)
/** Whether the field to find text in the transcript is open. */
export const isFinding = signal(false)
/** On a narrow page the rail of prompts is opened over the transcript. */
export const isRailOpen = signal(false)
