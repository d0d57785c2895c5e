import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { roles } from '../../src/agents/passage.ts'
import { operators } from '../../src/catalog/search/parse-query.ts'
import { states } from '../../src/catalog/search/query.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { FORMAT_VERSION } from '../../src/events/format-version.ts'
import { parseEvent } from '../../src/events/log-line.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const documents = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...readdirSync(join(root, 'src/agents'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? markdownIn(`src/agents/${entry.name}`) : [],
  ),
]

describe.each(documents)('%s', (path) => {
  const text = read(path)

  test('its links lead somewhere', () => {
    const links = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(path, link))).toEqual([])
  })

  test('its commands and options are there', () => {
    const said = codeOf(text).flatMap((code) => [...code.matchAll(/(?:^|\$ |\| |; |\n)ion +([a-z]+)\b([^\n|`#]*)/g)])
    const unknown = said.flatMap(([, name, rest]) => {
      const command = commands.find((one) => one.name === name)
      if (!command) return [`ion ${name}`]
      const flags = (command.options ?? []).flatMap((option) => option.flags.match(/--?[a-z-]+/g) ?? [])
      // Arguments after `--` belong to another program.
      const own = command.rest ? rest!.split(' -- ')[0]! : rest!
      return (own.match(/(?<=\s)--?[a-z][a-z-]*/g) ?? [])
        .filter((flag) => flag.startsWith('--') && ![...flags, '--help'].includes(flag))
        .map((flag) => `ion ${name} ${flag}`)
    })
    expect(unknown).toEqual([])
  })

  test('its npm scripts are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const said = codeOf(text).flatMap((code) => [...code.matchAll(/npm run (?:--\S+ )*([a-z0-9:-]+)/g)])
    expect(said.map(([, name]) => name!).filter((name) => !(name in scripts))).toEqual([])
  })
})

test('the README is short and begins with the two commands', () => {
  // The table of agents grows with them.
  const written = read('README.md').replace(/(<!-- (\w+): written by .*? -->).*?(?=<!-- \/\2 -->)/gs, '$1\n')
  const lines = written.split('\n')
  expect(lines.length).toBeLessThanOrEqual(130)
  expect(lines.slice(0, 20).join('\n')).toMatch(/npm install && npm run demo .*npm install && npm test /s)
})

test('every type of event has an example that is one', () => {
  const examples = [...read('docs/format.md').matchAll(/```jsonl\n(.*?)```/gs)].flatMap(([, block]) =>
    block!.trim().split('\n'),
  )
  const types = examples.map((line) => parseEvent(JSON.parse(line), FORMAT_VERSION).type)
  const { oneOf } = JSON.parse(read('docs/format.schema.json')) as {
    oneOf: { properties: { type: { const: string } } }[]
  }
  expect(types.sort()).toEqual(oneOf.map(({ properties }) => properties.type.const).sort())
})

test('the document on search explains every filter, role and state', () => {
  const text = read('docs/search.md')
  const explained = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!)
  expect(new Set(explained(/`(\w+):/g))).toEqual(new Set(operators))
  for (const name of [...roles, ...states]) expect(text).toMatch(new RegExp(`[\`:]${name}\``))
})

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`))
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The text of code blocks and of code within lines. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/```\w*\n(.*?)```/gs)].map(([, code]) => code!)
  return [...blocks, ...[...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)]
}

function withoutBlocks(text: string): string {
  return text.replace(/```.*?```/gs, '')
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string | undefined]
  const target = path === '' ? from : join(dirname(from), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(read(target)).includes(anchor)
}

function anchorsOf(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  )
}
