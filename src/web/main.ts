import './style/base.css'

/**
 * One page for two programs: the chat with one agent, which `ion serve` serves, and the browser of all sessions, for which
 * `ion web` marks the document. Each loads only its own code.
 */
const page = document.getElementById('page')
const isBrowser = document.documentElement.dataset.app === 'browse' || page?.dataset.app === 'browse'

const app = await (isBrowser ? import('./browse/browse.tsx') : import('./chat.tsx'))
if (page) {
  page.replaceChildren()
  app.open(page)
}
