import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ListedSession, TranscriptEntry } from '../../src/server/browse/contract.ts'
import { dayOf } from '../../src/web/browse/usage-bars.ts'
import { until } from '../support/wait-until.ts'
import { seriousFindings } from './axe.ts'
import { BrowseServer, callEntry, textEntry, usageOverview } from './browse-server.ts'
import { openPage } from './chat-page.ts'
import { chromiumPath, openChromium, whySkipped } from './chromium.ts'
import { deep, hostile } from './histories.ts'

// A browser runs beside all other tests, on a machine that may be several times slower.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const AGENTS = ['agent-a', 'agent-b', 'agent-c']

function listed(number: number, more: Partial<ListedSession> = {}): ListedSession {
  return {
    id: `session-${number}`,
    agent: AGENTS[number % 3]!,
    title: `Session number ${number} about the refunds that are paid twice`,
    project: `/home/dev/project-${number % 7}`,
    updated_at: new Date(Date.parse('2026-11-14T12:00:00Z') - number * 3_600_000).toISOString(),
    messages: number,
    model: 'model-a',
    ...more,
  }
}

const GAPS = [
  ['3 unreadable', '3 records could not be read: the transcript is not complete'],
  ['unpriced', 'Ion knows no price for model-a: its cost is not counted'],
]

/** A prompt, a text, then calls: as many entries as asked for, with a prompt every ten. */
function history(count: number): TranscriptEntry[] {
  return Array.from({ length: count }, (_, at) => {
    if (at % 10 === 0) return textEntry(`e${at}`, 'user', `Prompt ${at}: what about part ${at}?`)
    if (at % 10 === 9) return textEntry(`e${at}`, 'agent', `Answer ${at}. ${'It is as it was. '.repeat(1 + (at % 9))}`)
    return callEntry(`e${at}`, 'Read', { file_path: `/home/dev/project-1/part-${at}.ts` }, `export const part = ${at}`)
  })
}

async function startServer(set: (server: BrowseServer) => void): Promise<BrowseServer> {
  const server = new BrowseServer()
  set(server)
  await server.start()
  onTestFinished(() => server.stop())
  return server
}

/** Requests to the API since the last call. */
function asked(server: BrowseServer): string[] {
  const paths = server.requests.filter(({ path }) => path.startsWith('/api/')).map(({ path }) => path)
  server.requests.length = 0
  return paths
}

/** Until nothing was requested for a while. */
async function settled(server: BrowseServer, page: Page): Promise<void> {
  let count = -1
  await until(async () => {
    const before = count
    count = server.requests.length
    await page.waitForTimeout(250)
    expect(before).toBe(count)
  })
}

describe.skipIf(!chromiumPath)(`the page of ion web in Chromium${whySkipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser?.close())

  test('2,500 sessions: one request of less than 60 KB, few rows; filters are in the address', async () => {
    const server = await startServer((fake) => {
      fake.sessions = Array.from({ length: 2_500 }, (_, number) => listed(number))
      fake.sessions[1] = listed(1, { live: { state: 'working', why: 'wrote 4 s ago' } })
      fake.sessions[2] = listed(2, { only_in_archive: true, pinned: true, tags: ['payments'] })
      fake.sessions[3] = listed(3, { problems: 3, unpriced: true })
    })
    const { page, problems, foreign } = await openPage(browser, server.url)
    await page.getByText('2,500 sessions').first().waitFor()
    await settled(server, page)
    const lists = server.requests.filter(({ path }) => path.startsWith('/api/sessions'))
    expect(lists.map(({ path }) => path)).toEqual(['/api/sessions?limit=100'])
    expect(lists[0]!.bytes).toBeLessThan(60_000)
    expect(await page.locator('.session-row').count()).toBeLessThan(40)
    await page.getByText('working · wrote 4 s ago').waitFor()
    await page.locator('.badge', { hasText: 'only in the archive' }).waitFor()
    const gaps = page.getByRole('option', { name: /number 3 / }).locator('.badge')
    const titled = (badges: Element[]) => badges.map((one) => [one.textContent, one.getAttribute('title')])
    expect(await gaps.evaluateAll(titled)).toEqual(GAPS)

    // Further pages come while scrolling, and rows stay few.
    await page.mouse.move(200, 400)
    await until(async () => {
      await page.mouse.wheel(0, 8_000)
      expect(await page.locator('.session-row').last().textContent()).toMatch(/number [3-9]\d\d/)
    })
    expect(await page.locator('.session-row').count()).toBeLessThan(40)
    // The last turn of the wheel may still be on its way, and would move the next list.
    await settled(server, page)

    await page.getByLabel('Agent', { exact: true }).selectOption('agent-b')
    await page.getByText('833 sessions').first().waitFor()
    expect(new URL(page.url()).search).toBe('?agent=agent-b')
    await page.getByRole('option', { name: /number 4 / }).click()
    await page.getByRole('heading', { name: /number 4 / }).waitFor()
    expect(page.url()).toBe(`${server.url}/s/session-4?agent=agent-b`)
    await page.goBack()
    await page.getByText('Choose a session').waitFor()
    await page.reload()
    await page.getByText('833 sessions').first().waitFor()
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })
  })

  test('10,000 events: at most 80 rows in the page, windows in both directions, a link opens at its event', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      fake.entries.set('session-1', history(10_000))
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1#e5003`)
    const marked = page.locator('.row.marked')
    // It is within a run of calls, which is opened for it.
    await marked.getByRole('button', { name: /part-5003/ }).waitFor()
    const visible = async (): Promise<boolean> => {
      const box = (await marked.boundingBox())!
      return box.y > 100 && box.y + box.height < 800
    }
    await until(async () => expect(await visible()).toBe(true))
    await settled(server, page)
    const windows = asked(server).filter((path) => path.includes('/transcript'))
    expect(windows[0]).toBe('/api/sessions/session-1/transcript?around=e5003&limit=80')
    expect(windows.length).toBeLessThanOrEqual(4)

    let most = 0
    const top = async (): Promise<number> =>
      Number(/Prompt (\d+)/.exec((await page.locator('.prompt').first().textContent()) ?? '')?.[1])
    await page.locator('.scroller').hover()
    for (const [direction, wanted] of [
      [-1, (at: number) => at < 4_700],
      [1, (at: number) => at > 5_400],
    ] as const) {
      await until(async () => {
        await page.mouse.wheel(0, direction * 4_000)
        most = Math.max(most, await page.locator('.row').count())
        expect(wanted(await top())).toBe(true)
      })
    }
    expect(most).toBeLessThanOrEqual(80)
    // What is loaded does not lead back to the link's event.
    await settled(server, page)
    expect(await top()).toBeGreaterThan(5_400)
    // Far away is a jump, not a long way.
    asked(server)
    await page.keyboard.press('g')
    await page.getByText('Prompt 0:').first().waitFor()
    await page.getByRole('button', { name: 'To the end' }).click()
    await page.getByText('Answer 9999.').waitFor()
    expect(asked(server).length).toBeLessThanOrEqual(8)
    expect(await page.locator('.row').count()).toBeLessThanOrEqual(80)
    expect(problems).toEqual([])
  })

  test('what an agent writes costs one delta and shows within a second; nothing is requested when nothing happens', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1, { live: { state: 'working', why: 'wrote 1 s ago' } }), listed(2)]
      fake.entries.set('session-1', history(200))
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1`)
    await page.getByText('Answer 199').waitFor()
    await until(() => expect(server.followers).toBe(1))
    await settled(server, page)
    asked(server)

    const waits: number[] = []
    for (const word of ['one', 'two', 'three']) {
      const began = performance.now()
      server.append('session-1', textEntry(`new-${word}`, 'agent', `Part ${word}.`))
      await page.getByText(`Part ${word}.`).waitFor()
      waits.push(performance.now() - began)
    }
    // The shortest, since a busy machine may make any of them wait.
    expect(Math.min(...waits)).toBeLessThan(1_000)
    server.append('session-1', callEntry('new-1', 'Bash', { command: 'npm test' }, undefined))
    await page.getByRole('button', { name: /npm test.*running/ }).waitFor()
    // The result changes the same row.
    server.append('session-1', callEntry('new-1', 'Bash', { command: 'npm test' }, '412 passed'))
    await page.getByRole('button', { name: /npm test.*412 passed/ }).waitFor()
    server.append('session-1', textEntry('new-2', 'user', 'And the nightly job?'))
    await page.getByRole('navigation', { name: 'Prompts' }).getByText('And the nightly job?').waitFor()
    // A reader at the end stays there.
    const end = (): Promise<number> =>
      page.locator('.scroller').evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop)
    await until(async () => expect(await end()).toBeLessThan(2))

    // The list too: a changed row, a new one, one that is gone.
    const now = new Date().toISOString()
    server.send({
      type: 'sessions',
      changed: [
        listed(2, { updated_at: now, live: { state: 'waiting', why: 'asks: Run this command?' } }),
        listed(9, { updated_at: now, project: listed(2).project, agent: listed(2).agent }),
      ],
      removed: ['session-1'],
    })
    await page.getByText('waiting · asks: Run this command?').waitFor()
    await page.getByRole('option', { name: /number 9 / }).waitFor()
    await until(async () => expect(await page.getByRole('option', { name: /number 1 / }).count()).toBe(0))

    await page.waitForTimeout(3_000)
    expect(asked(server)).toEqual([])
    expect(problems).toEqual([])
  })

  test('a row with many badges shows them all, and so does the head of its session', async () => {
    const full = {
      problems: 3,
      unpriced: true,
      only_in_archive: true,
      pinned: true,
      tags: ['a-tag-that-is-quite-long'],
    } as const
    const server = await startServer((fake) => {
      fake.sessions = [listed(0, full), listed(1)]
      fake.entries.set('session-0', history(20))
    })
    const badges = ['only in the archive', '3 unreadable', 'unpriced']
    for (const look of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ]) {
      const { page, problems } = await openPage(browser, server.url, look)
      const row = page.getByRole('option', { name: /number 0 / })
      await row.locator('.badge').first().waitFor()
      const shown = await row.evaluate((one) => {
        const { right } = one.getBoundingClientRect()
        return [...one.querySelectorAll('.badge')].map((badge) => [
          badge.textContent,
          badge.getBoundingClientRect().right <= right && badge.scrollWidth <= badge.clientWidth,
        ])
      })
      expect(shown).toEqual(badges.map((text) => [text, true]))
      await row.click()
      for (const text of badges) await page.locator('.session-head .badge', { hasText: text }).waitFor()
      expect(problems).toEqual([])
    }
  })

  test('what begins or changes while the list is filtered is in it only if the filter selects it, also by its time', async () => {
    const now = Date.now()
    const hoursAgo = (hours: number): string => new Date(now - hours * 3_600_000).toISOString()
    const server = await startServer((fake) => {
      fake.sessions = [listed(1, { updated_at: hoursAgo(2) })]
    })
    const { page, problems } = await openPage(browser, `${server.url}/?since=24h`)
    await page.getByText('1 session', { exact: true }).waitFor()
    await until(() => expect(server.followers).toBe(1))
    server.send({
      type: 'sessions',
      changed: [
        listed(2, { updated_at: hoursAgo(25) }),
        listed(3, { updated_at: hoursAgo(1), parent: 'session-1' }),
        listed(4, { updated_at: hoursAgo(1) }),
      ],
      removed: [],
    })
    await page.getByRole('option', { name: /number 4 / }).waitFor()
    await page.getByText('2 sessions', { exact: true }).waitFor()
    const titles = (): Promise<string[]> => page.locator('.session-row b').allTextContents()
    expect(await titles()).toEqual([listed(4).title, listed(1).title])
    server.send({ type: 'sessions', changed: [listed(4, { updated_at: hoursAgo(0), hidden: true })], removed: [] })
    await page.getByText('1 session', { exact: true }).waitFor()
    expect(await titles()).toEqual([listed(1).title])
    expect(problems).toEqual([])
  })

  test('a server that dies and returns is followed again', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1, { live: { state: 'working', why: 'wrote 1 s ago' } })]
      fake.entries.set('session-1', history(20))
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    await page.getByText('Answer 19').waitFor()
    await until(() => expect(server.followers).toBe(1))
    await server.stop()
    await page.getByText('The connection to ion web is lost.').waitFor()
    server.entries.get('session-1')!.push(textEntry('missed', 'agent', 'Written while nobody listened.'))
    server.version = '2'
    await server.start()
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.getByText('Written while nobody listened.').waitFor()
    await until(async () => expect(await page.getByText('is lost').count()).toBe(0))
  })

  test('keys: messages, prompts, sessions, search, copy, export, pin, palette, help', async () => {
    const server = await startServer((fake) => {
      fake.sessions = Array.from({ length: 5 }, (_, number) => listed(number))
      for (const { id } of fake.sessions) fake.entries.set(id, history(400))
    })
    const { page, problems } = await openPage(browser, server.url)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByText('5 sessions').first().waitFor()
    await page.keyboard.press(']')
    await page.getByRole('heading', { name: /number 0 / }).waitFor()
    await page.keyboard.press(']')
    await page.getByRole('heading', { name: /number 1 / }).waitFor()
    await page.keyboard.press('[')
    await page.getByRole('heading', { name: /number 0 / }).waitFor()
    await page.getByText('Answer 399').waitFor()

    await settled(server, page)
    const hash = (): string => new URL(page.url()).hash
    await page.keyboard.press('K')
    await until(() => expect(hash()).toMatch(/^#e3\d0$/))
    const first = Number(hash().slice(2))
    await page.keyboard.press('K')
    await until(() => expect(hash()).toBe(`#e${first - 10}`))
    await page.keyboard.press('J')
    await until(() => expect(hash()).toBe(`#e${first}`))
    await page.keyboard.press('j')
    await until(() => expect(hash()).toBe(`#e${first + 1}`))
    await page.keyboard.press('k')
    await until(() => expect(hash()).toBe(`#e${first}`))
    expect(await page.locator('.row.marked .prompt').count()).toBe(1)
    const rail = page.getByRole('navigation', { name: 'Prompts' })
    expect(await rail.locator('[aria-current]').count()).toBe(1)
    // A link to where the keys have led goes there, and not to where the last link led.
    await rail
      .getByRole('link')
      .nth(first / 10 - 1)
      .click()
    await until(() => expect(hash()).toBe(`#e${first - 10}`))
    await page.keyboard.press('J')
    await until(() => expect(hash()).toBe(`#e${first}`))
    await rail
      .getByRole('link')
      .nth(first / 10)
      .click()
    await page.locator(`.row.marked[data-key="e${first}"]`).waitFor()
    await page.keyboard.press('G')
    await page.getByText('Answer 399').waitFor()
    await until(() => expect(hash()).toBe(''))

    await page.keyboard.press('c')
    await page.getByText('Copied the resume command: ion --resume session-0').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('ion --resume session-0')
    await page.keyboard.press('s')
    await page.getByRole('button', { name: 'Unpin' }).waitFor()
    await until(() => expect(server.requests.find(({ path }) => path.endsWith('/marks'))?.body).toBe('{"pinned":true}'))
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('link', { name: /^Markdown/ }).waitFor()
    expect(await dialog.getByRole('link', { name: /^Markdown/ }).getAttribute('href')).toBe(
      '/api/sessions/session-0/export?format=md',
    )
    await page.keyboard.press('Escape')
    await until(async () => expect(await dialog.count()).toBe(0))
    await page.keyboard.press('?')
    await dialog.getByRole('heading', { name: 'Keys and help' }).waitFor()
    await page.keyboard.press('Escape')
    await until(async () => expect(await dialog.count()).toBe(0))

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command or session' }).fill('export')
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading', { name: 'Export this session' }).waitFor()
    await page.keyboard.press('Escape')
    await until(async () => expect(await dialog.count()).toBe(0))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command or session' }).fill('number 3')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /number 3 / }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('refund')
    await page.keyboard.press('Enter')
    await until(() => expect(page.url()).toBe(`${server.url}/search?q=refund`))
    expect(problems).toEqual([])
  })

  test('find shows what is in view first, and looks through all of a session, also while an earlier window is loading', async () => {
    let answer = (): void => {}
    const stale = new Promise<void>((resolve) => {
      answer = resolve
    })
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      const entries = history(3_000)
      entries[1_203] = callEntry('e1203', 'Bash', { command: 'grep needle' }, 'the needle is here')
      fake.entries.set('session-1', entries)
      // The first that is loaded before the middle, where the link leads.
      fake.delay = (path) => (/transcript\?before=[4-9]\d\d&/.test(path) ? stale : undefined)
    })
    onTestFinished(() => answer())
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1#e600`)
    await page.locator('.row.marked', { hasText: 'Prompt 600:' }).waitFor()
    await page.locator('.scroller').hover()
    await until(async () => {
      await page.mouse.wheel(0, -1_000)
      expect(server.requests.some(({ path }) => /before=[4-9]\d\d&/.test(path))).toBe(true)
    })
    await page.getByRole('button', { name: 'To the end' }).click()
    await page.getByText('Answer 2999.').waitFor()
    await page.keyboard.press('Control+f')
    const find = page.getByRole('searchbox', { name: 'Find in this session' })
    await find.fill('Answer 2999')
    await page.locator('.row.found', { hasText: 'Answer 2999.' }).waitFor()
    await find.fill('needle')
    await page.locator('.row.found pre', { hasText: 'the needle is here' }).waitFor()
    expect(problems).toEqual([])
  })

  test('find in a session, thinking on request, a truncated result, copied links', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      const entries = history(600)
      entries[3] = callEntry('e3', 'Bash', { command: 'grep needle' }, 'the needle is here')
      entries[595] = { event: 'e595', role: 'agent', time: null, part: { type: 'thinking', text: 'I should think.' } }
      entries[597] = {
        ...callEntry('e597', 'Read', { file_path: '/home/dev/project-1/long.ts' }, 'the beginning'),
        result: {
          type: 'tool_result',
          tool_use_id: 'e597',
          content: 'the beginning',
          is_error: false,
          truncated: true,
        },
      }
      fake.entries.set('session-1', entries)
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByText('Answer 599').waitFor()
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('needle')
    await page.locator('.row.found pre', { hasText: 'the needle is here' }).waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'To the end' }).click()
    await page.getByText('Answer 599').waitFor()
    expect(await page.getByText('I should think.').count()).toBe(0)
    await page.getByRole('switch', { name: 'Thinking' }).click()
    await page.getByRole('button', { name: /steps/ }).last().click()
    await page.getByText('I should think.').waitFor()
    expect(new URL(page.url()).search).toBe('?thinking=1')

    // What was opened grows downwards.
    await page.locator('.scroller').hover()
    await page.mouse.wheel(0, 5_000)
    server.entries.get('session-1')![597] = callEntry('e597', 'Read', {}, 'the beginning and the end')
    await page.getByRole('button', { name: /long\.ts/ }).click()
    await page.getByRole('button', { name: /Show everything/ }).click()
    await page.getByText('the beginning and the end').waitFor()

    await page.mouse.wheel(0, 5_000)
    await page.locator('.row', { hasText: 'Answer 599' }).hover()
    await page.locator('.row', { hasText: 'Answer 599' }).getByLabel('Link to this event').click()
    await page.locator('.banner', { hasText: 'Copied the link' }).waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toBe(`${server.url}/s/session-1?thinking=1#e599`)
    expect(problems).toEqual([])
  })

  test('the calls of a session that grows are counted again on request', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1?tab=usage`)
    await page.getByText('Model calls').first().waitFor()
    await until(() => expect(server.followers).toBe(1))
    server.send({ type: 'sessions', changed: [listed(1, { updated_at: new Date().toISOString() })], removed: [] })
    await page.getByText('The session has grown since.').waitFor()
    asked(server)
    await page.getByRole('button', { name: 'Count again' }).click()
    await until(async () => expect(await page.getByText('The session has grown since.').count()).toBe(0))
    expect(asked(server)).toEqual(['/api/sessions/session-1/usage'])
  })

  test('what is typed right after a key that opens a field is typed there, and is no key', async () => {
    const server = await startServer((fake) => {
      fake.sessions = Array.from({ length: 30 }, (_, number) => listed(number))
      fake.entries.set('session-0', history(40))
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-0`)
    await page.getByText('Answer 39').waitFor()
    const posts = (): string[] => server.requests.flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
    // Before the code of the palette is loaded, and after.
    for (const delay of [0, 30]) {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('es number 21', { delay })
      const field = page.getByRole('combobox', { name: 'Command or session' })
      await until(async () => expect(await field.inputValue()).toBe('es number 21'))
      await page.keyboard.press('Escape')
      await until(async () => expect(await page.getByRole('dialog').count()).toBe(0))
    }
    await page.keyboard.press('Control+f')
    await page.keyboard.type('essence', { delay: 30 })
    expect(await page.getByRole('searchbox', { name: 'Find in this session' }).inputValue()).toBe('essence')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect([posts(), problems]).toEqual([[], []])
  })

  test('a form that is open saves what was changed in it, and nothing else', async () => {
    let answer = (): void => {}
    const server = await startServer((fake) => {
      fake.sessions = [listed(1, { title: 'Mine', tags: ['old'], marked_at: '2026-11-15T10:00:00.000Z' })]
      fake.detail = { name: 'Mine', note: 'Look again.' }
      fake.delay = (path) =>
        path === '/api/sessions/session-1'
          ? new Promise((resolve) => {
              answer = resolve
            })
          : undefined
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Name, tags and note' }).click()
    await dialog.getByText('Reading…').waitFor()
    answer()
    await until(async () => expect(await dialog.getByLabel('Note').inputValue()).toBe('Look again.'))
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Mine')
    // Meanwhile somebody else adds a tag, and another note.
    server.delay = () => undefined
    server.detail = { name: 'Mine', note: 'From a terminal.' }
    server.send({
      type: 'sessions',
      changed: [listed(1, { title: 'Mine', tags: ['new', 'old'], marked_at: '2026-11-15T11:00:00.000Z' })],
      removed: [],
    })
    await page.locator('.note-line', { hasText: 'From a terminal.' }).waitFor()
    await dialog.getByLabel('Name').fill('Yours')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await until(async () => expect(await dialog.count()).toBe(0))
    const marks = server.requests.find(({ path }) => path.endsWith('/marks'))
    expect([JSON.parse(marks!.body), problems]).toEqual([{ name: 'Yours' }, []])
  })

  test('a dialog gives the focus back, and the palette stays in the window', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      fake.entries.set('session-1', history(20))
    })
    for (const look of [
      { width: 1440, height: 900 },
      { width: 820, height: 600 },
    ]) {
      const { page } = await openPage(browser, `${server.url}/s/session-1`, look)
      await page.getByText('Answer 19').waitFor()
      const opener = page.getByRole('button', { name: 'Export', exact: true })
      for (const open of ['Enter', 'Control+k']) {
        await opener.focus()
        await page.keyboard.press(open)
        await page.getByRole('dialog').waitFor()
        await page.keyboard.press('Escape')
        await until(async () => expect(await page.getByRole('dialog').count()).toBe(0))
        expect(await opener.evaluate((one) => one === document.activeElement)).toBe(true)
      }
      await page.getByRole('button', { name: 'Name, tags and note' }).click()
      await until(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT'))
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await page.getByRole('option', { name: /^Keys and help/ }).waitFor()
      await page.keyboard.press('ArrowUp')
      const chosen = page.locator('.commands-list [aria-selected="true"]')
      await until(async () => expect(await chosen.textContent()).toContain('number 1'))
      for (const part of [chosen, page.getByRole('combobox', { name: 'Command or session' })]) {
        await until(async () => {
          const { y, height } = (await part.boundingBox())!
          expect([y >= 0, y + height <= look.height]).toEqual([true, true])
        })
      }
    }
  })

  test('the beginning of a large session, and its earlier prompts, on request', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      fake.entries.set('session-1', history(600))
      fake.promptsAtOnce = 25
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1`)
    await page.getByText('The last 25 prompts').waitFor()
    await page.getByText('Answer 599').waitFor()
    await page.keyboard.press('g')
    await page.locator('.row.marked', { hasText: 'Prompt 0:' }).waitFor()
    expect(page.url()).toBe(`${server.url}/s/session-1#e0`)
    await page.getByRole('button', { name: 'Earlier prompts' }).click()
    await page.getByText('The last 50 prompts').waitFor()
    await page.getByRole('button', { name: 'Earlier prompts' }).click()
    await page.getByText('60 prompts', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Earlier prompts' }).count()).toBe(0)
    expect(await page.locator('.rail li').first().textContent()).toContain('1Prompt 0:')
    expect(problems).toEqual([])
  })

  test('a session of a new project is offered as a filter; a short id keeps the tab', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
    })
    const { page } = await openPage(browser, `${server.url}/s/session?tab=usage`)
    await until(() => expect(page.url()).toBe(`${server.url}/s/session-1?tab=usage`))
    await until(() => expect(server.followers).toBe(1))
    const added = listed(9, { project: '/home/dev/quite-new', updated_at: new Date().toISOString() })
    server.sessions.push(added)
    server.send({ type: 'sessions', changed: [added], removed: [] })
    await page.getByLabel('Project', { exact: true }).getByText('quite-new').waitFor({ state: 'attached' })
  })

  test('a session whose folder is gone is handed over by a command', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      fake.detail = { cwd: '/home/dev/gone', cwd_exists: false }
      fake.handover = undefined
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    await page.getByRole('button', { name: 'Hand over or fork' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Other agent' }).click()
    await page.getByRole('dialog').getByText('ion --resume session-1 --in other --here').waitFor()
  })

  test('sessions that are opened one right after the other leave one stream, and the last one is read', async () => {
    const server = await startServer((fake) => {
      fake.sessions = Array.from({ length: 40 }, (_, number) => listed(number))
      for (const { id } of fake.sessions) fake.entries.set(id, history(20))
      // As slow as a server that is busy.
      fake.delay = (path) => (path.includes('/changes') ? new Promise((done) => setTimeout(done, 300)) : undefined)
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-0`)
    await page.getByText('Answer 19').waitFor()
    await until(() => expect(server.followers).toBe(1))
    for (let times = 0; times < 20; times++) await page.keyboard.press(']')
    await page.getByRole('heading', { name: /number 20 / }).waitFor()
    await page.getByText('Answer 19').waitFor()
    const changed = listed(5, { title: 'Changed meanwhile', updated_at: listed(5).updated_at })
    // The stream of before stays until the new one is open.
    server.send({ type: 'sessions', changed: [changed], removed: [] })
    await page.getByText('Changed meanwhile').waitFor()
    await until(() =>
      expect(server.requests.filter(({ path }) => path.includes('session-20')).length).toBeGreaterThan(0),
    )
    await until(() => expect(server.followers).toBe(1))
    expect(problems).toEqual([])
  })

  test('what was written between reading and following is read; after an interruption, everything', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1), listed(2)]
      for (const { id } of fake.sessions) fake.entries.set(id, history(20))
    })
    server.delay = (path) => {
      if (!path.includes('/changes')) return undefined
      // Read by now, and followed in a moment.
      server.version = '2'
      server.entries.get('session-1')!.push(textEntry('late', 'agent', 'Written in between.'))
      return undefined
    }
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    await page.getByText('Written in between.').waitFor()
    server.delay = () => undefined
    await server.stop()
    await page.getByText('is lost').waitFor()
    await page.getByRole('option', { name: /number 2 / }).click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    server.sessions[0] = listed(1, { tags: ['tagged-meanwhile'] })
    await server.start()
    await page.locator('.session-row', { hasText: 'tagged-meanwhile' }).waitFor()
    await page.getByText('Answer 19').waitFor()
  })

  test('find ends with its transcript, and no other field is without keys', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      fake.entries.set('session-1', history(20))
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    await page.getByText('Answer 19').waitFor()
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor()
    for (const [path, text] of [
      ['/usage', 'has token counts'],
      ['/s/zzzz', 'There is no session'],
    ] as const) {
      await page.evaluate((to) => {
        window.history.pushState(null, '', to)
        dispatchEvent(new PopStateEvent('popstate'))
      }, path)
      await until(async () =>
        expect(await page.getByRole('searchbox', { name: 'Find in this session' }).count()).toBe(0),
      )
      await page.getByText(text).waitFor()
      await page.keyboard.press('Control+f')
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('#search').fill('')
      await page.locator('#search').click()
      await page.keyboard.type('lorem')
      expect(await page.locator('#search').inputValue()).toBe('lorem')
    }
  })

  test('what is copied of a truncated result is all of it', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      const call = callEntry('e0', 'Read', { file_path: '/home/dev/project-1/long.ts' }, 'the beginning')
      fake.entries.set('session-1', [{ ...call, result: { ...call.result!, truncated: true } }])
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: /long\.ts/ }).click()
    await page.getByText('Truncated. Show everything').waitFor()
    server.entries.set('session-1', [callEntry('e0', 'Read', {}, 'the beginning and the end')])
    await page.locator('.result').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('the beginning and the end')
  })

  test('search, files, changes, usage and agents lead to sessions and events', async () => {
    const edit = { event: 'e5', time: null, turn: 1, diff: '-old line\n+new line', kind: 'edited' } as const
    const server = await startServer((fake) => {
      fake.sessions = [listed(1), listed(2)]
      fake.entries.set('session-1', history(20))
      fake.hits = [
        { progress: { done: 1, total: 2 } },
        { hit: { session: listed(1), event: 'e9', snippet: 'It is as it was', marks: [[3, 5]], more: 4 } },
        { done: { searched: 2, unsearched: 0, is_cut: false } },
      ]
      fake.files = [{ session: listed(1), path: '/home/dev/project-1/a.ts', edits: [edit] }, { done: true }]
      fake.changes = {
        files: [{ path: '/home/dev/project-1/a.ts', added: 1, removed: 1, edits: [edit] }],
        git: { diff: '+in the folder', is_cut: false },
        turns: 2,
      }
      fake.usage = () => usageOverview([{ day: dayOf(Date.now()), tokens: 40_000, cost: 1_250_000 }])
      fake.sessionUsage = {
        calls: [
          {
            event: 'e9',
            time: null,
            model: 'model-a',
            tokens: { input: 10, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 },
            cost: 1_000_000,
            why_not: null,
          },
          {
            event: 'e19',
            time: null,
            model: 'model-a',
            tokens: { input: 10, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 },
            cost: null,
            why_not: 'repeats a call of session-2',
          },
        ],
        more: 0,
        total: {
          ...{ calls: 9_000, cost: 103_520_000, unpriced: 0 },
          tokens: { input: 10, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 },
        },
      }
      fake.agents = [
        {
          id: 'agent-a',
          title: 'Agent A',
          installed: '1.2.3',
          level: 'full',
          sessions: 2,
          bytes: 5_000,
          newest: null,
          resume_note: 'by id',
          limits: 'a limit',
        },
      ]
      fake.doctor = [
        { agent: null, name: 'Node', verdict: 'bad', detail: 'is too old', fix: 'install a newer one' },
        {
          agent: 'agent-a',
          name: 'retention',
          verdict: 'warn',
          detail: 'Agent A will delete 1 session',
          fix: 'ion capture --all',
        },
        { agent: 'agent-a', name: 'data', verdict: 'ok', detail: '~/.agent-a' },
      ]
    })
    const { page, problems } = await openPage(browser, `${server.url}/search?q=as+it`)
    await page.getByText('1 of 2 sessions').waitFor()
    expect(await page.locator('.snippet mark').allTextContents()).toEqual(['is'])
    await page.getByRole('link', { name: /number 1 / }).click()
    await page.locator('.row.marked', { hasText: 'Answer 9.' }).waitFor()
    expect(page.url()).toBe(`${server.url}/s/session-1#e9`)

    await page.getByRole('navigation', { name: 'Parts of this session' }).getByRole('link', { name: 'Changes' }).click()
    await page.getByText('From the transcript').waitFor()
    expect(await page.locator('.diff .ins').allTextContents()).toEqual(['+new line\n'])
    await page.getByLabel('Which prompts').selectOption('2..')
    await until(() => expect(asked(server)).toContain('/api/sessions/session-1/changes?turn=2..'))
    await page.getByRole('link', { name: 'Git, now' }).click()
    await page.getByText('+in the folder').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Other sessions that edited this file' }).click()
    await page.getByRole('link', { name: 'show in the transcript' }).click()
    await page.locator('.row.marked', { hasText: 'part-5.ts' }).waitFor()

    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Usage' }).click()
    await page.getByText('$1.25').first().waitFor()
    await page.getByText('model-without-price').waitFor()
    await page.getByText(/List prices of 2026-11-10/).waitFor()
    await page.getByRole('link', { name: 'Title of session-1' }).click()
    await page.getByText('no: repeats a call of session-2').waitFor()
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Agents' }).click()
    await page.getByText('doctor: 1 ok, 1 warning, 1 error').waitFor()
    expect(await page.locator('.findings li').allTextContents()).toEqual([
      'Node is too old→ install a newer one',
      'retention Agent A will delete 1 session→ ion capture --all',
    ])
    expect(await page.locator('table.agents li').count()).toBe(1)
    await page.getByText('Resume: by id').waitFor()
    await page.getByText('Limits: a limit').waitFor()
    expect(problems).toEqual([])
  })

  test('names, tags, notes, sharing and handover; a read-only server offers none of the writes', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1, { tags: ['old'] })]
      fake.entries.set('session-1', history(20))
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-1`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Name, tags and note' }).click()
    await dialog.getByLabel('Name').fill('Refunds')
    await dialog.getByLabel('Tags').fill('payments, urgent')
    await dialog.getByLabel('Note').fill('Look at it again.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Refunds' }).waitFor()
    await page.getByText('Look at it again.').waitFor()
    const marks = server.requests.find(({ path }) => path.endsWith('/marks'))
    expect(JSON.parse(marks!.body)).toEqual({
      name: 'Refunds',
      note: 'Look at it again.',
      add_tags: ['payments', 'urgent'],
      remove_tags: ['old'],
    })
    await page.getByRole('button', { name: 'Share' }).click()
    await dialog.getByText('3 secrets of the kind home').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Hand over or fork' }).click()
    await dialog.getByRole('button', { name: 'Other agent' }).click()
    await dialog.getByText('40 kept as they are, 2 adapted, 1 shortened, 3 left out').waitFor()
    const posted = server.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/handover'))
    // Nothing was written yet.
    expect(posted.map(({ body }) => JSON.parse(body))).toEqual([{ agent: 'other', dry_run: true }])
    await page.keyboard.press('Escape')

    server.about = { ...server.about, read_only: true }
    await page.reload()
    await page.getByRole('button', { name: 'Copy resume command' }).waitFor()
    await settled(server, page)
    for (const name of ['Pin', 'Name, tags and note', 'Resume in a terminal']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    }
    await page.getByRole('button', { name: 'Hand over or fork' }).click()
    await dialog.getByRole('button', { name: 'Other agent' }).click()
    await dialog.getByText('ion --resume session-1 --in other').waitFor()
    expect(problems).toEqual([])
  })

  test('a refused change is said where it was made, and leaves nothing behind', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1), listed(2)]
      fake.entries.set('session-1', history(20))
      fake.refuse = /marks/
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Name, tags and note' }).click()
    await dialog.getByLabel('Tags').fill('payments')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('Not saved: it does not work today').waitFor()
    expect(await page.locator('.tag').count()).toBe(0)
    server.refuse = undefined
    await dialog.getByRole('button', { name: 'Save' }).click()
    await until(async () => expect(await dialog.count()).toBe(0))
    expect(await page.locator('.session-row .tag').allTextContents()).toEqual(['payments'])
    expect(await page.getByText('Not saved').count()).toBe(0)
  })

  test('sessions lead to those they come from; the beginning of an id is enough', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1), listed(20, { parent: 'session-1' }), listed(3)]
      for (const { id } of fake.sessions) fake.entries.set(id, history(20))
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-2#e9`)
    await until(() => expect(page.url()).toBe(`${server.url}/s/session-20#e9`))
    await page.locator('.row.marked', { hasText: 'Answer 9.' }).waitFor()
    await page.getByRole('link', { name: /^Sub-agent of .*number 1 / }).click()
    await page.getByRole('heading', { name: /number 1 / }).waitFor()
    expect(problems).toEqual([])
  })

  test('the palette finds every session, and shows a transcript for what belongs to it', async () => {
    const server = await startServer((fake) => {
      fake.sessions = Array.from({ length: 500 }, (_, number) => listed(number))
      fake.entries.set('session-0', history(20))
    })
    const { page, problems } = await openPage(browser, `${server.url}/s/session-0?tab=changes&agent=agent-a`)
    await page.getByRole('heading', { name: /number 0 / }).waitFor()
    await settled(server, page)
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Command or session' })
    await field.waitFor()
    await page.getByRole('option', { name: /^Keys and help/ }).waitFor()
    await field.fill('find in')
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor()
    expect(new URL(page.url()).searchParams.get('tab')).toBe('transcript')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await field.fill('number 499')
    await page.getByRole('option', { name: /number 499 / }).click()
    await page.getByRole('heading', { name: /number 499 / }).waitFor()
    expect(problems).toEqual([])
  })

  test('a failed request says so and can be repeated; an unknown session says what to do', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(1)]
      fake.entries.set('session-1', history(20))
      fake.refuse = /api\/sessions/
    })
    const { page } = await openPage(browser, `${server.url}/s/session-1`)
    await page.locator('.list').getByText('it does not work today').waitFor()
    await page.locator('.session').getByText('it does not work today').waitFor()
    server.refuse = undefined
    await page.locator('.list').getByRole('button', { name: 'Try again' }).click()
    await page.locator('.session').getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Answer 19').waitFor()
    await page.goto(`${server.url}/s/nothing`)
    await page.getByText('There is no session nothing.').waitFor()
    // An event that is gone does not hide the session.
    await page.goto(`${server.url}/s/session-1#gone`)
    await page.getByText('Answer 19').waitFor()
  })

  test('hostile sessions stay inert on every screen, and nothing is fetched for them', async () => {
    const line = `${hostile.replaceAll('\n', ' ')} ${'x'.repeat(5_000_000)}`
    const edit = { event: 'h1', time: null, turn: 1, diff: hostile, kind: 'edited' } as const
    const evil = listed(1, {
      title: hostile,
      project: `/home/dev/${hostile}`,
      model: hostile.slice(0, 100),
      tags: ['<img src=x onerror="window.hacked=9">'],
      live: { state: 'working', why: hostile },
    })
    const server = await startServer((fake) => {
      fake.sessions = [evil]
      fake.entries.set('session-1', [
        textEntry('h1', 'user', hostile),
        textEntry('h2', 'agent', hostile),
        textEntry('h3', 'agent', deep),
        callEntry('h4', hostile, { command: hostile, [hostile]: hostile }, hostile),
        callEntry('h5', 'Read', { file_path: hostile }, line),
        { event: 'h6', role: 'system', time: hostile, part: { type: 'note', subtype: hostile, text: hostile } },
        { event: 'h7', role: 'agent', time: null, part: { type: 'thinking', text: hostile } },
        textEntry('h8', 'agent', `the end ![x](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=)`),
      ])
      fake.hits = [{ hit: { session: evil, event: 'h1', snippet: hostile, marks: [[0, 40]], more: 1 } }]
      fake.files = [{ session: evil, path: hostile, edits: [edit] }]
      fake.changes = {
        files: [{ path: hostile, added: 1, removed: 1, edits: [edit] }],
        git: { diff: hostile, is_cut: false },
        turns: 2,
      }
      fake.share = {
        text: hostile,
        is_cut: false,
        doubtful: [{ excerpt: hostile, length: 9 }],
        masked: [{ kind: hostile, count: 1 }],
      }
      const names = { agent: hostile, model: hostile, session: hostile, project: hostile }
      fake.usage = () => usageOverview([{ day: '2026-11-14', tokens: 5, cost: 5, ...names }])
      fake.agents = [
        {
          id: hostile,
          title: hostile,
          installed: hostile,
          level: hostile,
          sessions: 1,
          bytes: 1,
          newest: hostile,
          resume_note: hostile,
          limits: hostile,
        },
      ]
      fake.doctor = [hostile, null].map((agent) => ({
        agent,
        name: hostile,
        verdict: 'bad',
        detail: hostile,
        fix: hostile,
      }))
    })
    const { page, problems, foreign } = await openPage(browser, `${server.url}/s/session-1?thinking=1&system=1`)
    await page.getByText('the end').waitFor()
    const inert = async (): Promise<void> => {
      const found = await page.evaluate(() => ({
        hacked: (window as { hacked?: number }).hacked,
        pages: document.querySelectorAll('#page').length,
        strange: document.querySelectorAll('#page :is(script, iframe, style, img, foreignObject, [onerror], [onload])')
          .length,
        forms: document.querySelectorAll('form[action]').length,
        links: [...document.querySelectorAll<HTMLAnchorElement>('#page a[href]')].filter(
          (link) => !/^https?:$/.test(link.protocol ?? 'http:') && typeof link.href === 'string',
        ).length,
        // Neither colours of a terminal nor text that runs backwards.
        controls: /.{0,60}[\x1b\u202e].{0,20}/.exec(document.body.textContent ?? '')?.[0],
      }))
      expect(found).toEqual({ hacked: undefined, pages: 1, strange: 0, forms: 0, links: 0, controls: undefined })
    }
    for (const fold of await page.locator('.transcript .fold-line').all()) await fold.click()
    await inert()
    for (const tab of ['changes', 'changes&source=git', 'sub-agents', 'usage', 'raw']) {
      await page.goto(`${server.url}/s/session-1?tab=${tab}`)
      await settled(server, page)
      for (const fold of await page.locator('.fold-line').all()) await fold.click()
      await inert()
    }
    for (const path of ['/', '/search?q=x', '/files?path=/x', '/usage', '/usage?stack=agent', '/agents']) {
      await page.goto(server.url + path)
      await settled(server, page)
      await inert()
    }
    await page.goto(`${server.url}/s/session-1`)
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByText('Copy Markdown').waitFor()
    await inert()
    // An address is untrusted as well.
    await page.goto(
      `${server.url}/search?q=${encodeURIComponent(hostile.slice(0, 2_000))}&agent=${encodeURIComponent('"><script>window.hacked=10</script>')}`,
    )
    await settled(server, page)
    await inert()
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })
  })

  test.each([
    { width: 390, height: 844, dark: true },
    { width: 820, height: 1100, dark: false },
    { width: 1440, height: 900, dark: true },
    { width: 1440, height: 900, dark: false },
  ])('axe finds nothing serious, and nothing is cut off: %j', async (look) => {
    const edit = { event: 'e5', time: null, turn: 1, diff: '-old line\n+new line', kind: 'edited' } as const
    const server = await startServer((fake) => {
      fake.sessions = Array.from({ length: 30 }, (_, number) => listed(number))
      fake.sessions[0] = listed(0, {
        live: { state: 'waiting', why: 'asks: Run this command?' },
        tags: ['payments'],
        pinned: true,
        problems: 3,
        unpriced: true,
      })
      fake.sessions[1] = listed(1, { only_in_archive: true, problems: 1, unpriced: true })
      fake.entries.set('session-0', history(60))
      fake.changes = {
        files: [{ path: '/home/dev/project-1/a.ts', added: 1, removed: 1, edits: [edit] }],
        git: null,
        turns: 2,
      }
      fake.hits = [{ hit: { session: listed(1), event: 'e9', snippet: 'It is as it was', marks: [[3, 5]], more: 4 } }]
      fake.usage = () => usageOverview([{ day: dayOf(Date.now()), tokens: 40_000, cost: 1_250_000 }])
      fake.agents = [
        {
          id: 'agent-a',
          title: 'Agent A',
          installed: null,
          level: 'full',
          sessions: 2,
          bytes: 5_000,
          newest: null,
          resume_note: 'by id',
          limits: 'a limit',
        },
      ]
    })
    const { page, problems } = await openPage(browser, server.url, look)
    const check = async (what: string): Promise<void> => {
      await settled(server, page)
      expect(await seriousFindings(page), what).toEqual([])
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(wide, what).toBe(0)
    }
    await check('the list')
    for (const path of [
      '/s/session-0#e20',
      '/s/session-0?tab=changes',
      '/s/session-0?tab=usage',
      '/s/session-0?tab=raw',
      '/search?q=x',
      '/search',
      '/files?path=/a.ts',
      '/usage',
      '/agents',
      '/s/missing',
    ]) {
      await page.goto(server.url + path)
      await check(path)
    }
    await page.goto(`${server.url}/s/session-0`)
    await page.getByText('Answer 59').waitFor()
    for (const key of ['?', 'Control+k', 'e']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      await check(key)
      await page.keyboard.press('Escape')
      await until(async () => expect(await page.getByRole('dialog').count()).toBe(0))
    }
    expect(problems).toEqual([])
  })

  test('keyboard only: skip, list, transcript, back', async () => {
    const server = await startServer((fake) => {
      fake.sessions = [listed(0), listed(1)]
      for (const { id } of fake.sessions) fake.entries.set(id, history(20))
    })
    const { page } = await openPage(browser, server.url)
    await page.getByText('2 sessions').first().waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    const isInList = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.classList.contains('list-scroller') ?? false)
    for (let times = 0; times < 5 && !(await isInList()); times++) await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: /number 0 / }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: /number 1 / }).waitFor()
    const isReading = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.classList.contains('scroller') ?? false)
    // Until it is loaded, there is nothing to reach.
    await page.getByText('Answer 19').waitFor()
    for (let times = 0; times < 25 && !(await isReading()); times++) await page.keyboard.press('Tab')
    expect(await isReading()).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByText('Choose a session').waitFor()
  })
})
