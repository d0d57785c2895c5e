// <project>/.aider.chat.history.md: all runs of a project in one file. The project is a folder of the sample home.
import { iso, subjectOf } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Add a search box to the header',
      start: '2026-10-17T10:30:00Z',
      model: 'openai/gpt-4o',
      steps: [
        { user: 'Add a search box to the header of every page. Plain HTML form, GET /search?q=' },
        { say: 'I add a form to the header; it works without JavaScript.' },
        {
          edit: 'src/views/header.html',
          before: '<nav>',
          after:
            '<form action="/search" method="get" role="search">\n  <input name="q" type="search" aria-label="Search the shop">\n</form>\n<nav>',
        },
      ],
    },
    {
      title: 'Escape the search words',
      start: '2026-10-18T08:12:00Z',
      model: 'openai/gpt-4o',
      steps: [
        { user: 'The search page prints the words unescaped. Fix that, it is an XSS.' },
        { say: 'Right: `{{{q}}}` prints raw HTML. Two braces escape it.' },
        { edit: 'src/views/search.html', before: '<h1>Results for {{{q}}}</h1>', after: '<h1>Results for {{q}}</h1>' },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const inOrder = sessions.toSorted((a, b) => (a.start < b.start ? -1 : 1))
  const end = Math.max(...sessions.map((session) => session.end))
  home.text('projects/shop/.aider.chat.history.md', inOrder.map(run).join(''), end)
}

function run(session: SampleSession) {
  const lines = [
    '',
    `# aider chat started at ${iso(Date.parse(session.start)).slice(0, 19).replace('T', ' ')}`,
    '',
    ...[
      'aider',
      'Aider v0.86.2',
      `Main model: ${session.model} with diff edit format`,
      'Git repo: .git with 214 files',
    ].map(note),
  ]
  for (const turn of session.turns) {
    if (turn.user !== undefined) lines.push('', ...turn.user.split('\n').map((line) => `#### ${line}  `))
    else lines.push('', ...(turn.text ? [turn.text, ''] : []), ...(turn.call ? edit(turn.call) : []), ...end(turn))
  }
  return `${lines.join('\n')}\n`
}

const note = (text: string) => `> ${text}  `

function edit(call: ToolCall): string[] {
  if (call.kind !== 'edit') throw new Error('aider only edits')
  const { path, before, after } = call
  const name = path.split('/shop/')[1] ?? path
  return [name, '```html', '<<<<<<< SEARCH', before, '=======', after, '>>>>>>> REPLACE', '```', '']
}

function end({ usage, call }: Answer): string[] {
  const sent = ((usage.input + usage.cached) / 1000).toFixed(1)
  const notes = [note(`Tokens: ${sent}k sent, ${usage.output} received. Cost: $0.02 message, $0.02 session.`)]
  return call
    ? [
        ...notes,
        note(`Applied edit to ${subjectOf(call).split('/shop/')[1]}`),
        note(`Commit ${call.id.slice(0, 7)} feat: as asked`),
      ]
    : notes
}
