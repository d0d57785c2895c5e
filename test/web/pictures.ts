// The screenshots in docs/chat-page.md: node --import tsx test/web/pictures.ts takes them from the built page (npm run
// build) with prepared histories. `--all <folder>` takes every scene at the widths of a phone, a tablet and a desktop,
// light and dark, as PNG for review; `--only <scene>` one of them. The browser of `npm run chromium` has no monospaced font: set ION_TEST_CHROMIUM to another.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import * as chromium from './chromium.ts'
import * as histories from './histories.ts'
import * as mock from './mock-server.ts'

const { values } = parseArgs({
  options: { all: { type: 'string' }, only: { type: 'string' }, built: { type: 'string', default: 'dist' } },
})
const to = values.all ?? 'docs/pictures'
mkdirSync(to, { recursive: true })

const server = new mock.MockServer(resolve(values.built, 'web'))
server.messages = histories.work()
await server.start()
const browser = await chromium.openChromium()

const DIALOG = `
 May the agent work in this folder?

 /home/dev/shop

 It will read and change files here, and run programs.

 ❯ 1. Yes, continue
   2. No, exit

 Enter confirms`

const FIX = 'Some refunds are paid twice. Find out why, and fix it.\n\nThe webhook is in `src/refunds/`.'
const LOOK = 'I will look at the webhook and at everything that calls `pay`.'
const FIXED =
  'The provider **repeats an event until it is answered**, and `pay` did not look whether it had run before. The webhook now ' +
  'asks the ledger first:\n\n```ts\nif (await ledger.has(event.id)) return ok()\nawait ledger.add(event.id)\n```\n\nAll 412 tests pass.'
const WRITING =
  'The provider repeats an event until it is answered, and pay did not look whether it had run before.\n\n' +
  '- the webhook now asks the ledger first\n- and so does the nightly job\n\nA test delivers the same event three times and'
const QUESTION = mock.asking(
  'Do you want to run this command?',
  'npm test -- refunds --reporter verbose\n\nRun the tests of the refunds',
  'Yes',
  "Yes, and don't ask again for npm test commands in this project",
  'No, and tell Codex what to do differently',
)

/** The agent is at it since a minute and a half. */
async function working(
  page: Page,
  ...parts: Parameters<typeof histories.agent> extends [number, ...infer Parts] ? Parts : never
) {
  const time = new Date(Date.now() - 94_000).toISOString()
  // As if the last step began a few seconds ago.
  const times = parts.map((part) => Date.parse((typeof part === 'object' && 'time' in part && part.time) || ''))
  const shift = Date.now() - 14_000 - Math.max(...times.filter((one) => !Number.isNaN(one)))
  const recent = parts.map((part, index) =>
    typeof part === 'object' ? { ...part, time: new Date(times[index]! + shift).toISOString() } : part,
  ) as typeof parts
  server.messages = [
    { ...histories.user(0, FIX), time },
    { ...histories.agent(1, LOOK, ...recent), done: false },
  ]
  server.setStatus({ status: 'running' })
  await page.reload()
  await page.getByText('is working').first().waitFor()
}

const scenes: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  work: async (page) => {
    await page.getByRole('button', { name: /Edit/ }).click()
    await page.getByText('if (await ledger.has(event.id)) return ok()').first().waitFor()
  },
  end: async () => undefined,
  waiting: async (page) => {
    server.setStatus({
      waiting_for: mock.asking('May the agent work in this folder?', '/home/dev/shop', 'Yes, continue', 'No, exit'),
    })
    server.setScreen(DIALOG)
    await page.getByRole('button', { name: 'Answer in the terminal' }).click()
    await page.getByText('Yes, continue').first().waitFor()
  },
  question: async (page) => {
    server.messages = [
      histories.user(0, FIX),
      { ...histories.agent(1, LOOK, ...histories.steps().slice(0, 13)), done: false },
    ]
    server.setStatus({ waiting_for: QUESTION })
    await page.reload()
    await page.getByRole('button', { name: 'Answer in the terminal' }).waitFor()
  },
  answered: async (page) => {
    const [first, second] = ['2026-03-12T09:00:02Z', '2026-03-12T09:00:09Z']
    const run = histories.steps()
    const always = "Yes, and don't ask again for npm test commands in this project"
    server.messages = [
      histories.user(0, 'Run the tests.'),
      histories.agent(
        1,
        'I run the tests of the refunds first.',
        ...run.slice(12, 13),
        histories.answered('page', first),
        ...run.slice(13, 14),
        'One fails. I change the webhook.',
        ...run.slice(14, 15),
        histories.answered('mona', second, always, 'npm test\n\nRun all tests'),
        ...run.slice(15, 16),
        FIXED,
      ),
    ]
    await page.reload()
    await page.getByRole('button', { name: /^Yes asked/ }).click()
    await page.locator('.question-details').first().waitFor()
  },
  unknown: async (page) => {
    server.setStatus({ waiting_for: mock.asking('') })
    await page.getByRole('button', { name: 'Answer in the terminal' }).waitFor()
  },
  run: async (page) => {
    server.messages = [histories.user(0, FIX), histories.agent(1, LOOK, ...histories.steps(), FIXED)]
    await page.reload()
    await page.getByRole('button', { name: /^10 steps/ }).click()
    await page.getByRole('button', { name: /^Write/ }).waitFor()
  },
  folded: async (page) => {
    server.messages = [histories.user(0, FIX), histories.agent(1, LOOK, ...histories.steps(), FIXED)]
    await page.reload()
    await page.getByRole('button', { name: /^10 steps/ }).waitFor()
  },
  diff: async (page) => {
    server.messages = [histories.user(0, FIX), histories.agent(1, LOOK, ...histories.steps(), FIXED)]
    await page.reload()
    await page.getByRole('button', { name: /^10 steps/ }).click()
    await page.getByRole('button', { name: /^Edit/ }).click()
    await page.locator('.diff').waitFor()
  },
  working: async (page) => {
    await working(page, ...histories.steps().slice(0, -1))
    await page.getByText('running').waitFor()
  },
  queue: async (page) => {
    await working(page, ...histories.steps().slice(0, -1))
    const field = page.getByRole('textbox', { name: /Message/ })
    for (const text of [
      'Add a line to the changelog, too.',
      'Then commit everything as one change:\n\n  refunds: pay once',
    ]) {
      await field.fill(text)
      await page.getByRole('button', { name: 'Queue' }).click()
    }
    await field.fill('And')
  },
  writing: async (page) => {
    await working(page, ...histories.steps())
    server.setPreview({ id: 1, text: WRITING })
    await page.getByText('delivers the same event').waitFor()
  },
  ended: async (page) => {
    server.setStatus({ exited: 0 })
    await page.getByRole('button', { name: 'Reopen' }).waitFor()
  },
  stored: async (page) => {
    server.setReplica({ state: 'stored', behind_since: null, reason: null })
    await page.locator('header .replica').waitFor()
  },
  behind: async (page) => {
    server.setReplica({
      state: 'behind',
      behind_since: new Date(Date.now() - 94_000).toISOString(),
      reason: 'cannot reach https://s3.example.com for s3://my-bucket/ion: connect ECONNREFUSED 192.0.2.7:443',
    })
    await page.locator('header .replica').waitFor()
  },
  search: async (page) => {
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox').fill('ledger')
    await page
      .getByText(/^\d+ of \d+$/)
      .first()
      .waitFor()
  },
  share: async (page) => {
    await page.getByRole('textbox', { name: /Message/ }).fill('/share')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy Markdown' }).waitFor()
  },
  handover: async (page) => {
    await page.getByRole('textbox', { name: /Message/ }).fill('/handover')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy command' }).nth(1).waitFor()
  },
  help: async (page) => {
    await page.getByRole('button', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
  },
  offers: async (page) => {
    await page.getByRole('textbox', { name: /Message/ }).fill('/')
    await page.getByRole('option').first().waitFor()
  },
  many: async (page) => {
    server.messages = histories.many(5000)
    await page.reload()
    await page.getByText('Answer number 4999').waitFor()
    await page.mouse.move(300, 300)
    await page.mouse.wheel(0, -3000)
    await page.waitForTimeout(300)
    server.put(histories.user(5000, 'One more'))
    server.put(histories.agent(5001, 'Yes.'))
    await page.getByText('2 new').waitFor()
  },
  lost: async (page) => {
    await server.stop()
    await page.getByText('Connection lost.').waitFor()
    await server.start()
  },
  token: async (page) => {
    server.refuse = { status: 401, detail: 'a token is needed' }
    await page.getByRole('textbox', { name: /Message/ }).fill('Hello')
    await page.keyboard.press('Enter')
    await page.getByText('This page needs its token').first().waitFor()
  },
}

const sizes: Readonly<Record<string, { width: number; height: number }>> = {
  phone: { width: 390, height: 780 },
  tablet: { width: 820, height: 940 },
  desk: { width: 1440, height: 860 },
}

type Shot = readonly [scene: string, size: string, dark: boolean]

const chosen: readonly Shot[] = [
  ['work', 'desk', false],
  ['work', 'phone', true],
  ['search', 'tablet', true],
  ['waiting', 'desk', false],
  ['question', 'desk', false],
]
const every = Object.keys(scenes).flatMap((scene) =>
  Object.keys(sizes).flatMap((size) => [false, true].map((dark): Shot => [scene, size, dark])),
)

for (const [scene, size, dark] of values.all ? every : chosen) {
  if (values.only && !values.only.split(',').includes(scene)) continue
  server.messages = histories.work()
  server.refuse = undefined
  server.setPreview({ id: 0, text: '' })
  server.setStatus({ status: 'stable', waiting_for: null, exited: null, replica: null })
  const context = await chromium.newContext(browser, { ...sizes[size]!, dark })
  const page = await context.newPage()
  await page.goto(server.url)
  await page.locator('.row').first().waitFor()
  await scenes[scene]!(page)
  // Colours of code and the last measurements come a moment later.
  await page.waitForTimeout(400)
  const name = join(to, `chat-${scene}-${size}-${dark ? 'dark' : 'light'}`)
  const picture = await page.screenshot()
  if (values.all) writeFileSync(`${name}.png`, picture)
  else writeFileSync(`${name}.webp`, await asWebp(picture))
  await context.close()
}
await browser.close()
await server.stop()

/** A third of the size of the PNG; the browser converts it. */
async function asWebp(png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const url = await page.evaluate(async (data) => {
    const image = new Image()
    image.src = `data:image/png;base64,${data}`
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d')!.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.9)
  }, png.toString('base64'))
  await page.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
