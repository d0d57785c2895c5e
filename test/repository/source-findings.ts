import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export interface SourceFile {
  /** Below src/, with slashes. */
  readonly path: string
  readonly text: string
}

/** Every TypeScript file below `folder` (src/) that is no test and no fixture. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${join('/', 'fixtures', '/')}`))
    .map((file) => ({ path: relative(folder, file).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

export interface ImportFinding {
  readonly kind: 'import'
  readonly target: string
  readonly isType: boolean
  readonly isDynamic: boolean
  readonly start: number
}

export type Finding =
  | ImportFinding
  | { readonly kind: 'string'; readonly value: string; readonly start: number }
  | { readonly kind: 'print'; readonly what: string; readonly start: number }

/** A node of the syntax tree, as far as is looked at here. */
interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

/** Imports, strings and uses of the terminal in a file, in order. */
export function findings({ path, text }: SourceFile): Finding[] {
  const found: Finding[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    else if (isNode(value)) {
      const finding = findingOf(value)
      if (finding) found.push(finding)
      for (const field of Object.values(value)) visit(field)
    }
  }
  visit(parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path))
  return found
}

function findingOf(node: Node): Finding | undefined {
  const { start } = node
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration': {
      const target = textOf(node.source)
      const isType = node.importKind === 'type' || node.exportKind === 'type'
      return target === undefined ? undefined : { kind: 'import', target, isType, isDynamic: false, start }
    }
    case 'ImportExpression':
    case 'TSImportType': {
      const target = textOf(node.source) ?? textOf(node.argument)
      const isType = node.type === 'TSImportType'
      return target === undefined ? undefined : { kind: 'import', target, isType, isDynamic: !isType, start }
    }
    case 'Literal':
    case 'TemplateLiteral': {
      const value = textOf(node)
      return value === undefined ? undefined : { kind: 'string', value, start }
    }
    case 'MemberExpression': {
      const what = `${nameOf(node.object)}.${nameOf(node.property)}`
      const prints = /^console\.|^process\.(stdout|stderr)$/.test(what)
      return prints ? { kind: 'print', what, start } : undefined
    }
    default:
      return undefined
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** The text of a string or of a template without anything in it. */
function textOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined
  if (value.type === 'Literal' && typeof value.value === 'string') return value.value
  const quasis = value.type === 'TemplateLiteral' ? (value.quasis as { value: { cooked: string } }[]) : []
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined
}

function nameOf(value: unknown): string {
  return isNode(value) && value.type === 'Identifier' ? String(value.name) : ''
}
