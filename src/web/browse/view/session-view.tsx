import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import { isFinding } from '../../state/page.ts'
import { count } from '../../text/labels.ts'
import { lazy } from '../../text/lazy.ts'
import { Icon, Tool } from '../../view/icons.tsx'
import { compactCount, dateLabel, folderName, fullTime, titleOf } from '../labels.ts'
import { abilities } from '../state/abilities.ts'
import { copyResumeCommand, resumeHere, togglePin } from '../state/actions.ts'
import { isRailOpen, overlay } from '../state/overlay.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { coverage, detail, listed, prompts, transcriptState } from '../state/session.ts'
import { agentTitle, sessions } from '../state/sessions.ts'
import { chatTask, TABS, type Tab, tab } from '../state/tab.ts'
import { GapBadges } from './badges.tsx'
import { LiveMark } from './session-list.tsx'
import { TranscriptTab } from './transcript.tsx'

const tabs = lazy(() => import('./tabs.tsx'))
const chat = lazy(() => import('./chat-tab.tsx'))

const LABELS: Readonly<Record<Tab, string>> = {
  chat: 'Chat',
  transcript: 'Transcript',
  changes: 'Changes',
  'sub-agents': 'Sub-agents',
  usage: 'Usage',
  raw: 'Raw',
}

/** One session: what it is, what can be done with it, and its tabs. */
export function SessionView({ id }: { readonly id: string }): JSX.Element {
  const state = transcriptState.value
  const complete = detail.value?.id
  // The beginning of an id leads here too, or the agent's own; everything else knows sessions by their complete one.
  useEffect(() => {
    if (complete === undefined || complete === id) return
    const { event, query } = route.value
    go(hrefOf({ session: complete, event, query: Object.fromEntries(query) }), { replace: true })
  }, [complete, id])
  if (typeof state === 'object' && state.isMissing) return <Missing id={id} />
  return (
    <section class="session" aria-label="Session">
      <SessionHead id={id} />
      <nav class="tabs" aria-label="Parts of this session">
        {TABS.filter((one) => one !== 'chat' || chatTask.value !== undefined).map((one) => (
          <a
            key={one}
            href={hrefOf({ session: id, query: { tab: inAddress(one), turn: undefined } })}
            aria-current={one === tab.value ? 'page' : undefined}
          >
            {LABELS[one]}
            {one === 'sub-agents' && (detail.value?.sub_agents.length ?? 0) > 0 && (
              <span class="quiet"> {detail.value?.sub_agents.length}</span>
            )}
          </a>
        ))}
        <span class="grow" />
        <TabTools />
      </nav>
      <Shown id={id} />
    </section>
  )
}

/** The first tab needs no name. */
function inAddress(one: Tab): string | undefined {
  return one === 'chat' || (one === 'transcript' && chatTask.value === undefined) ? undefined : one
}

function Shown({ id }: { readonly id: string }): JSX.Element | null {
  const shown = tab.value
  // Before the session's row is loaded it is not known whether it has a chat.
  if (shown === 'transcript')
    return listed.value || typeof transcriptState.value === 'object' ? <TranscriptTab /> : null
  if (shown === 'chat') {
    const { ChatTab } = chat.use() ?? {}
    return ChatTab ? <ChatTab task={chatTask.value!} session={id} /> : null
  }
  const Other = tabs.use()?.tabs[shown]
  return Other ? <Other /> : <div class="pane" />
}

/** What can be shown and found in a tab. */
function TabTools(): JSX.Element | null {
  if (tab.value === 'transcript') return <TranscriptTools />
  if (tab.value !== 'chat') return null
  const { ChatTools } = chat.use() ?? {}
  return (
    <div class="tab-tools">
      <FindTool />
      {ChatTools && <ChatTools />}
    </div>
  )
}

function FindTool(): JSX.Element {
  return (
    <Tool
      icon="search"
      label="Find in this session"
      title="Find in this session (Ctrl F)"
      class="small wide-only"
      isOn={isFinding.value}
      onClick={() => (isFinding.value = !isFinding.value)}
    />
  )
}

/** What is shown in the transcript, and the ways through it. */
function TranscriptTools(): JSX.Element {
  const { query, session } = route.value
  const toggle = (name: string): string => hrefOf({ session, query: { [name]: query.has(name) ? undefined : '1' } })
  return (
    <div class="tab-tools">
      <a class="switch" role="switch" aria-checked={query.has('thinking')} href={toggle('thinking')}>
        Thinking
      </a>
      <a
        class="switch wide-only"
        role="switch"
        aria-checked={query.has('system')}
        href={toggle('system')}
        title="What the agent itself added, and records that Ion does not know"
      >
        System
      </a>
      <FindTool />
      <Tool
        icon="list"
        label="Prompts"
        class="small narrow-rail"
        isOn={isRailOpen.value}
        disabled={!prompts.value?.prompts.length}
        onClick={() => (isRailOpen.value = !isRailOpen.value)}
      />
    </div>
  )
}

function SessionHead({ id }: { readonly id: string }): JSX.Element {
  const known = listed.value
  const full = detail.value
  const canWrite = !abilities.value.read_only
  return (
    <div class="session-head">
      <a class="tool back" href={hrefOf({ screen: 'sessions' })} aria-label="Back to the list">
        <Icon name="back" />
      </a>
      <h1 title={plain(known?.title ?? '')}>{known ? titleOf(known.title, id) : ' '}</h1>
      <div class="about-session">
        <p class="quiet">
          {known?.live && <LiveMark live={known.live} />}
          {known && <span class="fact">{plain(agentTitle(known.agent))}</span>}
          {known?.project && (
            <span class="fact" title={plain(known.project)}>
              {folderName(known.project)}
            </span>
          )}
          {known && (
            <span class="fact" title={fullTime(known.updated_at)}>
              {dateLabel(known.updated_at)}
            </span>
          )}
          {known && <span class="fact wide-only">{count(known.messages, 'message', 'messages')}</span>}
          {known?.parent !== undefined && <Origin id={known.parent} what="Sub-agent of" />}
          {full?.forked_from && <Origin id={full.forked_from} what="Fork of" />}
          {known?.model && <span class="fact wide-only">{plain(known.model)}</span>}
          {full && tokenSum(full.tokens) > 0 && (
            <a
              class="fact wide-only"
              href={hrefOf({ session: id, query: { tab: 'usage' } })}
              title="What these tokens are"
            >
              {compactCount(tokenSum(full.tokens))} tokens
            </a>
          )}
          <Badges id={id} />
        </p>
        {full?.note && <p class="note-line">{plain(full.note)}</p>}
      </div>
      <div class="tools" role="toolbar" aria-label="Session">
        {full?.resumable && !known?.live?.task && (
          <button
            type="button"
            class="button"
            title={`Copy the resume command (c)\n${plain(full.resume_command)}`}
            aria-label="Copy resume command"
            onClick={copyResumeCommand}
          >
            <Icon name="copy" />
            <span class="button-label">Copy resume command</span>
          </button>
        )}
        {abilities.value.terminal && canWrite && full?.resumable && !known?.live && (
          <Tool icon="terminal" label="Resume in a terminal" class="wide-only" onClick={() => resumeHere()} />
        )}
        {canWrite && (
          <Tool
            icon={known?.pinned ? 'pinned' : 'pin'}
            label={known?.pinned ? 'Unpin' : 'Pin'}
            title={known?.pinned ? 'Unpin (s)' : 'Pin (s)'}
            isOn={known?.pinned === true}
            onClick={togglePin}
          />
        )}
        {canWrite && (
          <Tool icon="edit" label="Name, tags and note" class="wide-only" onClick={() => (overlay.value = 'edit')} />
        )}
        <Tool
          icon="handover"
          label="Hand over or fork"
          class="wide-only"
          onClick={() => (overlay.value = 'handover')}
        />
        <Tool icon="share" label="Share" class="wide-only" onClick={() => (overlay.value = 'share')} />
        <Tool
          icon="download"
          label="Export"
          title="Export (e)"
          class="wide-only"
          onClick={() => (overlay.value = 'export')}
        />
        <Tool
          icon="more"
          label="More actions"
          title="Actions (Ctrl K)"
          class="narrow-only"
          onClick={() => (overlay.value = 'palette')}
        />
      </div>
    </div>
  )
}

/** The session that this one comes from. */
function Origin({ id, what }: { readonly id: string; readonly what: string }): JSX.Element {
  const known = sessions.value.find((one) => one.id === id)
  return (
    <a class="fact" href={hrefOf({ session: id })} title={plain(known?.title ?? id)}>
      {what} {known ? titleOf(known.title, id) : id.slice(0, 8)}
    </a>
  )
}

/** What a reader should know before believing what is below. */
function Badges({ id }: { readonly id: string }): JSX.Element {
  const read = coverage.value
  const share = read && read.events > 0 ? (read.events - read.native - read.bad) / read.events : undefined
  const known = listed.value
  return (
    <>
      {known?.only_in_archive && (
        <span class="badge archive" title="The agent has deleted it. Ion has kept a copy.">
          only in the archive
        </span>
      )}
      {known && <GapBadges session={known} />}
      {share !== undefined && (
        <a
          class={`badge ${share < 0.98 || read!.bad > 0 ? 'warn' : ''}`}
          href={hrefOf({ session: id, query: { tab: 'raw' } })}
          title={`${count(read!.events, 'event', 'events')}: ${read!.native} of a kind that Ion does not know, ${read!.bad} unreadable`}
        >
          {share === 1 ? 'fully parsed' : `${Math.floor(share * 1000) / 10} % parsed`}
        </a>
      )}
      {known?.tags?.map((tag) => (
        <a key={tag} class="tag" href={hrefOf({ screen: 'sessions', query: { tag } })}>
          {plain(tag)}
        </a>
      ))}
    </>
  )
}

export function tokenSum(tokens: NonNullable<typeof detail.value>['tokens']): number {
  return tokens.input + tokens.output + tokens.cache_read + tokens.cache_write
}

function Missing({ id }: { readonly id: string }): JSX.Element {
  return (
    <section class="session nothing" aria-label="Session">
      <div>
        <p>
          There is no session <code>{plain(id.slice(0, 60))}</code>.
        </p>
        <p class="quiet">
          If its agent has deleted it, only the archive can have a copy: <code>ion capture --watch</code> keeps one.
        </p>
        <a href={hrefOf({ screen: 'sessions' })}>All sessions</a>
      </div>
    </section>
  )
}
