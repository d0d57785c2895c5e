import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { builtFolder } from '../support/built.ts'
import { fillWithSamples } from '../support/sample-home.ts'
import { scratchFolder } from '../support/scratch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/library.md'), 'utf8')

/** Each example with the heading above it. */
const examples = page
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'))
    return [...section.matchAll(/^```js\n(.*?)^```/gms)].map((found) => [heading, found[1]!] as const)
  })

/** A project that has the package installed, as it would be published. */
function project(): string {
  const folder = scratchFolder()
  const package_ = join(folder, 'node_modules/@ion-cli/ion')
  mkdirSync(package_, { recursive: true })
  symlinkSync(builtFolder(), join(package_, 'dist'))
  symlinkSync(join(root, 'package.json'), join(package_, 'package.json'))
  return folder
}

function runExample(code: string): { status: number | null; stdout: string; stderr: string } {
  const folder = project()
  const home = join(folder, 'home')
  mkdirSync(home)
  fillWithSamples(home)
  writeFileSync(join(folder, 'example.mjs'), code)
  return spawnSync(process.execPath, ['--no-warnings', 'example.mjs'], {
    cwd: folder,
    env: { HOME: home, ION_HOME: join(folder, 'ion'), PATH: process.env.PATH },
    encoding: 'utf8',
    timeout: 30_000,
  })
}

/** What each example prints, in the order of the page. */
const printed: readonly RegExp[] = [
  /^(\S+ [0-9a-f-]{36} .*\n){5}$/,
  /^> .+\n/,
  /^Map\(\d+\) \{.*=> \d+.*\}\nhello\n$/s,
  /^---\n.*\n# .*---\n.*\n# /s,
  /^(in \S+ run \[.*\]|not-found .*|not-installed .*)\n$/,
  /^(\S+ \d+ \d+ [\d.?]+\n)+\d+ \[ \{ model: null.*\n$/,
  /^([0-9a-f-]{36} user refunds?\n)+\d+ searched, 0 not readable\n$/i,
  /^aider Aider .*\n(.*\n){10,}$/,
  /^user\nfalse\n$/,
  /^not-found no session matches "no-such-session"\n$/,
]

test('every example in docs/library.md is tested', () => {
  expect(examples.length).toBe(printed.length)
})

test.each(examples.map(([heading, code], index) => [index, heading, code] as const))(
  'example %i (%s) runs unchanged',
  (index, _heading, code) => {
    const { status, stdout, stderr } = runExample(code)
    expect(stderr).toBe('')
    expect(stdout).toMatch(printed[index]!)
    expect(status).toBe(0)
  },
)

test('reading sessions does not load the schema library', () => {
  // It is loaded only by an import() inside a function.
  const text = readFileSync(join(builtFolder(), 'index.mjs'), 'utf8')
  expect(text).not.toMatch(/^import .*schema-.*\.mjs/m)
  expect(text).toMatch(/import\("\.\/library\/schema-.*\.mjs"\)/)
})

test('the types compile in a strict project without zod', () => {
  const folder = project()
  // A copy, not a link: through a link the compiler would find this repository's own packages.
  const dist = join(folder, 'node_modules/@ion-cli/ion/dist')
  rmSync(dist)
  cpSync(join(builtFolder(), 'types'), join(dist, 'types'), { recursive: true })
  writeFileSync(
    join(folder, 'use.ts'),
    `import { agents, type EventOf, isProblem, type Item, listSessions, loadEventSchema, readSession, search, type SessionRow } from '@ion-cli/ion'
for await (const row of listSessions({ agents: ['claude'], since: '7d', limit: 3 })) {
  const known: SessionRow = row
  const tokens: number = known.tokens.input
  for await (const item of readSession(known)) {
    const either: Item = item
    if (isProblem(either)) continue
    if (either.event.type === 'tool_use') {
      const call: EventOf<'tool_use'> = either.event
      const name: string = call.name
      console.log(name, tokens)
    }
  }
}
for await (const hit of search('x', { roles: ['user'] })) console.log(hit.snippet.length)
// @ts-expect-error there is no such role
search('x', { roles: ['nobody'] })
// @ts-expect-error there is no such field
agents[0]!.nothing
const { eventSchema } = await loadEventSchema()
const judged = eventSchema.safeParse({})
if (judged.success && judged.data.type === 'user') console.log(judged.data.content)
`,
  )
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        strict: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: ['use.ts'],
    }),
  )
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})
