import { render } from 'preact'
import { copyCodeOf } from '../view/copy-button.tsx'
import { loadAbilities } from './state/abilities.ts'
import { followChanges } from './state/changes.ts'
import { followLinks } from './state/route.ts'
import { startSession } from './state/session.ts'
import { loadFilters, startList } from './state/sessions.ts'
import { Shell } from './view/shell.tsx'
import '../style/layout.css'
import '../style/conversation.css'
import '../style/code.css'
import '../style/browse.css'

/** The browser of all sessions: `ion web`. */
export function open(page: HTMLElement): void {
  document.documentElement.dataset.app = 'browse'
  document.addEventListener('click', followLinks)
  document.addEventListener('click', (event) => copyCodeOf(event.target))
  startList()
  startSession()
  followChanges()
  void loadFilters()
  void loadAbilities()
  render(<Shell />, page)
}
