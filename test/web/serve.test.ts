import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { knownServers } from '../../src/server/registry.ts'
import { ioOf } from '../e2e/fake-agent.ts'
import { serveWorld } from '../e2e/serve-world.ts'
import { until } from '../support/wait-until.ts'
import { openPage } from './chat-page.ts'
import { chromiumPath, openChromium, whySkipped } from './chromium.ts'

// Several programs and a browser run on a machine that may be several times slower.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

describe.skipIf(!chromiumPath)(`the chat page of a real ion serve${whySkipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser?.close())

  test('asks for the token, queues, interrupts, reopens the agent, answers questions, uploads a file, survives a killed server', async () => {
    const world = serveWorld()
    const server = await world.serve('fix the bug')
    await server.stable()
    const { page, problems, foreign } = await openPage(browser, `${server.url}/chat/embed`)
    const field = page.getByRole('textbox', { name: /^Message to/ })
    await page.getByLabel(/This page needs its token/).fill(server.token)
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('done: fix the bug').first().waitFor()
    await page.locator('header').getByText('Ready').waitFor()
    expect(page.url()).toBe(`${server.url}/chat/embed`)

    await field.fill('tool 9000')
    await field.press('Enter')
    await page.getByText('done with the tool').first().waitFor()
    await page.getByRole('button', { name: /^Read/ }).click()
    await page.getByRole('button', { name: /Show everything/ }).click()
    await until(async () => expect((await page.locator('.result pre').textContent())?.length).toBe(9000))

    await page.locator('header').getByText('Ready').waitFor()
    await field.fill('hang')
    await field.press('Enter')
    // Without waiting: the page makes sure that the key does not overtake the prompt.
    await page.getByRole('button', { name: 'Interrupt' }).waitFor()
    await field.fill('written meanwhile')
    await field.press('Enter')
    await page.getByRole('listitem').getByText('written meanwhile').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('done: written meanwhile').first().waitFor()
    await page.locator('header').getByText('Ready').waitFor()

    await field.fill('exit 3')
    await field.press('Enter')
    await page.getByText('has ended').waitFor()
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.locator('header').getByText('Ready').waitFor()

    await field.fill('ask')
    await field.press('Enter')
    await page.getByRole('region', { name: 'Claude asks:' }).getByRole('button', { name: '3 No' }).click()
    await page.getByText('chose No').first().waitFor()
    await page.getByRole('button', { name: /^No asked: Do you want to proceed\? answered on the page/ }).waitFor()
    await page.locator('header').getByText('Ready').waitFor()

    await page.locator('input[type=file]').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('notes'),
    })
    await until(async () => expect(await field.inputValue()).toMatch(/^\/.*notes\.txt $/))
    await field.fill('')

    await page.getByRole('button', { name: 'Terminal' }).click()
    const screen = page.getByRole('textbox', { name: 'Screen of the agent' })
    await screen.getByText('FAKE warm').waitFor()
    await screen.pressSequentially('trust')
    await screen.press('Enter')
    await page.locator('.status-line.asks').waitFor()
    await screen.getByText('Do you trust the files').waitFor()
    await screen.press('Enter')
    await page.locator('header').getByText('Ready').waitFor()
    await page.getByRole('button', { name: 'Back to the conversation' }).click()

    const [entry] = knownServers(ioOf(world.where))
    process.kill(entry!.pid, 'SIGKILL')
    await page.getByText('Connection lost.').waitFor()
    const again = await world.serve('--port', new URL(server.url).port)
    expect((await again.say('after the kill')).status).toBe(200)
    await page.getByText('done: after the kill').first().waitFor()

    await field.fill('/share')
    await field.press('Enter')
    await until(async () => expect(await page.getByLabel('Redacted Markdown').inputValue()).toContain('fix the bug'))
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })
  })
})
