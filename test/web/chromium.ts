import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine; undefined where there is none, and the tests that need one say so. */
export const chromiumPath = process.env.ION_TEST_CHROMIUM ?? places.find((path) => existsSync(path))

/** What a browser keeps, it keeps in a scratch folder, which goes when it is closed. */
export async function openChromium(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'ion-chromium-'))
  const browser = await chromium.launch({
    executablePath: chromiumPath!,
    timeout: 90_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(home, 'cache'),
    },
  })
  browser.on('disconnected', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return browser
}

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
}

/** A fresh profile with a page of the given size. */
export async function newContext(
  browser: Browser,
  { width = 1280, height = 800, dark = false }: Look = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  })
  context.setDefaultTimeout(40_000)
  return context
}
