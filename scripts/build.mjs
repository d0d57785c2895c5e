// Builds dist/: the command line as CommonJS (starts faster than ESM), the library as ESM, the chat page. `--types` adds
// the library's types, which take longer and only a package needs.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { build as buildPage } from 'vite'
import { buildTypes } from './build-types.mjs'
import { bundledLicences } from './licences.mjs'
import { writeRegistry } from './registry.mjs'

writeRegistry()

// A run of tests builds what is published, too: the page's packages hold more for those who develop with them.
process.env.NODE_ENV = 'production'

/** Another folder than dist/, for those who must not disturb a program that is running from it. */
const [out = 'dist'] = process.argv.slice(2).filter((word) => !word.startsWith('--'))

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const licences = bundledLicences()
const common = {
  platform: 'node',
  external: ['@photostructure/sqlite', '@lydell/node-pty'],
  transform: { define: { __ION_VERSION__: JSON.stringify(version) } },
  logLevel: 'warn',
  plugins: [licences.plugin],
}

/**
 * `--version` needs nothing of the program; everything else loads it. Node 22.1 and later keeps what it has parsed, which
 * saves a fifth of the start. It does so in Ion's own folder, since that is private, and only where that is there already:
 * looking at nothing leaves nothing behind.
 */
const launcher = `#!/usr/bin/env node
'use strict'
const only = process.argv.length === 3 ? process.argv[2] : ''
if (only === '--version' || only === '-V') process.stdout.write('${version}\\n')
else {
  const { ION_HOME, CODER_MODULE_DATA_DIR, HOME } = process.env
  const home = ION_HOME || (CODER_MODULE_DATA_DIR ? CODER_MODULE_DATA_DIR + '/ion' : HOME + '/.ion')
  const { enableCompileCache } = require('node:module')
  if (enableCompileCache && require('node:fs').existsSync(home)) enableCompileCache(home + '/cache/parsed')
  require('./cli/entry.cjs')
}
`

/**
 * A file takes a third of a millisecond to load, and twenty kilobytes take one to parse. So what nearly every command needs is
 * one file, what starts agents another, and each agent a third: `ion run` loads the one that it starts. What
 * comes from elsewhere (the schemas' library) stays with those who use it.
 */
const groups = [
  { name: 'base', test: /[\\/]src[\\/](platform|native|events)[\\/](?!schema)/, minShareCount: 5 },
  { name: 'task', test: /[\\/]src[\\/]run[\\/]/, minShareCount: 2 },
]

rmSync(out, { recursive: true, force: true })
const cli = await rolldown({ ...common, input: { entry: 'src/cli/entry.ts' } })
await cli.write({
  dir: `${out}/cli`,
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: { groups },
})
writeFileSync(`${out}/ion.cjs`, launcher)
chmodSync(`${out}/ion.cjs`, 0o755)

const library = await rolldown({ ...common, input: { index: 'src/index.ts' } })
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
if (process.argv.includes('--types')) buildTypes(`${out}/types`)
licences.write(`${out}/THIRD-PARTY-LICENCES.txt`)
