import type { JSX } from 'preact'
import type { Screen } from '../state/route.ts'
import { AgentsScreen } from './agents-screen.tsx'
import { FilesScreen } from './files-screen.tsx'
import { SearchScreen } from './search-screen.tsx'
import { UsageScreen } from './usage-screen.tsx'
import '../../style/tables.css'
import '../../style/screens.css'

/** All screens but the first. Loaded when one of them is opened. */
export const screens: Readonly<Record<Exclude<Screen, 'sessions'>, () => JSX.Element>> = {
  search: SearchScreen,
  files: FilesScreen,
  usage: UsageScreen,
  agents: AgentsScreen,
}
