import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

/** The version of the npm package, which is that of the browser. */
export const CHROMIUM_VERSION = '153.0.0'

const folder = resolve(import.meta.dirname, '../../node_modules/.cache/ion-chromium', CHROMIUM_VERSION)

/** Where `npm run chromium` installs the browser. */
export const installedChromium = { folder, program: join(folder, 'chromium') }

const candidates = [
  installedChromium.program,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Undefined where there is no browser: the tests that need one are skipped. */
export const chromiumPath = process.env.ION_TEST_CHROMIUM ?? candidates.find((path) => existsSync(path))

/** For the titles of tests that need a browser. */
export const whySkipped = chromiumPath ? '' : ' (skipped: no Chromium; npm run chromium installs one)'

/** The browser writes to a temporary folder only, which is removed when it is closed. */
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
      ...(chromiumPath === installedChromium.program && {
        LD_LIBRARY_PATH: join(folder, 'lib'),
        FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      }),
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
