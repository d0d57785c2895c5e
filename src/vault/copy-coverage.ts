import type { BackupPart } from '../agents/backup.ts'

/** Parts that were copied already: a sub-agent's data is often part of the session that started it. */
export class CopyCoverage {
  readonly #known = new Set<string>()

  hasAll(agent: string, parts: readonly BackupPart[]): boolean {
    return parts.flatMap((part) => keysOf(agent, part)).every((key) => this.#known.has(key))
  }

  add(agent: string, parts: readonly BackupPart[]): void {
    for (const part of parts) for (const key of keysOf(agent, part)) this.#known.add(key)
  }
}

function keysOf(agent: string, part: BackupPart): string[] {
  const place = `${agent}/${part.root}/${part.path}`
  if (part.kind === 'file') return [place]
  return part.tables.map(({ table, where }) => JSON.stringify([place, table, where]))
}
