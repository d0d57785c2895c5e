import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { checkProgram } from './check-program.ts'
import { withFolderLock } from './folder-lock.ts'
import { installFromGo, newestInGo } from './install-go.ts'
import { installFromNpm, newestInNpm } from './install-npm.ts'
import { installFromPip, newestInPip } from './install-pip.ts'
import { type Build, type Pin, packageName, type Unavailable } from './pins.ts'

export interface Installed {
  /** Path of the command, in a folder with nothing else in it except a `node` of its own. */
  program: string
  version: string
  /** On disk, hard links counted once. */
  bytes: number
}

export interface InstallRequest {
  package: string
  version: string
  folder: string
  cache: string
  pin: Pin
}

interface Source {
  newest: (pkg: string, cache: string) => Promise<string>
  /** Fills the folder and returns the path of the program in it. */
  install: (request: InstallRequest) => Promise<string>
  /** Whether the installed folder still works after a rename. */
  movable: boolean
}

const sources: Record<Pin['from'], Source> = {
  npm: { newest: newestInNpm, install: installFromNpm, movable: true },
  pip: { newest: newestInPip, install: installFromPip, movable: false },
  go: { newest: newestInGo, install: installFromGo, movable: true },
}

/** The build's program, from the cache or freshly installed. A package that is not available is a result, not an error. */
export async function installAgent(
  { name, pin }: Build,
  {
    version,
    latest = false,
    cache = cacheFolder(),
    log = () => {},
  }: { version?: string; latest?: boolean; cache?: string; log?: (line: string) => void } = {},
): Promise<Installed | Unavailable> {
  if ('unavailable' in pin) return pin
  const source = sources[pin.from]
  const pkg = packageName(pin)
  try {
    const pinned = version ?? pin.versions[0] ?? ''
    const wanted = latest && !version && !pin.frozen ? await source.newest(pkg, cache) : pinned
    const folder = join(cache, `${name}-${wanted}`)
    const request = { package: pkg, version: wanted, folder, cache, pin }
    return (await installedIn(folder)) ?? (await installLocked(request, source, log))
  } catch (error) {
    return { unavailable: (error as Error).message }
  }
}

/** The build's program at its first version, if it is in the cache. */
export async function findInstalled({ name, pin }: Build, cache: string): Promise<Installed | undefined> {
  return 'unavailable' in pin ? undefined : installedIn(join(cache, `${name}-${pin.versions[0]}`))
}

/**
 * A folder without installed.json is an incomplete install and never used. Where it can be renamed it is made under
 * another name first, since the children of a killed installer may still write there.
 */
async function installLocked(
  request: InstallRequest,
  { install, movable }: Source,
  log: (line: string) => void,
): Promise<Installed> {
  const { folder, cache, pin, version } = request
  const workplace = movable ? `${folder}.new-${process.pid}` : folder
  await mkdir(cache, { recursive: true })
  return withFolderLock(`${folder}.lock`, async () => {
    const ready = await installedIn(folder)
    if (ready) return ready
    log(`installing ${request.package} ${version}`)
    await rm(folder, { recursive: true, force: true })
    await rm(workplace, { recursive: true, force: true })
    const bin = join(workplace, 'bin')
    await mkdir(bin, { recursive: true })
    try {
      const target = await install({ ...request, folder: workplace })
      const program = join(bin, pin.program)
      if (target !== program) await symlink(relative(bin, target), program)
      if (pin.node) await linkNode(bin, pin.node, cache, log)
      await checkProgram(program, cache, pin.check)
      const installed = { program: join(folder, 'bin', pin.program), version, bytes: await bytesOnDisk(workplace) }
      await writeFile(join(workplace, 'mark.new'), JSON.stringify(installed))
      await rename(join(workplace, 'mark.new'), join(workplace, 'installed.json'))
      if (movable) await rename(workplace, folder)
      return installed
    } catch (error) {
      await rm(workplace, { recursive: true, force: true })
      throw error
    }
  })
}

/** Beside the program, which is first on the path, so that its `#!/usr/bin/env node` finds this one. */
async function linkNode(bin: string, version: string, cache: string, log: (line: string) => void): Promise<void> {
  const pin: Pin = { from: 'npm', package: 'node-{os}-{cpu}', program: 'node', binary: 'bin/node', versions: [version] }
  const node = await installAgent({ name: 'node', agent: 'node', pin }, { cache, log })
  if ('unavailable' in node) throw new Error(`needs Node.js ${version}: ${node.unavailable}`)
  await symlink(node.program, join(bin, 'node'))
}

async function installedIn(folder: string): Promise<Installed | undefined> {
  const text = await readFile(join(folder, 'installed.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

async function bytesOnDisk(folder: string, seen: Set<number> = new Set()): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesOnDisk(path, seen)
    if (!entry.isFile()) continue
    const { ino, size } = await stat(path)
    if (!seen.has(ino)) bytes += size
    seen.add(ino)
  }
  return bytes
}
