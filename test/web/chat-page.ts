import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { type Look, newContext } from './chromium.ts'
import { MockServer } from './mock-server.ts'

/** The page in a fresh profile, and everything that went wrong in it: script errors and violations of its policy. */
export interface Opened {
  readonly page: Page
  readonly problems: string[]
  /** Addresses on other hosts that it tried to fetch. */
  readonly foreign: string[]
}

export async function openPage(browser: Browser, url: string, look: Look = {}): Promise<Opened> {
  const context = await newContext(browser, look)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  const foreign: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // Some tests stop the server or let it refuse, and the browser logs that.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) foreign.push(request.url())
  })
  await page.goto(url)
  return { page, problems, foreign }
}

/** A mock server for the duration of a test, which fails if it sends anything that the contract does not allow. */
export async function startMock(set: (server: MockServer) => void): Promise<MockServer> {
  const server = new MockServer()
  set(server)
  await server.start()
  onTestFinished(async () => {
    await server.stop()
    expect(server.violations).toEqual([])
  })
  return server
}

/** How far the conversation is from its end, in pixels. */
export function distanceFromEnd(page: Page): Promise<number> {
  return page.locator('.scroller').evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop)
}
