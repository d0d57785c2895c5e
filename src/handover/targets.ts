import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'

/** The installed agents that resume a session which Ion writes. The others take a brief, together with a prompt. */
export function handoverTargets(io: Io): Agent[] {
  return agents.filter(({ writer, binaries }) => writer && !writer.isExperimental && findExecutable(binaries, io))
}
