// Builds dist/: the command line as CommonJS (starts faster than ESM), the library as ESM with its types, the chat page,
// and the fake agent that tests and `ion demo` start.
// node --import tsx scripts/build.ts [folder]
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type InputOptions, type Plugin, rolldown } from 'rolldown'
import { dynamicImportVarsPlugin, importGlobPlugin } from 'rolldown/experimental'
import { build as buildPage } from 'vite'
import { buildTypes } from './build-types.ts'
import { helpModule } from './help-text.ts'
import { bundledLicences } from './licences.ts'
import { writeRegistry } from './registry.ts'
import { staticImports } from './static-imports.ts'

writeRegistry()

// Tests run what is published; without this the page's packages would include their development checks.
process.env.NODE_ENV = 'production'

/** A folder other than dist/ leaves a program that is running from dist/ undisturbed. */
const [out = 'dist'] = process.argv.slice(2)

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const licences = bundledLicences()
const common: InputOptions = {
  platform: 'node',
  external: ['@photostructure/sqlite', '@lydell/node-pty'],
  transform: { define: { __ION_VERSION__: JSON.stringify(version) } },
  logLevel: 'warn',
  plugins: [licences.plugin],
}

/**
 * `--version` and `--help` need nothing of the program, unless the terminal is narrow; everything else loads it. Devices other
 * than terminals are left to it, because it reports errors. Node 22.1 and later caches compiled code, which
 * saves a fifth of the start-up time. The cache is in Ion's own folder, which is private, and only if that folder exists:
 * a command that only reads leaves nothing behind.
 */
const launcher = `#!/usr/bin/env node
'use strict'
const only = process.argv.length === 3 ? process.argv[2] : ''
if (only === '--version' || only === '-V') process.stdout.write('${version}\\n')
else if (!(only === '--help' || only === '-h' || only === 'help') || !printHelp()) {
  const { ION_HOME, CODER_MODULE_DATA_DIR, HOME } = process.env
  const home = ION_HOME || (CODER_MODULE_DATA_DIR ? CODER_MODULE_DATA_DIR + '/ion' : HOME + '/.ion')
  const { enableCompileCache } = module.constructor
  if (enableCompileCache && require('node:fs').existsSync(home)) enableCompileCache(home + '/cache/parsed')
  require('./cli/entry.cjs')
}

function printHelp() {
  try {
    const fs = require('node:fs')
    const isDevice = fs.fstatSync(1).isCharacterDevice()
    if (isDevice && !process.stdout.isTTY) return false
    const text = require('./cli/help.cjs').helpFor(isDevice ? process.stdout.columns : 80)
    if (text === undefined) return false
    if (isDevice) process.stdout.write(text)
    // A pipe takes so little at once, if it takes anything.
    else fs.writeSync(1, text)
    return true
  } catch {
    return false
  }
}
`

/** A single character outside Latin-1 makes V8 keep a file with two bytes per character, and collect garbage sooner. */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      // There an escape would not be read as one.
      if (chunk.type !== 'chunk' || chunk.code.includes('String.raw')) continue
      chunk.code = chunk.code.replace(
        /(?<!\\)[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

/**
 * Patterns with Unicode properties are made when they are needed: V8 parses them with the file and again when they are created,
 * a twentieth of a short run for characters that most lists do not have.
 */
const patternsOnDemand: Plugin = {
  name: 'patterns-on-demand',
  transform(code, id) {
    if (!/[\\/]fast-string-truncated-width[\\/]dist[\\/]index\.js$/.test(id)) return null
    const names: string[] = []
    const declared = code.replace(
      /^const (\w+) = \/(.*\\p\{.*)\/([a-z]+);$/gm,
      (_all, name: string, pattern, flags) => {
        names.push(name)
        return `let made_${name};\nconst ${name} = () => (made_${name} ??= new RegExp(${JSON.stringify(pattern)}, '${flags}'));`
      },
    )
    if (names.length === 0) throw new Error(`${id} has no patterns with Unicode properties any more`)
    return declared.replace(new RegExp(`(?<!const |_)\\b(${names.join('|')})\\b`, 'g'), '$1()')
  },
}

/**
 * Loading a file takes a third of a millisecond, parsing twenty kilobytes takes one. So the code that nearly every command
 * needs is one file, the code that starts agents is another, and each agent is one more: `ion run` loads only the agent
 * that it starts. Packages (the schema library) stay with the modules that use them. What a list needs comes first, then
 * what one needs that opens the database: everything else is loaded only if there is more to do (test/e2e/start-load.test.ts).
 */
const list = staticImports(['src/cli/commands/sessions.ts', 'src/cli/commands/status.ts'])
const database = staticImports(['src/catalog/database-list.ts'])
const main = staticImports(['src/cli/main.ts'])
const others = staticImports(['src/cli/entry.ts', 'src/cli/commands/run/run.ts', 'src/run/program.ts'])
const ofPlatform = /[\\/]src[\\/]platform[\\/]/
const isCommon = (id: string): boolean => others.has(id) || ofPlatform.test(id)
/** The bundler's own helpers. */
const isRuntime = (id: string): boolean => id.includes('rolldown/runtime')
const isOfList = (id: string): boolean => main.has(id) || list.has(id) || database.has(id)
const base = [
  /[\\/]src[\\/](platform|native|events)[\\/](?!schema|toml)/,
  /[\\/]src[\\/]agents[\\/](_shared[\\/])?(agent|line-scanner|passage|start|summarise)\.ts$/,
  /[\\/]src[\\/]cli[\\/](shell-line|validate)\.ts$/,
]
const groups = [
  { name: 'start', test: (id: string) => isRuntime(id) || (isOfList(id) && isCommon(id)), priority: 2 },
  { name: 'list', test: (id: string) => list.has(id), priority: 1 },
  { name: 'database', test: (id: string) => database.has(id) },
  { name: 'base', test: (id: string) => base.some((one) => one.test(id)), minShareCount: 5 },
  // Not what resumes any session: with it, every agent would be in this file.
  { name: 'task', test: /[\\/]src[\\/]run[\\/](?!resume\.)/, minShareCount: 2 },
]

rmSync(out, { recursive: true, force: true })
const cli = await rolldown({
  ...common,
  plugins: [licences.plugin, asciiOnly, patternsOnDemand],
  input: { entry: 'src/cli/entry.ts' },
})
await cli.write({
  dir: `${out}/cli`,
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: { groups },
})
writeFileSync(`${out}/cli/help.cjs`, await helpModule())
writeFileSync(`${out}/ion.cjs`, launcher)
chmodSync(`${out}/ion.cjs`, 0o755)

// One file with the fakes of all agents, which `import(`../../src/agents/${id}/test/fake.ts`)` names.
const fakeAgent = await rolldown({
  ...common,
  input: { 'fake-agent': 'test/fake-agent/main.ts' },
  plugins: [licences.plugin, dynamicImportVarsPlugin(), importGlobPlugin()],
})
await fakeAgent.write({ dir: out, format: 'cjs', minify: true, entryFileNames: '[name].cjs', codeSplitting: false })

// The documents of `ion serve` are made in a worker thread, from the same code.
const library = await rolldown({
  ...common,
  input: { index: 'src/index.ts', 'document-worker': 'src/server/document-worker.ts' },
})
await library.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: 'library/[name]-[hash].mjs',
})
await buildPage({
  root: 'src/web',
  configFile: 'src/web/vite.config.ts',
  logLevel: 'warn',
  plugins: [licences.plugin],
  build: { outDir: resolve(out, 'web'), emptyOutDir: false },
})
buildTypes(`${out}/types`)
licences.write(`${out}/THIRD-PARTY-LICENCES.txt`)
