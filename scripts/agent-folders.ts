import { existsSync, readdirSync } from 'node:fs'

const folder = new URL('../src/agents/', import.meta.url)

/** The agents' folders that have this file, by id. */
export function agentsWith(file: string): { readonly id: string; readonly url: URL }[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
    .map(({ name }) => ({ id: name, url: new URL(`${name}/${file}`, folder) }))
    .filter(({ url }) => existsSync(url))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}
