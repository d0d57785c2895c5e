import type { ExportFormat } from './session.ts'

const formatsByEnding: Readonly<Record<string, ExportFormat>> = {
  md: 'md',
  markdown: 'md',
  html: 'html',
  htm: 'html',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
}

/** The format that a file name asks for. */
export function formatOfFile(path: string): ExportFormat | undefined {
  return formatsByEnding[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '']
}

/** What the name of an export is made of. */
export interface Named {
  readonly id: string
  readonly agent: string
  readonly title: string | null
  readonly created_at: string | null
}

/** `2026-03-12-claude-fix-the-cart-total-3f2a9c1d.md`: sorts by day and is valid on every file system. */
export function exportFileName(session: Named, extension: string): string {
  const day = /^\d{4}-\d\d-\d\d/.exec(session.created_at ?? '')?.[0] ?? 'undated'
  const parts = [day, slug(session.agent, 20), slug(session.title ?? '', 48), slug(session.id, 8)]
  return `${parts.filter((part) => part !== '').join('-')}.${extension}`
}

function slug(text: string, length: number): string {
  return text
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, length)
    .replace(/^-+|-+$/g, '')
}
