import { render } from 'preact'
import { start } from './state/live.ts'
import { App } from './view/app.tsx'
import './style/base.css'
import './style/layout.css'
import './style/conversation.css'
import './style/code.css'

const page = document.getElementById('page')
if (page) {
  page.replaceChildren()
  render(<App />, page)
  start()
}
