import type { Agent } from '../agents/agent.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { whyProcessesAreHidden } from '../platform/process-list.ts'
import { coverageChecks, recordChecks, retentionChecks } from './agent-sessions.ts'
import { storeChecks } from './agent-store.ts'
import type { Check } from './check.ts'
import { machineChecks, promptCheck } from './machine.ts'

/** This machine, and what these agents have stored on it. `isFull`: read every session, not only the newest of each agent. */
export function homeChecks(chosen: readonly Agent[], catalog: Catalog, io: Io, isFull: boolean): Check[] {
  const troubles = catalog.sourceErrors()
  return [
    ...machineChecks(catalog, io),
    promptCheck(
      chosen.filter(({ start, binaries }) => start && findExecutable(binaries, io)),
      whyProcessesAreHidden(io),
      io,
    ),
    ...chosen.flatMap((agent) => [
      ...storeChecks(agent, troubles, io),
      ...recordChecks(agent, catalog),
      ...retentionChecks(agent, catalog, io),
      ...coverageChecks(agent, catalog, io, isFull),
    ]),
  ]
}
