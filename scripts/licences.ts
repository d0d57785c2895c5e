// The licences of bundled packages and of the prices: each requires its notice to accompany every copy.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

/** A plugin that collects which packages are bundled, and a function that writes their licences to a file. */
export function bundledLicences(): { readonly plugin: Plugin; write(path: string): void } {
  const folders = new Set<string>()
  return {
    plugin: {
      name: 'bundled-licences',
      generateBundle(_options, bundle) {
        for (const output of Object.values(bundle)) {
          for (const id of output.type === 'chunk' ? output.moduleIds : []) {
            const [folder] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []
            if (folder) folders.add(folder)
          }
        }
      },
    },
    write(path) {
      const prices = readFileSync(new URL('../src/usage/prices/LICENCE-litellm.txt', import.meta.url), 'utf8').trim()
      const texts = [...[...folders].map(licenceText).sort(), prices]
      writeFileSync(path, `${['Ion contains these packages.', ...new Set(texts)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
    },
  }
}

function licenceText(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}`.trim()
}
