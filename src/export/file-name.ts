import { IonError } from '../platform/error.ts'
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

/** Endings of which everybody expects something else than text. */
const foreignEndings: readonly string[] = (
  'pdf ps epub doc docx odt rtf tex xls xlsx ods csv tsv ppt pptx odp xml yaml yml toml sql db sqlite ' +
  'png jpg jpeg gif svg webp zip gz tgz tar zst'
).split(' ')

/** The format that a file name asks for, undefined if it asks for none. Throws if it asks for one that is not in `known`. */
export function formatOfFile(path: string, known: readonly ExportFormat[]): ExportFormat | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  const format = formatsByEnding[ending]
  if (format ? known.includes(format) : !foreignEndings.includes(ending)) return format
  throw new IonError('usage', `cannot write .${ending}`, {
    hint: `known endings: ${known.map((one) => `.${one}`).join(', ')}${format ? `; ion export --redact writes .${ending}` : ''}`,
  })
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

/** Latin letters that are not an ASCII letter with an accent. */
const withoutSign: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ŧ: 't',
}

function slug(text: string, length: number): string {
  return text
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\0-\x7f]/g, (letter) => withoutSign[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, length)
    .replace(/^-+|-+$/g, '')
}
