// Adds to package-lock.json the packages of other platforms that npm left out, and removes the registry's address.
// npm writes only what its registry has; a mirror without the binaries of other platforms yields a lockfile with which
// `npm ci` fails everywhere else. Added entries have no hash: npm gets it from the registry on install.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const file = new URL('../package-lock.json', import.meta.url)

interface Entry {
  readonly version?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly license?: string
  readonly engines?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[] | undefined
  readonly optional?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, Entry>>
}

type Platform = Pick<Entry, 'cpu' | 'libc' | 'os'>

/** The entries that are missing, by their path in the lockfile. */
export function missingEntries({ packages }: Lockfile): Record<string, Entry> {
  const missing: Record<string, Entry> = {}
  for (const [place, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const platform = platformOf(name)
      // The platform packages of a program are in the same folder as the program.
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

/** Read from the name: `@rolldown/binding-linux-x64-musl`. */
function platformOf(name: string): Platform | undefined {
  const [, os, cpu, rest = ''] =
    /[-/](android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|s390x|riscv64)(-\w+)?$/.exec(
      name,
    ) ?? []
  if (/wasm32-wasi$/.test(name)) return { cpu: ['wasm32'] }
  if (!os) return undefined
  const libc = os !== 'linux' ? undefined : rest.includes('musl') ? ['musl'] : ['glibc']
  return { cpu: [cpu!], libc, os: [os] }
}

function sibling(packages: Lockfile['packages'], target: string): Entry {
  const prefix = target.slice(0, target.search(/(binding|cli)-[^/]*$/))
  return Object.entries(packages).find(([place, { os }]) => place.startsWith(prefix) && os)?.[1] ?? {}
}

/** The fields in npm's order. */
function entry(version: string, { cpu, libc, os }: Platform, { dev, license, engines }: Entry): Entry {
  return {
    version,
    ...(cpu && { cpu }),
    ...(dev !== undefined && { dev }),
    ...(libc && { libc }),
    ...(license && { license }),
    optional: true,
    ...(os && { os }),
    ...(engines && { engines }),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lockfile
  const missing = missingEntries(lock)
  const all = Object.entries({ ...lock.packages, ...missing }).map(
    ([place, { resolved: _, ...rest }]) => [place, rest] as const,
  )
  all.sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`)
  console.log(`added ${Object.keys(missing).length} packages of other platforms`)
}
