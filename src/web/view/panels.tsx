import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { HandoverTarget } from '../api/contract.ts'
import { address, getHandoverTargets, getShare } from '../api/server.ts'
import { agentName, handoverCommand, hasEnded, status } from '../state/agent.ts'
import { overlay } from '../state/page.ts'
import { slashCommands } from '../state/slash-commands.ts'
import { CopyButton } from './copy-button.tsx'
import { Dialog, Download, exportFormats } from './dialog.tsx'
import { Terminal } from './terminal.tsx'

/** The overlays. Loaded when the first of them is opened. */
export const panels: Readonly<Record<NonNullable<typeof overlay.value>, () => JSX.Element>> = {
  share: ShareDialog,
  export: ExportDialog,
  handover: HandoverDialog,
  help: HelpDialog,
  terminal: Terminal,
}

function close(): void {
  overlay.value = undefined
}

function ShareDialog(): JSX.Element {
  const [text, setText] = useState<string>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    getShare().then(setText, (error: Error) => setError(error.message))
  }, [])
  return (
    <Dialog title="Share this session" onClose={close}>
      <p>
        The session as Markdown, with secrets, home paths and e-mail addresses masked. Nothing has left this machine;
        read it before you pass it on.
      </p>
      {error && <p class="bad">{error}</p>}
      {text === undefined && !error && <p class="quiet">Masking…</p>}
      {text !== undefined && (
        <>
          <textarea class="document" readOnly aria-label="Redacted Markdown" value={text} />
          <div class="actions">
            <CopyButton text={text} label="Copy Markdown" />
            <Download text={text} />
          </div>
        </>
      )}
    </Dialog>
  )
}

function ExportDialog(): JSX.Element {
  return (
    <Dialog title="Export this session" onClose={close}>
      <p>
        The session as it is: nothing is masked. To show it to others, use <code>/share</code>.
      </p>
      <ul class="choices">
        {exportFormats.map(({ format, name, purpose }) => (
          <li key={format}>
            <a href={address(`export?format=${format}`)} download>
              <b>{name}</b> <span class="quiet">{purpose}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function HandoverDialog(): JSX.Element {
  const [targets, setTargets] = useState<readonly HandoverTarget[]>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    getHandoverTargets().then(setTargets, (error: Error) => setError(error.message))
  }, [])
  const hasSession = Boolean(status.value?.session_id)
  return (
    <Dialog title="Continue in another agent" onClose={close}>
      <p>
        Run one of these in the project&apos;s folder. The conversation with its tool calls becomes a new session of the
        other agent; this one stays as it is{hasEnded.value ? '.' : `, and ${agentName.value} is stopped first.`}{' '}
        Nothing is sent until you type.
      </p>
      {error && <p class="bad">{error}</p>}
      {targets?.length === 0 && <p class="quiet">No other agent that takes sessions is installed.</p>}
      {!hasSession && <p class="quiet">There is no session yet.</p>}
      {hasSession && (
        <ul class="choices commands">
          {targets?.map(({ agent, title }) => (
            <li key={agent}>
              <b>{title}</b>
              <code>{handoverCommand(agent)}</code>
              <CopyButton text={handoverCommand(agent)} label="Copy command" />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

const keys = [
  ['Enter', 'send'],
  ['Shift Enter', 'new line'],
  ['↑', 'edit the last queued message, in an empty field'],
  ['Esc', 'interrupt the agent; close what is open'],
  ['1 … 9', 'answer a question of the agent, outside the field'],
  ['Ctrl F  or  /', 'search in this session'],
  ['Enter, Shift Enter', 'next and previous match, in the search'],
  ['Alt ↑, Alt ↓', 'previous and next prompt, in the conversation'],
  ['Ctrl `', 'the terminal of the agent'],
]

function HelpDialog(): JSX.Element {
  return (
    <Dialog title="Help" onClose={close}>
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
        <dd>{'all other commands go to the agent; //help sends /help to it'}</dd>
      </dl>
      <h3>Keys</h3>
      <dl>{keys.map(([key, action]) => [<dt key={key}>{key}</dt>, <dd key={`${key}.`}>{action}</dd>])}</dl>
      <h3>Files</h3>
      <p>
        Paste them, drop them, or use the paper clip: they are stored beside the task, and their path is inserted into
        your message.
      </p>
    </Dialog>
  )
}
