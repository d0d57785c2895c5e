import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { relativePaths } from '../../../export/relative-paths.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { RawWindow, SessionChanges, SessionUsage } from '../../../server/browse/contract.ts'
import { notifyError } from '../../state/page.ts'
import { count, shortTime } from '../../text/labels.ts'
import { CopyButton } from '../../view/copy-button.tsx'
import { DiffBlock } from '../../view/diff-block.tsx'
import { Fold } from '../../view/fold.tsx'
import { Code } from '../../view/prose.tsx'
import { exportUrl, getChanges, getRaw, getSessionUsage } from '../api.ts'
import { bytesLabel, compactCount, costLabel, fullTime, titleOf } from '../labels.ts'
import { withTilde } from '../state/abilities.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { countCoverage, coverage, detail, listed, prompts, updateCoverage } from '../state/session.ts'
import { agentTitle } from '../state/sessions.ts'
import { useAnswer } from '../use-answer.ts'
import { FileEdits } from './file-edits.tsx'
import { tokenSum } from './session-view.tsx'
import '../../style/tables.css'

/** The tabs beside the transcript. Loaded when the first of them is opened. */
export const tabs: Readonly<Record<'changes' | 'sub-agents' | 'usage' | 'raw', () => JSX.Element>> = {
  changes: ChangesTab,
  'sub-agents': SubAgentsTab,
  usage: UsageTab,
  raw: RawTab,
}

function Waiting({ error, what }: { readonly error: string | undefined; readonly what: string }): JSX.Element {
  return <div class="pane nothing">{error ? <p class="bad">{plain(error)}</p> : <p class="late">{what}</p>}</div>
}

/** What the session did to files, by the inputs of its tools; and what git sees now. */
function ChangesTab(): JSX.Element {
  const { session: id = '', query } = route.value
  const turn = query.get('turn') ?? undefined
  const { body, error } = useAnswer<SessionChanges>(() => getChanges(id, turn), `${id} ${turn}`)
  const isGit = query.get('source') === 'git'
  if (!body) return <Waiting error={error} what="Looking for edits…" />
  const added = body.files.reduce((sum, file) => sum + file.added, 0)
  const removed = body.files.reduce((sum, file) => sum + file.removed, 0)
  return (
    <div class="pane changes-tab">
      <div class="pane-head">
        <div class="segments" role="group" aria-label="Where the changes are from">
          <a href={hrefOf({ session: id, query: { source: undefined } })} aria-current={!isGit ? 'true' : undefined}>
            From the transcript
          </a>
          {body.git ? (
            <a href={hrefOf({ session: id, query: { source: 'git' } })} aria-current={isGit ? 'true' : undefined}>
              Git, now
            </a>
          ) : (
            <span class="off" title="The session's folder is not in a git repository on this machine">
              Git, now
            </span>
          )}
        </div>
        {!isGit && (
          <>
            <select
              aria-label="Which prompts"
              value={turn ?? ''}
              onChange={(event) => go(hrefOf({ session: id, query: { turn: event.currentTarget.value } }))}
            >
              <option value="">The whole session</option>
              {Array.from({ length: Math.max(0, body.turns - 1) }, (_, index) => body.turns - index).map((number) => (
                <option key={number} value={`${number}..`}>
                  Since prompt {number}
                  {promptText(number)}
                </option>
              ))}
            </select>
            {body.files.length > 0 && (
              <span class="changes">
                {count(body.files.length, 'file', 'files')} <span class="ins">+{added}</span>{' '}
                <span class="del">−{removed}</span>
              </span>
            )}
          </>
        )}
      </div>
      {isGit && body.git ? (
        <>
          <p class="explain">
            What <code>git diff</code> says in the session's folder at this moment. It contains everybody's changes, not
            only this session's.
          </p>
          {body.git.diff.trim() === '' ? (
            <p class="quiet">Git sees no uncommitted changes.</p>
          ) : (
            <DiffBlock text={plain(body.git.diff)} />
          )}
          {body.git.is_cut && <p class="quiet">Only the beginning is shown.</p>}
        </>
      ) : (
        <>
          <p class="explain">
            From the inputs of this session's tools, in order. What commands did to files is not in it, and edits may
            have been undone since.
          </p>
          {body.files.length === 0 && (
            <p class="empty-tab">No edits {turn ? 'since that prompt' : 'in this session'}.</p>
          )}
          {body.files.map((file, index) => (
            <Fold
              key={file.path}
              id={`${id} ${file.path}`}
              isOpenFirst={index === 0 || body.files.length <= 3}
              line={
                <>
                  <b class="path">{plain(relativePaths(file.path, detail.value?.cwd ?? undefined))}</b>
                  <span class="what" />
                  <span class="state">{count(file.edits.length, 'edit', 'edits')}</span>
                  <span class="changes">
                    <span class="ins">+{file.added}</span> <span class="del">−{file.removed}</span>
                  </span>
                </>
              }
            >
              {() => (
                <>
                  <FileEdits session={id} edits={file.edits} />
                  <p class="label">
                    <a
                      href={hrefOf({
                        screen: 'files',
                        query: { path: file.path, agent: undefined, project: detail.value?.cwd ?? undefined },
                      })}
                    >
                      Other sessions that edited this file
                    </a>
                  </p>
                </>
              )}
            </Fold>
          ))}
        </>
      )}
    </div>
  )
}

function promptText(number: number): string {
  const text = prompts.value?.prompts[number - 1]?.text
  return text && prompts.value?.from === null ? `: ${plain(text).replace(/\s+/g, ' ').slice(0, 50)}` : ''
}

function SubAgentsTab(): JSX.Element {
  const all = detail.value?.sub_agents
  if (!all) return <Waiting error={undefined} what="…" />
  return (
    <div class="pane">
      {all.length === 0 && <p class="empty-tab">This session started no sub-agents that have sessions of their own.</p>}
      {all.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Sub-agent</th>
              <th class="number">Messages</th>
              <th>Model</th>
              <th>Last change</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ id, title, messages, model, updated_at }) => (
              <tr key={id}>
                <td>
                  <a href={hrefOf({ session: id })}>{titleOf(title, id)}</a>
                </td>
                <td class="number">{messages}</td>
                <td>{plain(model ?? '')}</td>
                <td>{shortTime(updated_at ?? '', new Date())}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

/** With when the session had been written last, as its calls are not counted again whenever it grows. */
async function counted(id: string): Promise<SessionUsage & { readonly writtenAt: string | undefined }> {
  const before = writtenAt(id)
  const usage = await getSessionUsage(id)
  return { ...usage, writtenAt: before ?? writtenAt(id) }
}

function writtenAt(id: string): string | undefined {
  const { value } = listed
  return value?.id === id ? (value.updated_at ?? undefined) : undefined
}

/** Where the figures of a session come from: each call that was counted, and each that was not. */
function UsageTab(): JSX.Element {
  const { session: id = '' } = route.value
  const [round, setRound] = useState(0)
  const { body, error } = useAnswer(() => counted(id), `${id} ${round}`)
  const tokens = body?.total.tokens ?? detail.value?.tokens
  const hasGrown = body?.writtenAt !== undefined && body.writtenAt !== writtenAt(id)
  const unpriced = body?.total.unpriced ?? 0
  return (
    <div class="pane">
      {tokens && (
        <dl class="figures">
          <Figure label="Input" value={tokens.input} />
          <Figure label="Read from cache" value={tokens.cache_read} />
          <Figure label="Written to cache" value={tokens.cache_write} />
          <Figure label="Output" value={tokens.output} />
          {body && (
            <>
              <Figure label="Model calls" value={body.total.calls} />
              <div>
                <dt>At list prices</dt>
                <dd>{costLabel(body.total.cost)}</dd>
              </div>
            </>
          )}
        </dl>
      )}
      {hasGrown && (
        <p class="explain">
          The session has grown since.{' '}
          <button type="button" class="plain" onClick={() => setRound(round + 1)}>
            Count again
          </button>
        </p>
      )}
      {tokens && tokenSum(tokens) === 0 && <p class="empty-tab">The agent stored no token counts for this session.</p>}
      {unpriced > 0 && (
        <p class="explain warn">
          {count(unpriced, 'call has', 'calls have')} no known price, and {unpriced === 1 ? 'is' : 'are'} not part of
          the cost.
        </p>
      )}
      {!body && !error && <p class="empty-tab late">Counting…</p>}
      {error && <p class="empty-tab">{plain(error)}</p>}
      {body && body.calls.length > 0 && (
        <>
          <h2 class="table-title">{body.more > 0 ? `The last ${body.calls.length} records` : 'Model calls'}</h2>
          <div class="wide" tabIndex={0}>
            <table class="table calls-table">
              <thead>
                <tr>
                  <th>Time</th>
                  <th class="number">Cost</th>
                  <th>Counted</th>
                  <th>Model</th>
                  <th class="number">Input</th>
                  <th class="number">Cache read</th>
                  <th class="number">Cache write</th>
                  <th class="number">Output</th>
                </tr>
              </thead>
              <tbody>
                {body.calls.map((call, index) => (
                  <tr key={index} class={call.why_not === null ? '' : 'not-counted'}>
                    <td>
                      {call.event ? (
                        <a href={hrefOf({ session: id, event: call.event, query: { tab: undefined } })}>
                          {shortTime(call.time ?? '', new Date()) || 'unknown'}
                        </a>
                      ) : (
                        shortTime(call.time ?? '', new Date())
                      )}
                    </td>
                    <td class="number">
                      {call.cost === null && call.why_not === null ? 'unpriced' : costLabel(call.cost)}
                    </td>
                    <td>{call.why_not === null ? 'yes' : `no: ${plain(call.why_not)}`}</td>
                    <td>{plain(call.model ?? (call.why_not === null ? 'unknown' : ''))}</td>
                    <td class="number">{call.tokens.input.toLocaleString()}</td>
                    <td class="number">{call.tokens.cache_read.toLocaleString()}</td>
                    <td class="number">{call.tokens.cache_write.toLocaleString()}</td>
                    <td class="number">{call.tokens.output.toLocaleString()}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {body.more > 0 && (
            <p class="quiet">
              And {body.more.toLocaleString()} more: <code>ion usage explain {plain(id)}</code>
            </p>
          )}
        </>
      )}
    </div>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: number }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd title={value.toLocaleString()}>{compactCount(value)}</dd>
    </div>
  )
}

const RAW_LINES = 60

/** Where the session is stored, how much of it was understood, and its events as Ion reads them. */
function RawTab(): JSX.Element {
  const { session: id = '' } = route.value
  const [more, setMore] = useState<readonly RawWindow[]>([])
  const { body, error } = useAnswer<RawWindow>(() => getRaw(id, { limit: RAW_LINES }), id)
  useEffect(updateCoverage, [])
  const windows = body ? [body, ...more] : []
  const next = windows.at(-1)?.after ?? null
  const load = (): Promise<void> =>
    getRaw(id, { after: next ?? undefined, limit: RAW_LINES }).then(
      (window) => setMore([...more, window]),
      (reason: Error) => notifyError(reason.message),
    )
  return (
    <div class="pane">
      <Facts />
      <div class="pane-head">
        <h2 class="table-title">Events</h2>
        <span class="grow" />
        <a class="button" href={exportUrl(id, 'jsonl')} download>
          Download all as JSON Lines
        </a>
      </div>
      {error && <p class="bad">{plain(error)}</p>}
      {windows.flatMap(({ lines }, window) =>
        lines.map((line, index) => {
          const { type, when } = outline(line)
          return (
            <Fold
              key={`${window}.${index}`}
              id={`raw ${id} ${window}.${index}`}
              line={
                <>
                  <b>{type}</b>
                  <code class="what">{plain(line.slice(0, 300))}</code>
                  <span class="took">{when}</span>
                </>
              }
            >
              {() => <Code text={plain(pretty(line))} language="json" />}
            </Fold>
          )
        }),
      )}
      {next !== null && (
        <button type="button" class="more" onClick={load}>
          Show more events
        </button>
      )}
    </div>
  )
}

function outline(line: string): { readonly type: string; readonly when: string } {
  const type = /"type":"([a-z_]+)"/.exec(line.slice(0, 2_000))?.[1] ?? 'event'
  const time = /"timestamp":"([^"]+)"/.exec(line.slice(0, 2_000))?.[1] ?? ''
  return { type: type.replaceAll('_', ' '), when: shortTime(time, new Date()) }
}

function pretty(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), null, 2)
  } catch {
    // It was cut.
    return line
  }
}

function Facts(): JSX.Element | null {
  const session = detail.value
  if (!session) return null
  const read = coverage.value
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    ['Session', <Copied key="id" text={session.id} />],
    ["Agent's own id", <Copied key="native" text={session.native_id} />],
    ['Stored in', <Copied key="path" text={session.path} shown={withTilde(session.path)} />],
    ['Size', bytesLabel(session.bytes)],
    [
      'Folder',
      `${plain(withTilde(session.cwd ?? 'unknown'))}${session.cwd !== null && !session.cwd_exists ? ' (no longer there)' : ''}`,
    ],
    ['Began', fullTime(session.created_at)],
    ['Archived by Ion', session.archived ? (session.only_in_archive ? 'yes, and only there' : 'yes') : 'no'],
    [
      'Read',
      read ? (
        coverageText(read)
      ) : (
        <button type="button" class="more" onClick={() => void countCoverage()}>
          Count what Ion understands of it
        </button>
      ),
    ],
  ]
  return (
    <dl class="facts">
      {facts.map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label}.`}>{value}</dd>])}
      {session.forked_from && [
        <dt key="fork">Forked from</dt>,
        <dd key="fork.">
          <a href={hrefOf({ session: session.forked_from })}>{plain(session.forked_from)}</a>
        </dd>,
      ]}
      {listed.value && [<dt key="agent">Agent</dt>, <dd key="agent.">{plain(agentTitle(listed.value.agent))}</dd>]}
    </dl>
  )
}

function coverageText({ events, native, bad }: NonNullable<typeof coverage.value>): string {
  const rest = [native > 0 && `${native} of a kind that Ion does not know`, bad > 0 && `${bad} unreadable`].filter(
    Boolean,
  )
  return `${count(events, 'event', 'events')}, ${rest.length === 0 ? 'all understood' : rest.join(', ')}`
}

function Copied({ text, shown = text }: { readonly text: string; readonly shown?: string }): JSX.Element {
  return (
    <>
      <code>{plain(shown)}</code> <CopyButton text={text} />
    </>
  )
}
