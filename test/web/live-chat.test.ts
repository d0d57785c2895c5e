import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PromptList } from '../../src/server/browse/contract.ts'
import { type ServeWorld, serveWorld } from '../e2e/serve-world.ts'
import { until } from '../support/wait-until.ts'
import { seriousFindings } from './axe.ts'
import { type Opened, openPage } from './chat-page.ts'
import { chromiumPath, openChromium, whySkipped } from './chromium.ts'

// Programs and a browser run on a machine that may be several times slower.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

describe.skipIf(!chromiumPath)(`a live session in ion web${whySkipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser?.close())

  /** The fake agent in the background, at work on `fix it`. */
  async function startAgent(): Promise<ServeWorld> {
    const world = serveWorld()
    expect((await world.ion('run', 'claude', '--detach', 'fix it')).code).toBe(0)
    return world
  }

  /** A page of a real `ion web` of that world. */
  async function openWeb(world: ServeWorld, ...options: string[]): Promise<Opened> {
    onTestFinished(async () => expect((await world.ion('web', '--stop')).code).toBe(0))
    const { code, out } = await world.ion('web', '--detach', '--port', '0', '--no-open', ...options)
    expect(code).toBe(0)
    return openPage(browser, out.trim())
  }

  test('it opens as a chat beside the list, and as a transcript by the link to an event', async () => {
    const world = await startAgent()
    const { page, problems, foreign } = await openWeb(world)
    const row = page.getByRole('option', { name: /fix it/ })
    await row.getByText('task main').waitFor()
    await row.click()
    const field = page.getByRole('textbox', { name: /^Message to/ })
    await field.waitFor()
    const tabs = page.getByRole('navigation', { name: 'Parts of this session' })
    const names = ['Chat', 'Transcript', 'Changes', 'Sub-agents', 'Usage', 'Raw']
    expect(await tabs.getByRole('link').allTextContents()).toEqual(names)
    const prompt = (text: string) => page.locator('.talk .prompt', { hasText: text })
    await prompt('fix it').waitFor()
    await page.getByText('Enter sends').waitFor()
    await field.fill('hello there')
    await field.press('Enter')
    await prompt('hello there').waitFor()
    await page.locator('.talk .answer', { hasText: 'done: hello there' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])

    // What is being written survives another tab of the session, and a reload.
    await field.fill('a draft')
    await tabs.getByRole('link', { name: 'Transcript' }).click()
    await page.locator('.transcript .prompt', { hasText: 'hello there' }).waitFor()
    expect(new URL(page.url()).search).toBe('?tab=transcript')
    await tabs.getByRole('link', { name: 'Chat' }).click()
    await page.reload()
    await until(async () => expect(await field.inputValue()).toBe('a draft'))

    const { origin, pathname } = new URL(page.url())
    const answer = await page.request.get(`${origin}/api/sessions/${pathname.slice('/s/'.length)}/prompts`)
    const { prompts } = (await answer.json()) as PromptList
    await page.goto(`${origin}${pathname}#${prompts[0]!.event}`)
    await page.locator('.transcript .row.marked', { hasText: 'fix it' }).waitFor()
    await tabs.getByRole('link', { name: 'Chat' }).click()
    await field.waitFor()

    // The chat says how it ended, and can start it again.
    expect((await world.ion('stop', 'claude-main', '--grace', '0')).code).toBe(0)
    await page.getByText('has ended').waitFor()
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.getByText('Enter sends').waitFor()
    await field.fill('once more')
    await field.press('Enter')
    await page.locator('.talk .answer', { hasText: 'done: once more' }).waitFor()
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })
  })

  test('Escape in the chat interrupts its agent, and elsewhere goes back to the list; Ctrl F finds in the chat', async () => {
    const world = await startAgent()
    const { page, problems } = await openWeb(world)
    await page.getByRole('option', { name: /fix it/ }).click()
    const field = page.getByRole('textbox', { name: /^Message to/ })
    await page.getByText('Enter sends').waitFor()
    await field.fill('hang')
    await field.press('Enter')
    await page.getByText('is working').waitFor()
    await field.press('Escape')
    await page.getByText('Enter sends').waitFor()
    await field.press('Control+f')
    const find = page.getByRole('searchbox', { name: 'Search in this session' })
    // What is typed in pauses keeps its spaces.
    await find.pressSequentially('fix ')
    await page.getByTitle('Messages with a match').getByText('of 2').waitFor()
    await find.pressSequentially('it')
    await until(async () => expect(await find.inputValue()).toBe('fix it'))
    await find.press('Escape')
    await page.getByRole('button', { name: 'Terminal of the agent' }).click()
    await page.getByRole('textbox', { name: 'Screen of the agent' }).waitFor()
    await page.getByRole('button', { name: 'Terminal of the agent' }).click()
    await page.getByRole('option', { name: /fix it/ }).focus()
    await page.keyboard.press('Escape')
    await page.getByText('Choose a session').waitFor()
    expect(problems).toEqual([])
  })

  test('two chats, one after the other, have drafts of their own, and each message goes to its agent', async () => {
    const world = await startAgent()
    expect((await world.ion('run', 'claude', '--detach', '--task', 'second', 'look at it')).code).toBe(0)
    const { page, problems } = await openWeb(world)
    const field = page.getByRole('textbox', { name: /^Message to/ })
    const open = async (prompt: string): Promise<void> => {
      await page.getByRole('option', { name: new RegExp(prompt) }).click()
      await page.locator('.talk .prompt', { hasText: prompt }).first().waitFor()
    }
    await open('fix it')
    await field.fill('for the first')
    await open('look at it')
    expect(await field.inputValue()).toBe('')
    await page.getByText('Enter sends').waitFor()
    await field.fill('for the second')
    await field.press('Enter')
    await page.locator('.talk .answer', { hasText: 'done: for the second' }).waitFor()
    await open('fix it')
    expect(await field.inputValue()).toBe('for the first')
    expect(await page.getByText('for the second').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('a read-only page shows the transcript and no chat', async () => {
    const { page } = await openWeb(await startAgent(), '--read-only')
    await page
      .getByRole('option', { name: /fix it/ })
      .getByText('task main')
      .waitFor()
    await page.getByRole('option', { name: /fix it/ }).click()
    await page.locator('.transcript .prompt', { hasText: 'fix it' }).waitFor()
    expect(await page.getByRole('link', { name: 'Chat', exact: true }).count()).toBe(0)
    expect(await page.getByRole('textbox', { name: /^Message to/ }).count()).toBe(0)
  })
})
