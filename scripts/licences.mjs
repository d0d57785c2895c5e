// The licences of what is bundled: their authors ask for their notice to go with every copy.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A plugin that notes which packages come into the bundles, and what writes their licences beside them. */
export function bundledLicences() {
  const folders = new Set()
  return {
    plugin: {
      name: 'bundled-licences',
      generateBundle(_options, bundle) {
        for (const { moduleIds = [] } of Object.values(bundle)) {
          for (const id of moduleIds) {
            const [folder] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []
            if (folder) folders.add(folder)
          }
        }
      },
    },
    write(path) {
      const texts = [...folders].map(licenceText).sort()
      writeFileSync(path, `${['Ion contains these packages.', ...new Set(texts)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
    },
  }
}

function licenceText(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}`.trim()
}
