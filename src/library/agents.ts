import { agents as adapters } from '../agents/_registry.ts'
import type { Agent as Adapter, DataPath } from '../agents/agent.ts'
import { type MeasuredLevel, measuredLevel } from '../agents/level.ts'
import { ioOf, type Options } from './options.ts'

const publicFields = [
  'id', 'title', 'aliases', 'binaries', 'install', 'agentapiType', 'module', 'minimumBytes', 'secrets', 'limits',
  'isArchive',
] as const // biome-ignore format: a list

/** What Ion knows about an agent. */
export interface Agent extends Readonly<Pick<Adapter, (typeof publicFields)[number]>> {
  /** How well it resumes sessions, on which version that was measured, and a note about it. */
  readonly resume: MeasuredLevel & { readonly note: string }
  /** Where it stores its data on this machine. */
  paths(options?: Options): readonly DataPath[]
}

/** All agents whose sessions Ion reads, and Ion's own archive. */
export const agents: readonly Agent[] = adapters.map((adapter) => {
  const facts = Object.fromEntries(
    publicFields.flatMap((key) => (adapter[key] === undefined ? [] : [[key, adapter[key]]])),
  )
  const resume = { ...measuredLevel(adapter), ...adapter.resume }
  return {
    ...(facts as Pick<Adapter, (typeof publicFields)[number]>),
    resume,
    paths: (options = {}) => adapter.paths(ioOf(options)),
  }
})
