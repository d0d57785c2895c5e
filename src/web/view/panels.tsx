import type { JSX } from 'preact'
import type { overlay } from '../state/overlay.ts'
import { ExportDialog } from './export-dialog.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { Terminal } from './terminal.tsx'
import '../style/panels.css'

/** The overlays. Loaded when the first of them is opened. */
export const panels: Readonly<Record<NonNullable<typeof overlay.value>, () => JSX.Element>> = {
  share: ShareDialog,
  export: ExportDialog,
  help: HelpDialog,
  terminal: Terminal,
}
