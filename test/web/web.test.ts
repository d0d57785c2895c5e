import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fillHome } from '../../src/cli/commands/demo/scratch-home.ts'
import type { SessionPage } from '../../src/server/browse/contract.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { seriousFindings } from './axe.ts'
import { openPage } from './chat-page.ts'
import { chromiumPath, openChromium, whySkipped } from './chromium.ts'

// A program and a browser run on a machine that may be several times slower.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

/** `ion web` of the built program, in a home with sample sessions of all agents, and a link that opens it. */
async function startWeb(): Promise<{ readonly home: string; readonly link: string }> {
  const home = mkdtempSync(join(tmpdir(), 'ion-web-'))
  fillHome(home)
  const env = { PATH: process.env.PATH ?? '', HOME: home, ION_HOME: join(home, '.ion') }
  const program = join(builtFolder(), 'ion.cjs')
  const child = spawn(process.execPath, [program, 'web', '--no-open'], {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  await until(() => expect(output).toMatch(/http:\/\/\S+token=\S+/))
  return { home, link: /http:\/\/\S+token=\S+/.exec(output)![0] }
}

describe.skipIf(!chromiumPath)(`the page of a real ion web${whySkipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser?.close())

  test('sessions of every agent are listed and read; what an agent appends is shown; a link opens once', async () => {
    const { home, link } = await startWeb()
    const { page, problems, foreign } = await openPage(browser, link)
    await page.getByRole('option', { name: /Customers get their refund twice/ }).waitFor()
    const { origin } = new URL(link)
    expect(new URL(page.url()).search).toBe('')
    const list = (await (await page.request.get(`${origin}/api/sessions`)).json()) as SessionPage
    expect(new Set(list.sessions.map(({ agent }) => agent)).size).toBeGreaterThan(10)

    // Of every agent: a transcript with a prompt.
    const firsts = new Map(list.sessions.map((session) => [session.agent, session]))
    for (const { id } of firsts.values()) {
      await page.goto(`${origin}/s/${id}`)
      await page.locator('.row .prompt').first().waitFor()
    }

    const { id } = list.sessions.find(({ title }) => title === 'Customers get their refund twice')!
    await page.goto(`${origin}/s/${id}`)
    await page.getByText('acct_staging').waitFor()
    await page.getByText('fully parsed').waitFor()
    expect(await page.getByRole('navigation', { name: 'Prompts' }).getByRole('listitem').count()).toBe(3)
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('navigation', { name: 'Prompts' }).getByText('Makes sense.').click()
    await page.locator('.row.marked', { hasText: 'Makes sense.' }).waitFor()

    const folder = join(home, '.claude', 'projects')
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith(`${id}.jsonl`),
    )!
    const records = readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const last = records.findLast(({ uuid }) => uuid !== undefined)
    const next = {
      ...last,
      uuid: '00000000-1111-4222-8333-444444444444',
      parentUuid: last.uuid,
      type: 'user',
      timestamp: new Date().toISOString(),
      message: { role: 'user', content: 'One more thing, live.' },
    }
    appendFileSync(join(folder, file), `${JSON.stringify(next)}\n`)
    await page.locator('.row .prompt', { hasText: 'One more thing, live.' }).waitFor()

    await page.getByRole('link', { name: 'Changes' }).click()
    await page.locator('.diff .ins', { hasText: 'payOnce(event.id' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search all sessions' }).fill('role:user staging')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /Customers get their refund twice/ }).click()
    await page.locator('.row.marked', { hasText: 'Does staging use' }).waitFor()
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })

    const other = await openPage(browser, link)
    await other.page.getByText('Each link opens the page once.').waitFor()
  })
})
