// Adds to package-lock.json the packages of other platforms that npm left out, and takes out the registry's address.
// npm writes only what its registry has; a mirror without the binaries of other platforms makes a lockfile with which
// `npm ci` fails everywhere. What is added has no hash: npm takes that from the registry when it installs.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const file = new URL('../package-lock.json', import.meta.url)

/** The entries that are not there, by their place. */
export function missingEntries({ packages }) {
  const missing = {}
  for (const [place, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const platform = platformOf(name)
      // Siblings of one program stand in one folder: where the program itself is.
      const folder = place.includes('node_modules/') ? place.slice(0, place.lastIndexOf('node_modules/')) : ''
      const target = `${folder}node_modules/${name}`
      const isThere = packages[target] ?? packages[`node_modules/${name}`]?.version === version
      if (platform && !isThere) {
        missing[target] = entry(version, platform, sibling(packages, target))
      }
    }
  }
  return missing
}

/** What stands in the name: `@rolldown/binding-linux-x64-musl`. */
function platformOf(name) {
  const [, os, cpu, rest = ''] =
    /[-/](android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|s390x|riscv64)(-\w+)?$/.exec(
      name,
    ) ?? []
  if (/wasm32-wasi$/.test(name)) return { cpu: ['wasm32'] }
  if (!os) return undefined
  const libc = os !== 'linux' ? undefined : rest.includes('musl') ? ['musl'] : ['glibc']
  return { cpu: [cpu], libc, os: [os] }
}

function sibling(packages, target) {
  const prefix = target.slice(0, target.search(/(binding|cli)-[^/]*$/))
  return Object.entries(packages).find(([place, { os }]) => place.startsWith(prefix) && os)?.[1] ?? {}
}

/** In the order in which npm writes the fields. */
function entry(version, { cpu, libc, os }, { dev, license, engines }) {
  return { version, cpu, dev, libc, license, optional: true, os, engines }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingEntries(lock)
  const all = Object.entries({ ...lock.packages, ...missing }).map(([place, { resolved, ...rest }]) => [place, rest])
  all.sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`)
  console.log(`added ${Object.keys(missing).length} packages of other platforms`)
}
