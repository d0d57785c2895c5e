import type { JSX } from 'preact'
import { overlay } from '../state/overlay.ts'
import { slashCommands } from '../state/slash-commands.ts'
import { Dialog } from './dialog.tsx'

const keys = [
  ['Enter', 'send'],
  ['Shift Enter', 'new line'],
  ['Esc', 'interrupt the agent; close what is open'],
  ['Ctrl F  or  /', 'search in this session'],
  ['Enter, Shift Enter', 'next and previous match, in the search'],
  ['Alt ↑, Alt ↓', 'previous and next prompt, in the conversation'],
  ['Ctrl `', 'the terminal of the agent'],
]

export function HelpDialog(): JSX.Element {
  return (
    <Dialog title="Help">
      <h3>Commands</h3>
      <dl>
        {slashCommands.map(({ name, summary }) => [
          <dt key={name}>
            <button type="button" onClick={() => (overlay.value = name)}>
              /{name}
            </button>
          </dt>,
          <dd key={`${name}.`}>{summary}</dd>,
        ])}
        <dt>/…</dt>
        <dd>{'every other command goes to the agent; //help sends it its own /help'}</dd>
      </dl>
      <h3>Keys</h3>
      <dl>{keys.map(([key, what]) => [<dt key={key}>{key}</dt>, <dd key={`${key}.`}>{what}</dd>])}</dl>
      <h3>Files</h3>
      <p>
        Paste them, drop them, or use the paper clip: they are stored beside the task, and their path is put into your
        message.
      </p>
    </Dialog>
  )
}
