// The pictures of docs/serving.md: node e2e/web/pictures.mjs [folder] takes them of the built page (npm run build), with
// scripted histories behind it, at the widths of a telephone, a tablet and a desk, light and dark.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadSource } from '../../scripts/load-source.mjs'

const [to = 'docs/pictures', built = 'dist', only = ''] = process.argv.slice(2)
mkdirSync(to, { recursive: true })
const { mock, chromium, histories } = await loadSource({
  mock: 'e2e/web/mock-server.ts',
  chromium: 'e2e/web/chromium.ts',
  histories: 'e2e/web/histories.ts',
})

const server = new mock.MockServer(resolve(built, 'web'))
server.messages = histories.work()
await server.start()
const browser = await chromium.openChromium()

const DIALOG = `
 Do you trust the files in this folder?

 /home/dev/shop

 Codex may read, write, or execute files contained here.

 ❯ 1. Yes, I trust this folder
   2. No, exit

 Enter to confirm · Esc to exit`

const scenes = {
  work: async (page) => {
    await page.getByRole('button', { name: /Edit/ }).click()
    await page.getByText('if (await ledger.has(event.id)) return ok()').first().waitFor()
  },
  end: async () => undefined,
  waiting: async (page) => {
    server.setStatus({ waiting_for: 'trust dialog' })
    server.setScreen(DIALOG)
    await page.getByRole('button', { name: 'Answer in the terminal' }).click()
    await page.getByText('Yes, I trust').waitFor()
  },
  banner: async (page) => {
    server.setStatus({ waiting_for: 'trust dialog' })
    await page.getByRole('button', { name: 'Answer in the terminal' }).waitFor()
  },
  working: async (page) => {
    server.setStatus({ status: 'running' })
    server.put({
      ...histories.agent(3, ...histories.call('x', 'Bash', { command: 'npm test -- refunds jobs' })),
      done: false,
    })
    await page.getByText('running').waitFor()
  },
  search: async (page) => {
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox').fill('ledger')
    await page
      .getByText(/message \d+ of \d+/)
      .first()
      .waitFor()
  },
  share: async (page) => {
    await page.getByRole('textbox', { name: /Message/ }).fill('/share')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy Markdown' }).waitFor()
  },
  help: async (page) => {
    await page.getByRole('button', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
  },
  offers: async (page) => {
    await page.getByRole('textbox', { name: /Message/ }).fill('/')
    await page.getByRole('option').first().waitFor()
  },
  many: async (page) => {
    server.messages = histories.many(5000)
    await page.reload()
    await page.getByText('Answer number 4999').waitFor()
    await page.mouse.move(300, 300)
    await page.mouse.wheel(0, -3000)
    await page.waitForTimeout(300)
    server.put(histories.user(5000, 'One more'))
    server.put(histories.agent(5001, 'Yes.'))
    await page.getByText('2 new').waitFor()
  },
  lost: async (page) => {
    await server.stop()
    await page.getByText('Connection lost.').waitFor()
    await server.start()
  },
  token: async (page) => {
    server.refuse = { status: 401, detail: 'a token is needed' }
    await page.getByRole('textbox', { name: /Message/ }).fill('Hello')
    await page.keyboard.press('Enter')
    await page.getByText('This page may only read').waitFor()
  },
}

const looks = [
  ['phone', { width: 375, height: 740 }],
  ['tablet', { width: 768, height: 900 }],
  ['desk', { width: 1280, height: 820 }],
]
for (const [scene, act] of Object.entries(scenes)) {
  if (only && !only.split(',').includes(scene)) continue
  for (const [name, size] of looks) {
    for (const dark of [false, true]) {
      if (dark !== (name === 'tablet') && only === '') continue
      const context = await chromium.newContext(browser, { ...size, dark })
      const page = await context.newPage()
      await page.goto(server.url)
      await page.locator('.row').first().waitFor()
      await act(page)
      await page.waitForTimeout(250)
      await page.screenshot({ path: join(to, `chat-${scene}-${name}-${dark ? 'dark' : 'light'}.png`) })
      await context.close()
      server.messages = histories.work()
      server.refuse = undefined
      server.setStatus({ status: 'stable', waiting_for: null })
    }
  }
}
await browser.close()
await server.stop()
