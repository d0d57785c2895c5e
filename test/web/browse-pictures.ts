// The screenshots in docs/web.md: node --import tsx test/web/browse-pictures.ts takes them from the built program (npm run
// build). `--all <folder>` takes every scene at the widths of a phone, a tablet and a desktop, light and dark, for review;
// `--built <folder>` is where the program was built to. The sessions are the samples of `ion demo`, read by a real `ion web`; the
// figures of the usage screen are prepared.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page, Request } from 'playwright-core'
import { fillHome } from '../../src/cli/commands/demo/scratch-home.ts'
import type { UsageOverview } from '../../src/usage/overview.ts'
import { BrowseServer, usageOverview } from './browse-server.ts'
import { newContext, openChromium } from './chromium.ts'

const { values } = parseArgs({ options: { all: { type: 'string' }, built: { type: 'string', default: 'dist' } } })
const built = resolve(values.built)
const to = values.all ?? 'docs/pictures'
mkdirSync(to, { recursive: true })

const FEATURED = '2d67d85a-3801-4326-857a-93d8079bfb66'
const sizes = {
  phone: { width: 390, height: 780 },
  tablet: { width: 820, height: 1000 },
  desk: { width: 1440, height: 900 },
}

interface Scene {
  readonly name: string
  readonly path: string
  readonly isPrepared?: boolean
  readonly act?: (page: Page) => Promise<void>
  /** Those in the documentation. */
  readonly shown: readonly `${keyof typeof sizes}-${'light' | 'dark'}`[]
}

const scenes: readonly Scene[] = [
  {
    name: 'session',
    path: `/s/${FEATURED}`,
    shown: ['desk-light', 'phone-dark'],
    act: (page) => page.getByRole('button', { name: /^Edit.*refunds/ }).click(),
  },
  { name: 'changes', path: `/s/${FEATURED}?tab=changes`, shown: ['desk-dark'] },
  { name: 'search', path: '/search?q=refund', shown: ['tablet-light'] },
  { name: 'usage', path: '/usage', isPrepared: true, shown: ['desk-light'] },
  { name: 'sessions', path: '/', shown: [] },
  { name: 'raw', path: `/s/${FEATURED}?tab=raw`, shown: [] },
  { name: 'agents', path: '/agents', shown: [] },
  { name: 'files', path: '/files?path=/home/dev/shop/src/webhooks/payment.ts', shown: [] },
  { name: 'palette', path: `/s/${FEATURED}`, shown: [], act: (page) => page.keyboard.press('Control+k') },
  { name: 'help', path: '/', shown: [], act: (page) => page.keyboard.press('?') },
]

const home = mkdtempSync(join(tmpdir(), 'ion-pictures-'))
fillHome(home)
const env = { PATH: '/usr/bin:/bin', HOME: home, ION_HOME: join(home, '.ion') }
const program = spawn(process.execPath, [join(built, 'ion.cjs'), 'web', '--no-open'], { env, cwd: home })
const link = await new Promise<string>((done) => {
  let output = ''
  program.stdout.on('data', (piece: Buffer) => {
    output += piece.toString()
    const found = /http:\/\/\S+token=\S+/.exec(output)?.[0]
    if (found) done(found)
  })
})
const prepared = new BrowseServer(join(built, 'web'))
prepared.usage = preparedUsage
await prepared.start()
const browser = await openChromium()

for (const [size, look] of Object.entries(sizes)) {
  for (const tone of ['light', 'dark'] as const) {
    const wanted = scenes.filter(({ shown }) => values.all || shown.some((one) => one === `${size}-${tone}`))
    if (wanted.length === 0) continue
    const context = await newContext(browser, { ...look, dark: tone === 'dark' })
    const page = await context.newPage()
    const loaded = watchLoading(page)
    await page.goto(link.replace(/token=.*/, `token=${await freshToken()}`))
    for (const { name, path, isPrepared, act } of wanted) {
      await page.goto((isPrepared ? prepared.url : new URL(link).origin) + path)
      await loaded()
      await act?.(page)
      await loaded()
      await page.screenshot({ path: join(to, `web-${name}-${size}-${tone}.png`) })
    }
    await context.close()
  }
}
await browser.close()
await prepared.stop()
program.kill('SIGTERM')
await new Promise((done) => program.on('exit', done))
rmSync(home, { recursive: true, force: true, maxRetries: 5 })

/** Waits until every request was answered and drawn: the page stays the same. */
function watchLoading(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  page.on('request', (request) => {
    // The stream of changes stays open.
    if (request.resourceType() === 'fetch' && !request.url().includes('/changes')) open.add(request)
  })
  page.on('requestfinished', (request) => void open.delete(request))
  page.on('requestfailed', (request) => void open.delete(request))
  return async () => {
    const until = Date.now() + 60_000
    for (let before = '', since = Date.now(); Date.now() - since < 600; await page.waitForTimeout(50)) {
      const now = await page.content()
      if (open.size > 0 || now !== before) since = Date.now()
      before = now
      if (Date.now() > until) throw new Error(`${page.url()} is not loaded after a minute`)
    }
  }
}

/** Each link opens the page once; a second `ion web` prints another one. */
async function freshToken(): Promise<string> {
  const second = spawn(process.execPath, [join(built, 'ion.cjs'), 'web', '--no-open'], { env, cwd: home })
  let output = ''
  second.stdout.on('data', (piece: Buffer) => {
    output += piece.toString()
  })
  await new Promise((done) => second.on('exit', done))
  return /token=(\S+)/.exec(output)?.[1] ?? ''
}

/** Ten weeks of four models, the same each time. */
function preparedUsage(): UsageOverview {
  const models = ['claude-opus-4-8', 'gpt-6-codex', 'gemini-3-pro', 'claude-haiku-4-5']
  const agents = ['Claude Code', 'Codex', 'Gemini', 'Claude Code']
  const titles = [
    'Customers get their refund twice',
    'Migrate order numbers to UUIDs',
    'The orders page takes six seconds',
    'Show the stock on the product page',
    'Spec for gift cards',
  ]
  const projects = ['/home/dev/shop', '/home/dev/shop', '/home/dev/site', '/home/dev/shop', '/home/dev/tools']
  const part = (number: number): number => Math.abs(Math.sin(number * 12.9898) * 43758.5453) % 1
  const used = Array.from({ length: 70 }, (_, at) => at)
    .filter((at) => part(at) > 0.25)
    .flatMap((at) => {
      const day = new Date(Date.now() - at * 86_400_000).toISOString().slice(0, 10)
      return models.slice(0, 1 + Math.floor(part(at + 2) * models.length)).map((model, index) => {
        const tokens = Math.round(part(at + index + 1) * 1.6e7)
        const session = Math.floor(part(at + 3) ** 2 * titles.length)
        const names = { model, agent: agents[index]!, session: titles[session]!, project: projects[session]! }
        return { day, tokens, cost: Math.round((tokens * 0.48) / (index + 1)), ...names }
      })
    })
  const overview = usageOverview(used)
  const rows = overview.sessions.rows.map((row) => ({ ...row, title: row.key }))
  return { ...overview, sessions: { rows, count: rows.length } }
}
