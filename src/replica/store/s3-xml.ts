// Reads the few answers of S3 that are needed, without a library: their elements have no attributes that matter, and text
// contains no tags, since < is always written as an entity.

export interface ListPage {
  readonly objects: readonly { readonly key: string; readonly size: number; readonly modified: number }[]
  readonly prefixes: readonly string[]
  /** Where the next page begins; undefined on the last one. */
  readonly next: string | undefined
}

/** Undefined when it is not a page of a list. */
export function parseListPage(xml: string): ListPage | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml)) return undefined
  const objects = elements(xml, 'Contents').map((object) => ({
    key: textOf(object, 'Key') ?? '',
    size: Number(textOf(object, 'Size')),
    modified: Date.parse(textOf(object, 'LastModified') ?? ''),
  }))
  const prefixes = elements(xml, 'CommonPrefixes').map((one) => textOf(one, 'Prefix') ?? '')
  const isCut = textOf(xml, 'IsTruncated') === 'true'
  return { objects, prefixes, next: isCut ? textOf(xml, 'NextContinuationToken') : undefined }
}

/** The text of the first element of that name. */
export function textOf(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`).exec(xml) ?? []
  return text === undefined ? undefined : decodeEntities(text)
}

function elements(xml: string, name: string): string[] {
  return xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf(`</${name}>`)))
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (all, hex?: string, decimal?: string, name = '') => {
      if (name) return ENTITIES[name] ?? all
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : all
    },
  )
}
