import { render } from 'preact'
import { start } from './state/live.ts'
import { App } from './view/app.tsx'
import './style/layout.css'
import './style/conversation.css'
import './style/code.css'

/** The chat page of `ion serve`. */
export function open(page: HTMLElement): void {
  render(<App />, page)
  start()
}
