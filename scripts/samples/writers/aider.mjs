// <project>/.aider.chat.history.md: all runs of a project in one file. The project is a folder of the sample home.
import { endOf, iso, turnsOf } from '../turns.mjs'

export function write(home, sessions) {
  const inOrder = sessions.toSorted((a, b) => (a.start < b.start ? -1 : 1))
  const end = Math.max(...sessions.map((session) => endOf(turnsOf(session))))
  home.text('projects/shop/.aider.chat.history.md', inOrder.map(run).join(''), end)
}

function run(session) {
  const turns = turnsOf(session)
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
  for (const turn of turns) {
    if (turn.user) lines.push('', ...turn.user.split('\n').map((line) => `#### ${line}  `))
    else lines.push('', ...(turn.text ? [turn.text, ''] : []), ...(turn.call ? edit(turn.call) : []), ...end(turn))
  }
  return `${lines.join('\n')}\n`
}

const note = (text) => `> ${text}  `

function edit({ path, before, after }) {
  const name = path.split('/shop/')[1]
  return [name, '```html', '<<<<<<< SEARCH', before, '=======', after, '>>>>>>> REPLACE', '```', '']
}

function end({ usage, call }) {
  const sent = ((usage.input + usage.cached) / 1000).toFixed(1)
  const notes = [note(`Tokens: ${sent}k sent, ${usage.output} received. Cost: $0.02 message, $0.02 session.`)]
  return call
    ? [
        ...notes,
        note(`Applied edit to ${call.path.split('/shop/')[1]}`),
        note(`Commit ${call.id.slice(0, 7)} feat: as asked`),
      ]
    : notes
}
