import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type FakeContext, fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { main } from '../../main.ts'

const fixture = fileURLToPath(new URL('../../../agents/claude/fixtures/2.1.325', import.meta.url))
const [ONE, OTHER] = ['0fe6896a-e4fd-46d8-a264-80066bf59f1c', '33333333-3333-4333-8333-333333333333']
const store = '.claude/projects/-home-dev1-projects-shop'

const world = (): FakeContext => fakeContext(scratchIo(fixture))
const inHome = (context: FakeContext, name: string): string => join(context.io.home, name)
const read = (context: FakeContext, name: string): string => readFileSync(inHome(context, name), 'utf8')

async function ion(context: FakeContext, ...argv: string[]): Promise<number> {
  context.out.text = ''
  context.err.text = ''
  return main(argv, context)
}

const exportAll = (context: FakeContext, ...argv: string[]): Promise<number> =>
  ion(context, 'export', '--all', '--format', 'html', '-o', 'out', ...argv)

/** Where the pages of a folder link to within it, by file. */
function linksIn(context: FakeContext, folder: string): Map<string, string[]> {
  return new Map(
    readdirSync(inHome(context, folder)).map((name) => {
      const hrefs = [...read(context, `${folder}/${name}`).matchAll(/ href="([^"#:]+)"/g)].map(([, href]) => href!)
      return [name, hrefs.map(decodeURIComponent)]
    }),
  )
}

test('a folder of pages has an index of all of them, and they lead back to it', async () => {
  const context = world()
  expect(await exportAll(context)).toBe(0)
  expect(context.err.text).toMatch(/\nwrote ~\/out\/index\.html \(\d+ kB\)\n16 sessions, \d+ kB, in out\n$/)
  const links = linksIn(context, 'out')
  const pages = [...links.keys()].filter((name) => name !== 'index.html')
  expect(pages).toHaveLength(16)
  expect([...new Set(links.get('index.html'))].toSorted()).toEqual(pages)
  for (const name of pages) expect(links.get(name)).toContain('index.html')
  expect([...links.values()].flat().filter((name) => !links.has(name))).toEqual([])

  // From the newest to the oldest, and back.
  const step = (name: string | undefined, label: string): string | undefined =>
    new RegExp(`<a href="([^"]+)">${label}</a>`).exec(name ? read(context, `out/${name}`) : '')?.[1]
  const visited: string[] = []
  for (let at = links.get('index.html')![0]; at; at = step(at, 'Older')) {
    if (visited.length > 0) expect(step(at, 'Newer')).toBe(visited.at(-1))
    visited.push(at)
  }
  // One is that of a sub-agent, which its parent's page and its own lead to.
  expect(visited).toHaveLength(15)
  const sub = pages.find((name) => !visited.includes(name))!
  const parent = /<a href="([^"]+)">Parent session<\/a>/.exec(read(context, `out/${sub}`))?.[1]
  expect(visited).toContain(parent)
  expect(read(context, `out/${parent}`)).toContain(`<a href="${sub}">Sub-agent 1</a>`)
})

test('a page has the same contents with and without the folder', async () => {
  const context = world()
  await exportAll(context)
  await ion(context, 'export', ONE, '--format', 'html')
  const alone = context.out.text
  expect(alone).not.toMatch(/index\.html|class="folder"|\.folder/)
  const inFolder = read(
    context,
    `out/${readdirSync(inHome(context, 'out')).find((name) => name.includes('0fe6896a'))!}`,
  )
  const common = (html: string): string =>
    html
      .replace(/<nav class="folder"[\s\S]*?<\/nav>\n/g, '')
      .replace(/\n\.folder \{[\s\S]*?(?=<\/style>)/, '')
      .replace(/style-src '[^']*'/, '')
  expect(inFolder).not.toBe(alone)
  expect(common(inFolder)).toBe(common(alone))
  await ion(context, 'export', ONE, '-o', 'alone.html')
  expect(read(context, 'alone.html')).toBe(alone)
})

test('one session and other formats get no index', async () => {
  const context = world()
  mkdirSync(inHome(context, 'one'))
  expect(await ion(context, 'export', ONE, '--format', 'html', '-o', 'one')).toBe(0)
  expect(await ion(context, 'export', ONE, OTHER, '--format', 'md', '-o', 'md')).toBe(0)
  expect(existsSync(inHome(context, 'one/index.html'))).toBe(false)
  expect(existsSync(inHome(context, 'md/index.html'))).toBe(false)
  expect(readdirSync(inHome(context, 'one'))).toHaveLength(1)
})

test('an index that exists is refused before anything is written, and replaced with --force', async () => {
  const context = world()
  mkdirSync(inHome(context, 'out'))
  writeFileSync(inHome(context, 'out/index.html'), 'mine')
  expect(await exportAll(context)).toBe(4)
  expect(context.err.text).toBe(
    `ion: ${inHome(context, 'out/index.html')} already exists\n  -> give another -o, or --force to overwrite\n`,
  )
  expect(readdirSync(inHome(context, 'out'))).toEqual(['index.html'])
  expect(read(context, 'out/index.html')).toBe('mine')

  expect(await exportAll(context, '--force')).toBe(0)
  const first = read(context, 'out/index.html')
  expect(await exportAll(context, '--force')).toBe(0)
  expect(read(context, 'out/index.html')).toBe(first)
  expect(context.err.text).not.toContain('not in the index')
})

test('a smaller export with --force lists what it has written, and says that there is more in the folder', async () => {
  const context = world()
  await exportAll(context)
  expect(await ion(context, 'export', ONE, OTHER, '--format', 'html', '-o', 'out', '--force')).toBe(0)
  expect(linksIn(context, 'out').get('index.html')).toHaveLength(2)
  expect(context.err.text).toContain('not in the index: 14 pages of earlier exports in this folder\n')
})

test('an export that fails leaves the index as it was', async () => {
  const context = world()
  await exportAll(context)
  const before = read(context, 'out/index.html')
  const { writeSessions } = await import('./write.ts')
  const failing = (indexOf: () => Iterable<string>, piecesOf: () => Iterable<string>): void => {
    const row = { id: 'x', path: 'x', agent: 'a', title: null, created_at: null, parent_session: null } as never
    const request = { output: 'out', format: 'html', several: true, force: true, titleOf: () => null } as const
    const reporter = { note: () => undefined, onProgress: () => undefined }
    writeSessions([row], { ...request, indexOf, piecesOf }, context.io, reporter)
  }
  const stop = function* (): Generator<string> {
    yield 'half'
    throw new Error('stop')
  }
  expect(() => failing(stop, () => ['page'])).toThrow('stop')
  expect(() => failing(() => ['index'], stop)).toThrow('stop')
  expect(read(context, 'out/index.html')).toBe(before)
  expect(readdirSync(inHome(context, 'out')).filter((name) => name.includes('tmp'))).toEqual([])
})

test('a session with unreadable records says so, and one that disappears meanwhile is listed without a link', async () => {
  const context = world()
  const damaged = inHome(context, `${store}/${OTHER}.jsonl`)
  writeFileSync(damaged, readFileSync(damaged, 'utf8').replace('{"parentUuid"', '{"parentUuid'))
  const { write } = context.err
  context.err.write = (text: string) => {
    // After the first page.
    if (text.startsWith('wrote')) rmSync(inHome(context, `${store}/${ONE}.jsonl`), { force: true })
    write.call(context.err, text)
  }
  expect(await exportAll(context)).toBe(0)
  expect(context.err.text).toMatch(/left out: 2 unreadable records\n.*\n/)
  const index = read(context, 'out/index.html')
  expect(index).toMatch(
    /33333333\.html"><bdi>my feature<\/bdi><\/a>[^\n]*<span class="bad">1 unreadable record<\/span>/,
  )
  expect(index).toMatch(/<b><bdi>List the files then[^<]*<\/bdi><\/b>[^\n]*<span class="bad">could not be read<\/span>/)
  expect(index).not.toContain('0fe6896a')
})

const TOKEN = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'].join('')
const BARE = 'q7zk2mp9xl4vb8nr3ty6'

test('masked: titles, projects, prompts and file names, with one placeholder for a secret in the whole folder', async () => {
  const context = world()
  const change = (id: string, change: (text: string) => string): void => {
    const file = inHome(context, `${store}/${id}.jsonl`)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }
  // Known as a secret only by a later prompt.
  change(OTHER, (text) =>
    text
      .replaceAll('NAMED one', `${BARE} is it, see /home/dev1/notes, mail ann@example.com`)
      .replaceAll('NAMED two', `Authorization: Bearer ${BARE} and ${TOKEN}`)
      .replaceAll('my feature', `my ${TOKEN} ${BARE}`),
  )
  change(ONE, (text) =>
    text.replaceAll('then read cart', `use ${['gh', 'p_'].join('')}zZ9yY8xX7wW6vV5uU4tT3sS2rR1qQ0pP9oO8 or ${TOKEN}`),
  )
  expect(await exportAll(context, '--redact')).toBe(0)
  const index = read(context, 'out/index.html')
  expect(index).toContain('Secrets, home paths and e-mail addresses are masked.')
  const names = readdirSync(inHome(context, 'out'))
  for (const secret of [TOKEN, TOKEN.toLowerCase(), BARE, 'ann@', '/home/', 'dev1', context.io.home]) {
    expect(index).not.toContain(secret)
    expect(names.join('\n')).not.toContain(secret)
  }
  const masksOf = (id: string): string[] => [
    ...new Set(read(context, `out/${names.find((name) => name.includes(id.slice(0, 8)))!}`).match(/github-token-\d/g)),
  ]
  expect(index).toMatch(/<bdi>my \[redacted:github-token-\d\] \[redacted:bearer-token-\d\]<\/bdi>/)
  expect(names.join()).toMatch(/claude-my-redacted-github-token-\d-redacted-bearer-/)
  const [shared] = masksOf(OTHER)
  expect(masksOf(OTHER)).toHaveLength(1)
  expect(masksOf(ONE)).toHaveLength(2)
  expect(masksOf(ONE)).toContain(shared)
  expect(index).toContain(`[redacted:${shared}]`)
})

test('hostile titles stay text', async () => {
  const context = world()
  const title = `</title><script>alert(1)</script><b onclick="x">"'\u202e\u001b[31mred ${'long '.repeat(2000)}`
  expect(await ion(context, 'rename', ONE, title.slice(0, 200))).toBe(0)
  const file = inHome(context, `${store}/${OTHER}.jsonl`)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('my feature', JSON.stringify(title).slice(1, -1)))
  expect(await exportAll(context)).toBe(0)
  const index = read(context, 'out/index.html')
  expect(index.match(/<script/g)).toHaveLength(1)
  expect(index).toContain('&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(index).not.toMatch(/<b on|[\u001b\u202e]/)
  expect(statSync(inHome(context, 'out/index.html')).size).toBeLessThan(40_000)
})
