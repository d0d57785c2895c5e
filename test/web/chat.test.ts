import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { until } from '../support/wait-until.ts'
import { seriousFindings } from './axe.ts'
import { distanceFromEnd, openPage, startMock } from './chat-page.ts'
import { chromiumPath, openChromium, whySkipped } from './chromium.ts'
import { agent, answered, call, deep, hostile, many, steps, user, work } from './histories.ts'
import { asking } from './mock-server.ts'

// A browser runs beside all other tests, on a machine that may be several times slower.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describe.skipIf(!chromiumPath)(`the chat page in Chromium${whySkipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser?.close())

  test('how far the store is behind in which the task is kept', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
    })
    const { page, problems } = await openPage(browser, server.url)
    const [label, line] = [page.locator('header .replica'), page.locator('.status-line')]
    const heard = page.getByRole('status')
    await page.getByText('Both paths are covered').waitFor()
    expect(await label.count()).toBe(0)
    server.setReplica({ state: 'stored', behind_since: null, reason: null })
    await until(async () => expect(await label.textContent()).toBe(' · stored'))
    expect(await line.count()).toBe(0)

    const behind_since = new Date(Date.now() - 12_500).toISOString()
    const behind = { state: 'behind', behind_since, reason: 'cannot reach s3.example.com' } as const
    server.setReplica(behind)
    await until(async () => expect(await label.textContent()).toMatch(/store 1[2-9] s behind/))
    const first = await label.textContent()
    // It counts.
    await until(async () => expect(await label.textContent()).not.toBe(first))
    expect(await line.textContent()).toBe('Not stored yet: cannot reach s3.example.com')
    expect(await heard.textContent()).toBe('Not stored yet: cannot reach s3.example.com')
    expect(await seriousFindings(page)).toEqual([])
    // Also for whoever opens the page now, and while the agent works, when the line says that.
    await page.reload()
    await until(async () => expect(await label.textContent()).toMatch(/store \d+ s behind/))
    server.setStatus({ status: 'running' })
    await line.getByText('is working').waitFor()
    expect(await label.textContent()).toMatch(/store \d+ s behind/)
    server.setStatus({ status: 'stable' })

    server.setReplica({
      state: 'not stored',
      behind_since: null,
      reason: 'not stored any more: far-away has taken over',
    })
    await until(async () => expect(await label.textContent()).toBe(' · not stored'))
    await line.getByText('Not stored any more: far-away has taken over').waitFor()
    server.setReplica({ state: 'stored', behind_since: null, reason: null })
    await until(async () => expect(await label.textContent()).toBe(' · stored'))
    await until(async () => expect(await heard.textContent()).toBe('Stored again'))
    expect({ count: await line.count(), problems, violations: server.violations }).toEqual({
      count: 0,
      problems: [],
      violations: [],
    })
  })

  test('a session: Markdown, highlighted code, tool calls that expand to their diff and full result', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
    })
    const { page, problems, foreign } = await openPage(browser, server.url)
    await page.getByText('Both paths are covered').waitFor()
    expect(await page.title()).toBe('Refunds are paid twice · Ion')

    // Rows expand downwards, also at the end.
    const last = page.getByRole('button', { name: /^Bash.*grep/ })
    await until(async () => expect(await distanceFromEnd(page)).toBeLessThan(2))
    const { y } = (await last.boundingBox())!
    await last.click()
    await page.locator('pre', { hasText: 'jobs/nightly.ts:8' }).waitFor()
    await until(async () => expect(await distanceFromEnd(page)).toBeGreaterThan(40))
    expect((await last.boundingBox())!.y).toBe(y)
    await last.click()

    const edit = page.getByRole('button', { name: /^Edit/ })
    expect(await edit.textContent()).toBe('Editsrc/refunds/webhook.ts+3 ')
    await edit.click()
    expect(await page.locator('.diff .ins').allTextContents()).toEqual([
      '+  // The provider repeats an event until it is answered.\n',
      '+  if (await ledger.has(event.id)) return ok()\n',
      '+  await ledger.add(event.id)\n',
    ])
    await edit.click()
    expect(await page.locator('.diff').count()).toBe(0)

    await page.getByRole('button', { name: /^Read/ }).click()
    await page.getByRole('button', { name: /Show everything/ }).click()
    await page.getByText('const line399 = 399').waitFor()
    await page.locator('.hljs-keyword', { hasText: 'export' }).first().waitFor({ state: 'attached' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('.code', { hasText: '42 passed' }).getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm test -- refunds jobs   # 42 passed')
    expect(await page.locator('.state.bad').allTextContents()).toEqual(['failed'])
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })
  })

  test('hostile text is shown, not run, and nothing is fetched for it', async () => {
    const server = await startMock((mock) => {
      mock.messages = [
        user(0, hostile),
        agent(1, { type: 'thinking', text: hostile }, hostile, ...call('h', hostile, { command: hostile }, hostile)),
        agent(2, { type: 'note', subtype: hostile, text: hostile }),
        agent(3, deep),
      ]
      mock.setStatus({ title: hostile })
      mock.screen = hostile
    })
    const { page, problems, foreign } = await openPage(browser, server.url)
    await page.locator('.answer').getByText('<script>window.hacked = 1</script>').waitFor()
    await page.locator('.answer').getByText('the bottom').waitFor()
    for (const fold of await page.locator('.fold-line').all()) await fold.click()
    const found = await page.evaluate(() => ({
      hacked: (window as { hacked?: number }).hacked,
      pages: document.querySelectorAll('#page').length,
      strange: [...document.querySelectorAll('#page :is(script, iframe, style, img, form:not(.composer), [onerror])')]
        .length,
      links: [...document.querySelectorAll<HTMLAnchorElement>('.row a')].filter(({ protocol }) => protocol !== 'https:')
        .length,
    }))
    expect(found).toEqual({ hacked: undefined, pages: 1, strange: 0, links: 0 })
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] })
  })

  test('5,000 messages: few are loaded and fewer rendered, and loading older ones does not move the reader', async () => {
    const server = await startMock((mock) => {
      mock.messages = many(5_000)
    })
    const { page, problems } = await openPage(browser, server.url)
    await page.getByText('Answer number 4999').waitFor()
    expect(await page.locator('.row').count()).toBeLessThan(60)
    await until(async () => expect(await distanceFromEnd(page)).toBeLessThan(2))

    // Far up, beyond the messages that were loaded first.
    await page.mouse.move(500, 400)
    await until(async () => {
      await page.mouse.wheel(0, -6_000)
      expect(await page.locator('.prompt').first().textContent()).toMatch(/number 4[0-7]\d\d/)
    })
    expect(await page.locator('.row').count()).toBeLessThan(60)

    // New messages at the end are counted and do not move the reader.
    const position = (): Promise<string> =>
      page.evaluate(() => {
        const row = document.elementFromPoint(500, 300)?.closest<HTMLElement>('.row')
        return `${row?.dataset.key} ${Math.round(row?.getBoundingClientRect().top ?? 0)}`
      })
    let before = ''
    let unchanged = 0
    // On a busy machine the last scroll event arrives late, and what it loads even later.
    await until(async () => {
      const now = await position()
      unchanged = now === before ? unchanged + 1 : 0
      before = now
      expect(unchanged).toBeGreaterThan(20)
    })
    server.put(user(5_000, 'One more'))
    server.put(agent(5_001, 'Yes.'))
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await position()).toBe(before)
    await page.getByRole('button', { name: '2 new' }).click()
    await page.getByText('Yes.', { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  test('a growing answer is followed to its end', async () => {
    const server = await startMock((mock) => {
      mock.messages = [...many(40), { ...agent(40, 'It begins.'), done: false }]
      mock.setStatus({ status: 'running' })
    })
    const { page } = await openPage(browser, server.url)
    await page.getByText('It begins.').waitFor()
    for (let lines = 1; lines <= 30; lines++) {
      server.put({
        ...agent(40, `It begins.\n\n${'Another line.\n\n'.repeat(lines)}Line ${lines} is the last.`),
        done: false,
      })
    }
    await page.getByText('Line 30 is the last.').waitFor()
    // Also when a banner takes space at the bottom.
    server.setStatus({ waiting_for: asking('permission dialog') })
    await page.getByRole('button', { name: 'Answer in the terminal' }).waitFor()
    await until(async () => expect(await distanceFromEnd(page)).toBeLessThan(2))
    // A reader who is left a few pixels above the end gets there with the next line.
    await page.locator('.scroller').evaluate((one) => one.scrollBy(0, -20))
    server.put({ ...agent(40, `It begins.\n\n${'Another line.\n\n'.repeat(31)}Line 31 is the last.`), done: false })
    await page.getByText('Line 31 is the last.').waitFor()
    await until(async () => expect(await distanceFromEnd(page)).toBeLessThan(2))
    server.put(agent(40, 'It is complete.'))
    server.setStatus({ status: 'stable' })
    await until(async () => expect(await page.getByRole('status').textContent()).toContain('It is complete.'))
  })

  test('what the agent is writing is shown as its terminal has it, followed, and replaced by the message', async () => {
    const server = await startMock((mock) => {
      mock.messages = [...many(40), user(40, 'why?')]
      mock.setStatus({ status: 'running' })
    })
    const { page, problems } = await openPage(browser, server.url)
    await page.getByText('why?', { exact: true }).waitFor()
    const written = page.locator('.answer.writing').last()
    for (let lines = 1; lines <= 30; lines++) {
      server.setPreview({ id: 41, text: Array.from({ length: lines }, (_, at) => `Row ${at + 1} of it`).join('\n') })
    }
    await written.getByText('Row 30 of it').waitFor()
    // Line breaks of the terminal stay.
    expect(await written.locator('br').count()).toBe(29)
    await until(async () => expect(await distanceFromEnd(page)).toBeLessThan(2))
    // Text that needs its columns keeps them.
    server.setPreview({ id: 41, text: 'A table:\n┌───┬───┐\n│ a │ b │\n└───┴───┘\nand more' })
    await written.locator('pre').getByText('│ a │ b │').waitFor()
    expect(await written.locator('pre').count()).toBe(1)
    // Also after a reconnect, and after a reload.
    await page.reload()
    await written.getByText('and more').waitFor()
    server.put(agent(41, 'It is **complete**.'))
    server.setPreview({ id: 41, text: '' })
    server.setStatus({ status: 'stable' })
    await page.getByText('It is complete.').waitFor()
    expect(await page.locator('.answer.writing').count()).toBe(0)
    expect(await page.getByText('and more').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('sending: keys, why it is not possible now, an error that restores the text, the token', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.onMessage = (text) => mock.put(user(4, text))
    })
    const { page } = await openPage(browser, server.url)
    const field = page.getByRole('textbox', { name: 'Message to Codex' })
    await field.fill('First line')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('second line')
    await until(async () => {
      await field.press('Enter')
      expect(server.posted).toEqual([
        { path: '/message', body: '{"content":"First line\\nsecond line","type":"user"}' },
      ])
    })
    await page.locator('.prompt', { hasText: 'second line' }).waitFor()
    expect(await field.inputValue()).toBe('')

    server.setStatus({ status: 'running' })
    await page.getByText('Enter queues your message until Codex is ready').waitFor()
    await field.fill('Meanwhile')
    await page.keyboard.press('Escape')
    await until(() => expect(server.posted.slice(1)).toEqual([{ path: '/interrupt', body: '' }]))
    expect(await field.inputValue()).toBe('Meanwhile')

    server.setStatus({ status: 'stable' })
    server.refuse = { status: 500, detail: 'the agent takes no input' }
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Not sent: the agent takes no input').waitFor()
    expect(await field.inputValue()).toBe('Meanwhile')

    server.refuse = { status: 401, detail: 'a token is needed' }
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByLabel(/This page needs its token/).fill('secret')
    server.refuse = undefined
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.waitForURL('**/chat/embed?token=secret')
    expect(await field.inputValue()).toBe('Meanwhile')
  })

  test('a message written while the agent works waits, can be edited and removed, and is sent when the agent is ready', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.status = { ...mock.status, status: 'running' }
      // As the server does: from the message on, the agent works.
      mock.onMessage = (text) => {
        mock.put(user(mock.messages.length, text))
        mock.setStatus({ status: 'running' })
      }
    })
    const sent = (): string[] => server.posted.map(({ body }) => (JSON.parse(body) as { content: string }).content)
    const { page, problems } = await openPage(browser, server.url)
    const field = page.getByRole('textbox', { name: 'Message to Codex' })
    const waiting = page.getByRole('region', { name: 'Queued messages' }).getByRole('listitem')
    await page.getByText('Enter queues your message').waitFor()
    for (const text of ['one', 'two', 'three', 'four']) {
      await field.fill(text)
      await field.press('Enter')
    }
    await until(async () => expect(await waiting.allTextContents()).toEqual(['one', 'two', 'three', 'four']))
    await waiting.nth(2).getByRole('button', { name: 'Remove' }).click()
    await waiting.nth(1).getByRole('button', { name: 'Edit' }).click()
    expect(await field.inputValue()).toBe('two')
    await field.fill('two, edited')
    await page.getByRole('button', { name: 'Queue' }).click()
    await until(async () => expect(await waiting.allTextContents()).toEqual(['one', 'four', 'two, edited']))
    await field.press('ArrowUp')
    expect(await field.inputValue()).toBe('two, edited')
    await field.press('Enter')

    // Neither a reload nor a question sends anything.
    await page.reload()
    await until(async () => expect(await waiting.allTextContents()).toEqual(['one', 'four', 'two, edited']))
    server.setStatus({ status: 'stable', waiting_for: asking('permission dialog') })
    await page.getByRole('button', { name: 'Answer in the terminal' }).waitFor()
    expect(sent()).toEqual([])

    // One at a time, each when the agent is ready.
    server.setStatus({ status: 'stable', waiting_for: null })
    await page.locator('.prompt', { hasText: 'one' }).waitFor()
    await until(async () => expect(await waiting.allTextContents()).toEqual(['four', 'two, edited']))
    expect(sent()).toEqual(['one'])

    // What fails waits for the user; nothing is sent past it.
    server.refuse = { status: 500, detail: 'the agent takes no input' }
    server.setStatus({ status: 'stable' })
    await waiting.getByText('Not sent: the agent takes no input').waitFor()
    server.refuse = undefined
    server.setStatus({ status: 'running' })
    server.setStatus({ status: 'stable' })
    await page.locator('header').getByText('Ready').waitFor()
    expect(sent()).toEqual(['one', 'four'])
    await page.getByRole('button', { name: 'Send again' }).click()
    await until(() => expect(server.status.status).toBe('running'))
    await until(async () => expect(await waiting.allTextContents()).toEqual(['two, edited']))
    server.setStatus({ status: 'stable' })
    await page.locator('.prompt', { hasText: 'two, edited' }).waitFor()
    expect(sent()).toEqual(['one', 'four', 'four', 'two, edited'])
    expect(await waiting.count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('a duplicate of the tab does not send what is queued a second time', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.status = { ...mock.status, status: 'running' }
      mock.onMessage = (text) => mock.put(user(mock.messages.length, text))
    })
    const { page } = await openPage(browser, server.url)
    const field = page.getByRole('textbox', { name: 'Message to Codex' })
    await page.getByText('Enter queues your message').waitFor()
    await field.fill('only once')
    await field.press('Enter')
    await page.getByRole('listitem').getByText('only once').waitFor()
    // A duplicate begins with a copy of the tab's storage.
    const stored = await page.evaluate(() => Object.entries(sessionStorage))
    const other = await page.context().newPage()
    await other.addInitScript((entries) => {
      for (const [key, value] of entries) sessionStorage.setItem(key, value)
      // Another process sees a moment later what this one stores.
      const { getItem } = Storage.prototype
      Storage.prototype.getItem = function (key) {
        return this === localStorage ? null : getItem.call(this, key)
      }
    }, stored)
    await other.goto(server.url)
    await other.getByRole('listitem').getByText('only once').waitFor()
    server.setStatus({ status: 'stable' })
    await page.locator('.prompt', { hasText: 'only once' }).waitFor()
    await other.locator('.prompt', { hasText: 'only once' }).waitFor()
    const refused = async (): Promise<number> =>
      (await page.locator('.queue .bad').count()) + (await other.locator('.queue .bad').count())
    await until(async () => expect(await refused()).toBe(1))
    expect(server.posted).toHaveLength(1)
  })

  test('a long run of calls is one row, with what failed and how long it took; its rows have result and duration', async () => {
    const server = await startMock((mock) => {
      mock.messages = [user(0, 'Fix it'), agent(1, 'I look.', ...steps(), 'It is fixed.')]
    })
    const { page, problems } = await openPage(browser, server.url)
    const run = page.getByRole('button', { name: /^10 steps/ })
    await run.waitFor()
    expect(await run.textContent()).toBe('10 stepsRead 5, Bash 2, Grep, Edit, Write1 failed1 min 21 s')
    expect(await page.locator('.fold-line').count()).toBe(1)
    await run.click()
    const lines = page.locator('.row.step .fold-line')
    await until(async () => expect(await lines.count()).toBe(10))
    const texts = await lines.allTextContents()
    expect([texts[0], texts[6], texts[7], texts[9]]).toEqual([
      'Greppay(2 lines0.4 s',
      'Bashnpm test -- refundsexpected 1 payment, got 2failed6.2 s',
      'Editsrc/refunds/webhook.ts+2 0.3 s',
      'Bashnpm test412 passed1 min 12 s',
    ])
    // Above the diff there is nothing that says nothing.
    await page.getByRole('button', { name: /^Edit/ }).click()
    await page.locator('.diff').waitFor()
    expect(await page.getByText('replace_all').count()).toBe(0)
    await run.click()
    await until(async () => expect(await page.locator('.fold-line').count()).toBe(1))

    // The search opens the run that contains the match.
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox').pressSequentially('412 passed')
    await page.locator('.row.found', { hasText: '412 passed' }).waitFor()
    expect(problems).toEqual([])
  })

  test('of a run that grows the last rows are shown, and it is folded when the agent says something', async () => {
    const parts = steps()
    const server = await startMock((mock) => {
      mock.messages = [user(0, 'Fix it'), { ...agent(1, ...parts.slice(0, -1)), done: false }]
      mock.status = { ...mock.status, status: 'running' }
    })
    const { page } = await openPage(browser, server.url)
    const lines = page.locator('.fold-line')
    await until(async () => expect(await lines.count()).toBe(4))
    expect((await lines.allTextContents())[0]).toMatch(/^7 earlier steps/)
    expect((await lines.allTextContents())[3]).toMatch(/^Bashnpm testrunning/)
    server.put(agent(1, ...parts, 'It is fixed.'))
    await until(async () => expect(await lines.allTextContents()).toEqual([expect.stringMatching(/^10 steps/)]))
  })

  test('the clock counts from the prompt, also after a reload; an agent that has ended can be reopened', async () => {
    const time = new Date(Date.now() - 125_000).toISOString()
    const server = await startMock((mock) => {
      mock.messages = [...work(), { ...user(4, 'And the tests?'), time }]
      mock.status = { ...mock.status, status: 'running' }
    })
    const { page } = await openPage(browser, server.url)
    await page.getByText(/2 min \d+ s/).waitFor()
    // A text between two steps looks like the end of the turn.
    server.put(agent(5, 'I look at them.'))
    await page.getByText('I look at them.').first().waitFor()
    await page.reload()
    await page.getByText(/2 min \d+ s/).waitFor()

    server.setStatus({ status: 'stable', exited: 0 })
    await page.getByText('Codex has ended').waitFor()
    await page.getByText('Ended').first().waitFor()
    server.refuse = { status: 500, detail: 'Codex ended at once with exit code 1: not logged in' }
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.getByText('Not reopened: Codex ended at once with exit code 1: not logged in').waitFor()
    server.refuse = undefined
    server.onStart = () => server.setStatus({ exited: null })
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.locator('header').getByText('Ready').waitFor()
    expect(server.posted.map(({ path }) => path)).toEqual(['/start', '/start'])
    await page.getByRole('textbox', { name: 'Message to Codex' }).fill('Go on')
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
  })

  test('a server that dies and returns: the page says so, and continues where it was', async () => {
    const server = await startMock((mock) => {
      mock.messages = many(200)
    })
    const { page, problems } = await openPage(browser, server.url)
    await page.locator('header').getByText('Ready').waitFor()
    await server.stop()
    await page.getByText('Connection lost.').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    server.messages.push(user(200, 'Said while the page was away'))
    await server.start()
    await page.getByText('Said while the page was away').waitFor()
    await page.locator('header').getByText('Ready').waitFor()
    expect(server.connections.map(({ query }) => query)).toEqual(['full=true&after=198', 'full=true&after=198'])
    expect(server.connections[0]!.lastEventId).toBeUndefined()
    expect(Number(server.connections[1]!.lastEventId)).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })

  test('after a rewind in the agent, removed messages disappear and the rest is shown to its end, also after a reconnect', async () => {
    const server = await startMock((mock) => {
      mock.messages = many(200)
    })
    const ids = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)
    const { page, problems } = await openPage(browser, server.url)
    const answer = (id: number): Locator => page.locator(`.row[data-key^="${id}."]`).last()
    await answer(199).waitFor()
    server.remove([198, 199])
    await answer(199).waitFor({ state: 'detached' })
    await answer(197).waitFor()

    // Everything that is loaded and more, followed by another prompt.
    server.remove(ids(100, 198))
    server.put(user(200, 'Another approach'))
    await page.getByText('Another approach').waitFor()
    await answer(99).waitFor()
    await until(async () => expect(await distanceFromEnd(page)).toBeLessThan(2))
    expect(await answer(197).count()).toBe(0)

    await server.stop()
    await page.getByText('Connection lost.').waitFor()
    server.messages = server.messages.filter(({ id }) => id < 98)
    await server.start()
    await page.getByText('Another approach').waitFor({ state: 'detached' })
    await answer(97).waitFor()
    expect(problems).toEqual([])
  })

  test('search finds messages that are not loaded, moves between matches, and expands folded rows', async () => {
    const server = await startMock((mock) => {
      mock.messages = many(1_000)
      mock.messages[101] = agent(101, ...call('n', 'Bash', { command: 'make' }, 'the needle is in the output'))
      mock.messages[900] = user(900, 'Where is the needle?')
    })
    const { page } = await openPage(browser, server.url)
    await page.getByText('Answer number 999').waitFor()
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox').pressSequentially('NEEDLE')
    const count = page.locator('.search-bar .count')
    await until(async () => expect(await count.textContent()).toBe('2 of 2'))
    await page.locator('.row.found', { hasText: 'Where is the needle?' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.row.found', { hasText: 'the needle is in the output' }).waitFor()
    expect(await count.textContent()).toBe('1 of 2')
    await page.keyboard.press('Shift+Enter')
    await page.locator('.row.found', { hasText: 'Where is the needle?' }).waitFor()
    const marked = await page.evaluate(() => CSS.highlights.get('found-here')?.size)
    expect(marked).toBe(1)
    await page.keyboard.press('Escape')
    expect(await page.getByRole('searchbox').count()).toBe(0)

    // The focus is in the conversation: from prompt to prompt, and into the search again.
    await page.keyboard.press('Alt+ArrowUp')
    await until(async () => {
      const box = await page
        .locator('.prompt', { hasText: /^You.*Prompt number 89\d/ })
        .first()
        .boundingBox()
      expect(box?.y).toBeLessThan(150)
    })
    await page.keyboard.press('/')
    await page.getByRole('searchbox').waitFor()
  })

  test('a dialog of the agent can be answered in its terminal', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.setStatus({ waiting_for: asking('trust dialog') })
      mock.screen = 'Do you trust this folder?'
    })
    const { page } = await openPage(browser, server.url)
    await page.getByRole('button', { name: 'Answer in the terminal' }).click()
    await page.getByText('Do you trust this folder?').waitFor()
    await page.getByText('ion attach codex-main').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('y')
    await page.getByRole('button', { name: 'Esc', exact: true }).click()
    const keys = (): string[] => server.posted.map(({ body }) => (JSON.parse(body) as { content: string }).content)
    await until(() => expect(keys()).toEqual(['\x1b[B', 'y', '\x1b']))
    server.setScreen('Thank you')
    await page.getByText('Thank you').waitFor()
    server.setStatus({ waiting_for: null })
    await page.keyboard.press('Escape')
    await page.getByText('Both paths are covered').waitFor()
    expect(await page.getByText('Thank you').count()).toBe(0)
  })

  test('a question of the agent is answered with a button or its number, and nothing is sent meanwhile', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.status = {
        ...mock.status,
        waiting_for: asking('May I run this command?', 'npm test -- refunds\n\x1b[31m<b>', 'Yes', 'No, <i>stop</i>'),
      }
      mock.onAnswer = () => mock.setStatus({ waiting_for: null })
    })
    const { page, problems } = await openPage(browser, server.url)
    const card = page.getByRole('region', { name: 'Codex asks: May I run this command?' })
    await card.waitFor()
    expect(await card.locator('pre').textContent()).toBe('npm test -- refunds\n<b>')
    expect(await card.locator('.choice').allTextContents()).toEqual(['1Yes', '2No, <i>stop</i>'])
    await until(async () =>
      expect(await page.getByRole('status').textContent()).toBe(
        'Codex asks: May I run this command?\nnpm test -- refunds\n<b>\n1: Yes\n2: No, <i>stop</i>',
      ),
    )
    expect(await page.title()).toMatch(/^● /)
    // A number in the field is text, and Enter sends nothing.
    const field = page.getByRole('textbox', { name: 'Message to Codex' })
    await field.pressSequentially('1')
    await field.press('Enter')
    await page.getByText('Codex asks something; answer that first. Messages cannot be sent now.').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    expect(await field.inputValue()).toBe('1')
    expect(server.posted).toEqual([])
    expect(await seriousFindings(page)).toEqual([])

    await card.getByRole('button', { name: 'No, <i>stop</i>' }).click()
    await page.locator('header').getByText('Ready').waitFor()
    expect(await card.count()).toBe(0)
    server.setStatus({ waiting_for: asking('And this one?', '', 'Yes', 'No') })
    const second = page.getByRole('region', { name: 'Codex asks: And this one?' })
    await second.waitFor()
    await page.locator('.scroller').focus()
    await page.keyboard.press('3')
    await page.keyboard.press('1')
    await second.waitFor({ state: 'detached' })
    const answer = (question: string, choice: string): object => ({
      path: '/answer',
      body: JSON.stringify({ question, choice, by: 'page' }),
    })
    expect(server.posted).toEqual([answer('May I run this command?', '2'), answer('And this one?', '1')])

    server.setStatus({ waiting_for: asking('Old?', '', 'Yes') })
    server.refuse = { status: 409, detail: 'this is no longer asked' }
    await page.getByRole('button', { name: /Yes/ }).click()
    await page.getByText('Not answered: the question is no longer asked.').waitFor()
    expect(problems).toEqual([])
  })

  test.each([
    { width: 375, height: 740, dark: true },
    { width: 1280, height: 800, dark: false },
  ])('who answered a question is a row that opens to what it was about, and is found: %j', async (look) => {
    const time = '2026-03-12T09:02:00Z'
    const ask = call('a', 'Bash', { command: 'npm test' }, '42 passed')
    const server = await startMock((mock) => {
      mock.messages = [
        user(0, 'Fix it'),
        agent(1, ask[0]!, answered('page', time), ask[1]!, 'It is fixed.'),
        user(2, 'And now?'),
        agent(3, ...steps().slice(0, 10), answered(hostile, time, hostile, hostile), ...steps().slice(10), 'So.'),
      ]
    })
    const { page, problems } = await openPage(browser, server.url, look)
    const row = page.getByRole('button', { name: /^Yes/ })
    await row.waitFor()
    expect(await row.textContent()).toMatch(
      /^Yesasked: Do you want to run this command\?answered on the page, .*\d\d:\d\d/,
    )
    // Who answered is seen at every width.
    expect(await row.getByText('answered on the page').isVisible()).toBe(true)
    expect(await page.locator('.question-details').count()).toBe(0)
    await row.click()
    await page.locator('.question-details', { hasText: 'npm test -- refunds' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await row.click()

    // An answer does not split a run of calls.
    const run = page.getByRole('button', { name: /^10 steps/ })
    expect(await run.textContent()).toContain('1 answered')
    await run.click()
    const strange = page.locator('.row.step .fold-line', { hasText: 'asked:' })
    await strange.click()
    await page.locator('.question-details').waitFor()
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await strange.click()
    await run.click()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').pressSequentially('want to run')
    await page.locator('.row.found', { hasText: 'asked: Do you want to run' }).first().waitFor()
    expect(problems).toEqual([])
  })

  test('a screen that Ion does not know is answered in the terminal', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.status = { ...mock.status, waiting_for: asking('a menu') }
    })
    const { page } = await openPage(browser, server.url)
    const card = page.getByRole('region', { name: 'Codex shows something Ion does not know' })
    await card.getByText('a menu').waitFor()
    expect(await card.locator('.choice').count()).toBe(0)
    await card.getByRole('button', { name: 'Answer in the terminal' }).click()
    await page.getByRole('textbox', { name: 'Screen of the agent' }).waitFor()
  })

  test('/share, /export, /handover, /help and files, behind a proxy that adds a path', async () => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.prefix = '/@dev/shop.main/apps/ion'
    })
    const { page, problems } = await openPage(browser, server.url)
    const field = page.getByRole('textbox', { name: 'Message to Codex' })
    // What is typed before it is gone would go to the dialog.
    const close = async (): Promise<void> => {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    await field.fill('/sh')
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('Redacted Markdown').inputValue()).toBe(
      '# Refunds are paid twice\n\nmasked: [home]/.env\n',
    )
    const shared = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    expect((await shared).suggestedFilename()).toBe('session.md')
    await close()

    await field.fill('/export')
    await page.keyboard.press('Enter')
    const exported = page.waitForEvent('download')
    await page.getByRole('link', { name: 'HTML' }).click()
    expect((await exported).suggestedFilename()).toBe('session.html')
    await close()

    await field.fill('/handover')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Copy command' }).nth(1).waitFor()
    expect(await dialog.locator('code').allTextContents()).toEqual(
      ['claude', 'goose'].map(
        (agent) => `ion stop codex-main && ion --resume ${server.status.session_id} --in ${agent}`,
      ),
    )
    await close()

    await field.fill('/help')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await close()

    await field.fill('Look at')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from('png') })
    await until(async () => expect(await field.inputValue()).toBe('Look at /home/dev/uploads/picture.png '))
    await field.evaluate((area) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['png'], 'pasted.png'))
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }))
    })
    await until(() => expect(server.posted.map(({ path }) => path)).toEqual(['/upload', '/upload']))
    expect(server.posted[1]!.body).toContain('filename="pasted.png"')
    await page.evaluate(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([new Uint8Array(11 * 1024 * 1024)], 'large.bin'))
      dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
    })
    await page.getByText('Not uploaded: large.bin: larger than 10 MB').waitFor()
    expect(server.posted).toHaveLength(2)
    expect(problems).toEqual([])
  })

  test.each([
    { width: 375, height: 740, dark: true },
    { width: 1280, height: 800, dark: false },
  ])('axe finds nothing serious, and nothing is cut off: %j', async (look) => {
    const server = await startMock((mock) => {
      mock.messages = work()
      mock.screen = 'Do you trust this folder?'
    })
    const { page } = await openPage(browser, server.url, look)
    await page.getByText('Both paths are covered').waitFor()
    const found: Record<string, string[]> = { conversation: await seriousFindings(page) }
    await page.getByRole('button', { name: /^Edit/ }).click()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').pressSequentially('ledger')
    await page.locator('.row.found').first().waitFor()
    found.search = await seriousFindings(page)
    server.setStatus({ waiting_for: asking('trust dialog') })
    await page.getByRole('button', { name: 'Answer in the terminal' }).click()
    await page.getByText('Do you trust this folder?').waitFor()
    found.terminal = await seriousFindings(page)
    await page.getByRole('button', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    found.help = await seriousFindings(page)
    expect(found).toEqual({ conversation: [], search: [], terminal: [], help: [] })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
