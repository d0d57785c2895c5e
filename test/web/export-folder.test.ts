import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type IndexEntry, toIndex } from '../../src/export/folder-index.ts'
import { until } from '../support/wait-until.ts'
import { seriousFindings } from './axe.ts'
import { chromiumPath, newContext, openChromium, whySkipped } from './chromium.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const HOSTILE = `</title><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'"\u202eevil`

const entry = (id: string, more: Partial<IndexEntry> = {}): IndexEntry => ({
  ...{ id, file: `${id}.html`, agent: 'agent-a', title: `Session ${id}`, prompt: null, project: '~/projects/shop' },
  ...{ created_at: '2026-03-12T14:02:00.000Z', updated_at: null, parent_session: null, forked_from: null },
  ...{ messages: 2, tool_calls: 1, tokens_in: 10, tokens_out: 5, bytes: 7000, problems: 0 },
  ...more,
})

const entries: readonly IndexEntry[] = [
  entry('one', { title: 'Fix the cart', prompt: 'Customers see a wrong TOTAL in the cart' }),
  entry('two', { agent: 'agent-b', project: '~/projects/bank', created_at: '2026-02-01T09:00:00.000Z' }),
  entry('sub', { parent_session: 'two', title: 'Look for refunds', agent: 'agent-b', project: '~/projects/bank' }),
  entry('# 100% "odd"?', { title: HOSTILE, prompt: `${HOSTILE} said`, forked_from: 'one' }),
]

describe.skipIf(!chromiumPath)(`the index of an exported folder in Chromium${whySkipped}`, () => {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ion-export-folder-'))
    writeFileSync(join(folder, 'index.html'), [...toIndex(entries, { redacted: false })].join(''))
    for (const { file } of entries) writeFileSync(join(folder, file), `<title>${encodeURIComponent(file)}</title>`)
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function open({ javaScript = true, dark = false } = {}): Promise<{ page: Page; reports: string[] }> {
    const context = javaScript
      ? await newContext(browser, { dark })
      : await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const reports: string[] = []
    page.on('console', (message) => reports.push(message.text()))
    page.on('pageerror', (error) => reports.push(error.message))
    page.on('dialog', (dialog) => reports.push(dialog.message()))
    page.on('request', (request) => request.url().startsWith('file:') || reports.push(request.url()))
    await page.goto(pathToFileURL(join(folder, 'index.html')).href)
    return { page, reports }
  }

  const titles = async (page: Page): Promise<string[]> =>
    (await page.locator('main li > a:visible').allTextContents()).map((title) => title.slice(0, 20))

  test('filters by words, agent and project, opens what matches below, and clears', async () => {
    const { page, reports } = await open()
    const [hostile, cart] = [HOSTILE.slice(0, 20), 'Fix the cart']
    expect(await titles(page)).toEqual([hostile, cart, 'Session two'])
    const filter = page.getByRole('searchbox')
    await filter.fill('cart total')
    await until(async () => expect(await titles(page)).toEqual([cart]))
    expect(await page.locator('output').textContent()).toBe('1 of 4 match')
    await filter.fill('REFUNDS')
    await until(async () => expect(await titles(page)).toEqual(['Session two', 'Look for refunds']))
    await filter.fill('nothing like it')
    await page.getByText('No matching sessions.').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await until(async () => expect(await titles(page)).toEqual([hostile, cart, 'Session two']))
    await page.getByLabel('All agents').selectOption({ label: 'agent-b (2)' })
    await until(async () => expect(await titles(page)).toEqual(['Session two']))
    await page.getByLabel('All agents').selectOption('')
    await page.getByLabel('All projects').selectOption({ label: 'shop (2)' })
    await until(async () => expect(await titles(page)).toEqual([hostile, cart]))
    // Coming back from a session, the list is as it was left.
    await page.getByRole('link', { name: cart }).last().click()
    await page.goBack()
    await until(async () => expect(await titles(page)).toEqual([hostile, cart]))
    expect(reports).toEqual([])
  })

  test('hostile titles run nothing and load nothing, and every link arrives', async () => {
    const { page, reports } = await open()
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(await page.locator('main script, main img').count()).toBe(0)
    const hrefs = await page
      .locator('main li > a')
      .evaluateAll((links) => links.map((link) => (link as { href?: string }).href!))
    expect(hrefs).toHaveLength(4)
    for (const href of hrefs) {
      await page.goto(href)
      expect(decodeURIComponent(href)).toContain(decodeURIComponent(await page.title()))
    }
    expect(reports).toEqual([])
  })

  test('a script that is not the page’s own does not run', async () => {
    const { page, reports } = await open()
    await page.evaluate(`{
      const script = document.createElement('script'); script.textContent = 'window.hacked = 1'; document.body.append(script)
    }`)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(reports.join()).toContain('Content Security Policy')
  })

  test('without scripts the list is complete and has no filter', async () => {
    const { page } = await open({ javaScript: false })
    expect(await titles(page)).toEqual([HOSTILE.slice(0, 20), 'Fix the cart', 'Session two'])
    expect(await page.getByRole('searchbox').count()).toBe(0)
    await page.getByText('1 sub-agent session', { exact: true }).click()
    expect(await titles(page)).toContain('Look for refunds')
  })

  test.each([{ dark: false }, { dark: true }])('is accessible: %o', async (look) => {
    const { page } = await open(look)
    await page.getByText('1 sub-agent session', { exact: true }).click()
    expect(await seriousFindings(page)).toEqual([])
  })
})
