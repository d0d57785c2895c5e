import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { describeFinding, NOT_LOOKED_FOR } from '../../../export/redact/rule.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { HandoverAnswer, HandoverTargets, SessionDetail, SharedSession } from '../../../server/browse/contract.ts'
import { CopyButton } from '../../view/copy-button.tsx'
import { Dialog, exportFormats } from '../../view/dialog.tsx'
import { exportUrl, getShared, getTargets, handOver, shareUrl } from '../api.ts'
import { compactCount } from '../labels.ts'
import { abilities } from '../state/abilities.ts'
import { mark } from '../state/actions.ts'
import { type OverlayName, overlay } from '../state/overlay.ts'
import { hrefOf, route } from '../state/route.ts'
import { detail, listed } from '../state/session.ts'
import { agentTitle } from '../state/sessions.ts'
import { useAnswer } from '../use-answer.ts'
import { keys } from './keys.ts'
import { Palette } from './palette.tsx'
import { SearchGrammar } from './search-grammar.tsx'
import '../../style/dialogs.css'

/** The dialogs. Loaded when the first of them is opened. */
export const dialogs: Readonly<Record<OverlayName, () => JSX.Element>> = {
  palette: Palette,
  help: HelpDialog,
  export: ExportDialog,
  share: ShareDialog,
  handover: HandoverDialog,
  edit: EditDialog,
}

function close(): void {
  overlay.value = undefined
}

function ExportDialog(): JSX.Element {
  const id = route.value.session ?? ''
  return (
    <Dialog title="Export this session" onClose={close}>
      <p>The session as it is: nothing is masked. To show it to others, share it instead.</p>
      <ul class="choices">
        {exportFormats.map(({ format, name, purpose }) => (
          <li key={format}>
            <a href={exportUrl(id, format)} download>
              <b>{name}</b> <span class="quiet">{purpose}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function ShareDialog(): JSX.Element {
  const id = route.value.session ?? ''
  const { body, error } = useAnswer<SharedSession>(() => getShared(id))
  return (
    <Dialog title="Share this session" onClose={close}>
      <p>
        A copy with secrets, home paths and e-mail addresses masked. Nothing has left this machine; read it before you
        pass it on.
      </p>
      {error && <p class="bad">{plain(error)}</p>}
      {!body && !error && <p class="quiet">Masking…</p>}
      {body && (
        <>
          <p class="masked">
            <b>{body.masked.length === 0 ? 'Nothing was masked' : 'Masked'}</b>
            {body.masked.map(({ kind, count }) => (
              <span key={kind} class="badge">
                {plain(describeFinding(kind, count))}
              </span>
            ))}
          </p>
          {body.doubtful.length > 0 && (
            <p class="masked">
              <b>Not masked, but looks random</b>
              {body.doubtful.slice(0, 12).map(({ excerpt, length }, index) => (
                <span key={index} class="badge warn" title={`${length} characters`}>
                  {plain(excerpt)}
                </span>
              ))}
            </p>
          )}
          <p class="quiet">Not looked for: {NOT_LOOKED_FOR}.</p>
          <textarea class="document" readOnly aria-label="What is shared" value={plain(body.text)} />
          {body.is_cut && <p class="quiet">This is its beginning. The download has all of it.</p>}
          <div class="actions">
            {!body.is_cut && <CopyButton text={body.text} label="Copy Markdown" />}
            <a class="button" href={shareUrl(id, 'md')} download>
              Download Markdown
            </a>
            <a class="button" href={shareUrl(id, 'html')} download>
              Download HTML
            </a>
          </div>
        </>
      )}
    </Dialog>
  )
}

interface Target {
  /** Undefined for a fork. */
  readonly agent?: string
  readonly title: string
  /** Does the same in a terminal. */
  readonly command: string
}

/** First what would become of the session, then, by a second button, the new session; it is opened only in a terminal. */
function HandoverDialog(): JSX.Element {
  const { body, error } = useAnswer<HandoverTargets>(() => getTargets(route.value.session ?? ''))
  const [target, setTarget] = useState<Target>()
  const fork = body?.fork_command
  const choices: readonly Target[] = [
    ...(fork ? [{ title: `A copy for ${agentTitle(listed.value?.agent ?? '')} (fork)`, command: fork }] : []),
    ...(body?.targets ?? []),
  ]
  return (
    <Dialog title="Hand over or fork" onClose={close}>
      <p>
        The conversation with its tool calls becomes a new session; this one stays as it is. No agent is started: you
        get the command that opens the new session.
      </p>
      {error && <p class="bad">{plain(error)}</p>}
      {!body && !error && <p class="quiet">Looking for agents…</p>}
      {body && (
        <div class="targets" role="group" aria-label="Continue in">
          {choices.map((one) => (
            <button
              key={one.title}
              type="button"
              class="plain"
              aria-pressed={target?.title === one.title}
              onClick={() => setTarget(one)}
            >
              {plain(one.title)}
            </button>
          ))}
          {choices.length === 0 && <p class="quiet">No installed agent can continue this session.</p>}
        </div>
      )}
      {target && <HandoverReport key={target.title} {...target} />}
    </Dialog>
  )
}

function HandoverReport({ agent, title, command }: Target): JSX.Element {
  const id = route.value.session ?? ''
  const [written, setWritten] = useState<HandoverAnswer>()
  const [failure, setFailure] = useState<string>()
  const [isWriting, setWriting] = useState(false)
  const isReadOnly = abilities.value.read_only
  const planned = useAnswer<HandoverAnswer | undefined>(async () =>
    isReadOnly ? undefined : handOver(id, { ...(agent === undefined ? {} : { agent }), dry_run: true }),
  )
  const answer = written ?? planned.body
  const error = failure ?? planned.error
  const write = (): void => {
    setWriting(true)
    handOver(id, agent === undefined ? {} : { agent })
      .then(setWritten, (reason: Error) => setFailure(reason.message))
      .finally(() => setWriting(false))
  }
  if (isReadOnly) return <CommandLine command={command} />
  if (error && detail.value?.cwd_exists === false) return <FolderGone command={command} why={error} />
  if (error) return <p class="bad">{plain(error)}</p>
  if (!answer) return <p class="quiet">Looking at what would be kept…</p>
  const { events } = answer
  const outcomes = [
    [events.kept, 'kept as they are'],
    [events.changed, 'adapted'],
    [events.shortened, 'shortened'],
    [events.as_text, 'as text'],
    [events.dropped, 'left out'],
  ] as const
  return (
    <section class="report" aria-label="What becomes of the session">
      <p>
        Events:{' '}
        {outcomes.flatMap(([number, what]) => (number > 0 ? [`${number.toLocaleString()} ${what}`] : [])).join(', ')}.
        About {compactCount(answer.tokens_estimated)} tokens.
      </p>
      {answer.lossy.length > 0 && (
        <ul class="lossy">
          {answer.lossy.map(({ outcome, what, count: times, reason }, index) => (
            <li key={index}>
              {times.toLocaleString()} {plain(what)} {plain(outcome)}: <span class="quiet">{plain(reason)}</span>
            </li>
          ))}
        </ul>
      )}
      {answer.act === 'none' && answer.mode === 'native' && (
        <button type="button" class="primary" disabled={isWriting} onClick={write}>
          {isWriting ? 'Writing…' : agent === undefined ? 'Create the fork' : `Create the session for ${plain(title)}`}
        </button>
      )}
      {answer.brief !== null && (
        <>
          <p>{plain(answer.reason)} Start it with this:</p>
          <textarea class="document" readOnly aria-label="First prompt" value={plain(answer.brief)} />
          <div class="actions">
            <CopyButton text={answer.brief} label="Copy" />
          </div>
        </>
      )}
      {answer.act === 'existing' && <p>This session was created before, and its source has not changed since.</p>}
      {answer.act !== 'none' && answer.resume !== null && <CommandLine command={answer.resume} />}
      {answer.act !== 'none' && answer.id !== null && (
        <a href={hrefOf({ session: answer.id })} onClick={close}>
          Open the new session here
        </a>
      )}
    </section>
  )
}

/** Only the user knows where the work continues. */
function FolderGone({ command, why }: { readonly command: string; readonly why: string }): JSX.Element {
  return (
    <section class="report" aria-label="Its folder is gone">
      <p>
        The folder of this session, <code>{plain(detail.value?.cwd ?? '')}</code>, does not exist any more. In a
        terminal, go to the folder where it is to be continued, and type:
      </p>
      <CommandLine command={`${command} --here`} />
      <p class="quiet">{plain(why)}</p>
    </section>
  )
}

function CommandLine({ command }: { readonly command: string }): JSX.Element {
  return (
    <p class="command-line">
      <code>{plain(command)}</code>
      <CopyButton text={command} label="Copy command" />
    </p>
  )
}

/** What the user adds to a session. Kept by Ion; the agent's own files stay as they are. */
function EditDialog(): JSX.Element {
  const session = detail.value
  return (
    <Dialog title="Name, tags and note" onClose={close}>
      <p class="quiet">Ion keeps these beside the session. The agent's own files are not changed.</p>
      {session ? <EditForm session={session} /> : <p class="quiet">Reading…</p>}
    </Dialog>
  )
}

/** Only what the user changes here is saved: anything else may have been changed elsewhere meanwhile. */
function EditForm({ session }: { readonly session: SessionDetail }): JSX.Element {
  const [before] = useState({ name: session.name ?? '', note: session.note ?? '', tags: listed.value?.tags ?? [] })
  const [name, setName] = useState(before.name)
  const [note, setNote] = useState(before.note)
  const [tags, setTags] = useState(before.tags.join(', '))
  const [error, setError] = useState<string | undefined>(undefined)
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    const after = [...new Set(tags.split(/[\s,]+/).filter(Boolean))]
    const added = after.filter((tag) => !before.tags.includes(tag))
    const removed = before.tags.filter((tag) => !after.includes(tag))
    const why = await mark({
      ...(name === before.name ? {} : { name: name.trim() || null }),
      ...(note === before.note ? {} : { note: note.trim() || null }),
      ...(added.length > 0 ? { add_tags: added } : {}),
      ...(removed.length > 0 ? { remove_tags: removed } : {}),
    })
    if (why === undefined) close()
    else setError(why)
  }
  return (
    <form class="fields" onSubmit={save}>
      <label>
        Name
        <input
          autofocus
          value={name}
          placeholder={plain(listed.value?.title ?? '')}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        Tags
        <input
          value={tags}
          placeholder="bug, to-review"
          spellcheck={false}
          onInput={(event) => setTags(event.currentTarget.value)}
        />
      </label>
      <label>
        Note
        <textarea rows={4} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      {error !== undefined && (
        <p class="bad" role="alert">
          Not saved: {plain(error)}
        </p>
      )}
      <div class="actions">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" class="plain" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  )
}

function HelpDialog(): JSX.Element {
  return (
    <Dialog title="Keys and help" class="help" onClose={close}>
      <dl class="key-table">
        {keys.map(([key, action]) => [
          <dt key={key}>
            {key.split('  ').map((one) => (
              <span key={one}>
                {one.split(' ').map((part) => (
                  <kbd key={part}>{part}</kbd>
                ))}{' '}
              </span>
            ))}
          </dt>,
          <dd key={`${key}.`}>{action}</dd>,
        ])}
      </dl>
      <h3>Search</h3>
      <SearchGrammar />
      <h3>Links</h3>
      <p>
        The address of a session is <code>/s/&lt;session&gt;</code>, of an event in it{' '}
        <code>/s/&lt;session&gt;#&lt;event&gt;</code>. Both stay the same when a session grows or is read again. The{' '}
        <code>#</code> beside a message copies its link.
      </p>
      <p class="quiet">
        Everything stays on this machine. The page starts no agent, except by a button that says so.
        {abilities.value.read_only && ' This server is read-only.'}
        {abilities.value.version && ` Ion ${abilities.value.version}.`}
      </p>
    </Dialog>
  )
}
