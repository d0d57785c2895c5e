interface Described {
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: { description?: string }
  }[]
}

/** The API for a person to read, with nothing loaded from anywhere. */
export function docsPage(spec: Readonly<Record<string, unknown>>): string {
  const paths = Object.entries(spec.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>)
  const sections = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => section(method, path, described)),
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Ion: the API</title></head>
<body>
<h1>The API of ion serve</h1>
<p>For programs: <a href="openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</body>
</html>
`
}

function section(method: string, path: string, { description = '', parameters = [] }: Described): string {
  const rows = parameters.map(({ name, schema }) => `<li><code>${name}</code> ${safe(schema.description ?? '')}</li>`)
  const given = rows.length > 0 ? `<ul>${rows.join('')}</ul>` : ''
  return `<h2><code>${method.toUpperCase()} ${safe(path)}</code></h2>\n<p>${safe(description)}</p>${given}`
}

function safe(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
