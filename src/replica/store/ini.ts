/** The sections of an INI file as AWS's tools write them, names in lower case inside a section. Nested settings are left out. */
export function parseIni(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let section: Map<string, string> | undefined
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, title] = /^\[\s*([^\]]*?)\s*\]\s*([#;].*)?$/.exec(line) ?? []
    if (title !== undefined) {
      const name = title.replace(/\s+/g, ' ')
      section = sections.get(name) ?? new Map()
      sections.set(name, section)
      continue
    }
    // An indented line belongs to a nested setting such as `s3 =`.
    const [, name, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    // A secret may contain # and ;, so that only those after a space begin a comment.
    if (name !== undefined) section?.set(name.toLowerCase(), value!.replace(/(^|\s+)[#;].*$/, ''))
  }
  return sections
}
