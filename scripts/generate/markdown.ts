// Small pieces of Markdown.

/** A table; cells may have any text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

/** Puts lines between two `# name` comments, with the comments' indentation. */
export function replaceLines(document: string, name: string, lines: readonly string[]): string {
  const part = new RegExp(`^( *)# ${name}: written by npm run generate\\n[^]*?^ *# /${name}$`, 'm')
  if (!part.test(document)) throw new Error(`the comments "# ${name}" and "# /${name}" are missing`)
  return document.replace(part, (_, indent: string) =>
    [`# ${name}: written by npm run generate`, ...lines, `# /${name}`].map((line) => indent + line).join('\n'),
  )
}

/** Puts `text` between the two comments named `name`; the rest of the document is written by hand. */
export function replaceBetween(document: string, name: string, text: string, command = 'npm run generate'): string {
  const [before, after] = [`<!-- ${name}: written by ${command} -->`, `<!-- /${name} -->`]
  const start = document.indexOf(before)
  const end = document.indexOf(after)
  if (start === -1 || end < start) throw new Error(`the comments "${before}" and "${after}" are missing`)
  return `${document.slice(0, start + before.length)}\n\n${text}\n\n${document.slice(end)}`
}
