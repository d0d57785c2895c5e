// Small pieces of Markdown.

/** A table; cells may hold any text. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function code(text) {
  return `\`${text}\``
}

/** Puts `text` between the two comments that are named `name`; everything else in the document is written by hand. */
export function replaceBetween(document, name, text, command = 'npm run generate') {
  const [before, after] = [`<!-- ${name}: written by ${command} -->`, `<!-- /${name} -->`]
  const start = document.indexOf(before)
  const end = document.indexOf(after)
  if (start === -1 || end < start) throw new Error(`the comments "${before}" and "${after}" are not there`)
  return `${document.slice(0, start + before.length)}\n\n${text}\n\n${document.slice(end)}`
}
