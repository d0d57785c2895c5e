import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { mkdir, rm, stat, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { checkProgram } from './check-program.ts'
import type { Installed } from './install.ts'
import type { Build, GivenPin, Pin } from './pins.ts'

/** What `--with agent=program` says, by agent or build. Throws for anything else. */
export function parseGiven(values: readonly string[], known: readonly Build[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  for (const value of values) {
    const [, name = '', program] = /^([^=]+)=(.+)$/s.exec(value) ?? []
    if (program === undefined) throw new Error(`--with takes agent=program, not "${value}"`)
    const build = known.find((one) => one.name === name)
    if (!build) throw new Error(`no agent "${name}" to prove`)
    if (!givenPin(build)) throw new Error(`${name} cannot be proven: it has no world in which it answers`)
    given.set(name, executable(name, resolve(program)))
  }
  return given
}

function executable(name: string, path: string): string {
  if (!existsSync(path)) throw new Error(`${name}: ${path} does not exist`)
  try {
    accessSync(path, constants.X_OK)
  } catch (error) {
    throw new Error(`${name}: ${path} is not executable`, { cause: error })
  }
  return realpathSync(path)
}

/** What the scenarios must know about an agent whose program was given; undefined where none can be. */
export function givenPin({ pin }: Build): Pin | GivenPin | undefined {
  return 'unavailable' in pin ? pin.given : pin
}

/** The given program under the agent's name, alone in a folder of the cache, with the version that it prints. */
export async function linkGiven(build: Build, path: string, cache: string): Promise<Installed> {
  const { program: name } = givenPin(build)!
  const bin = join(cache, `${build.name}-given`, 'bin')
  await rm(bin, { recursive: true, force: true })
  await mkdir(bin, { recursive: true })
  const program = join(bin, name)
  await symlink(path, program)
  const printed = await checkProgram(program, cache)
  const version = /\d+\.\d+\.\d+[\w.+-]*/.exec(printed)?.[0]
  if (version === undefined) throw new Error(`${build.name}: ${path} --version prints no version`)
  return { program, version, bytes: (await stat(path)).size }
}
