import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import type { ListedSession } from '../../../server/browse/contract.ts'
import { isFinding } from '../../state/page.ts'
import { wordsOf } from '../../text/words.ts'
import { Dialog } from '../../view/dialog.tsx'
import { getSessions } from '../api.ts'
import { folderName, titleOf } from '../labels.ts'
import { abilities } from '../state/abilities.ts'
import { copyLink, copyResumeCommand, resumeHere, togglePin } from '../state/actions.ts'
import { type OverlayName, overlay, typedAhead } from '../state/overlay.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { detail, listed, marked } from '../state/session.ts'
import { agentTitle, sessions } from '../state/sessions.ts'
import { chatTask, tab } from '../state/tab.ts'

interface Command {
  readonly name: string
  /** Beside the name: a key, or which session it is. */
  readonly hint?: string
  readonly run: () => void
}

/** Sessions that are offered. */
const MAX_SESSIONS = 8
const DEBOUNCE_MS = 150

/** Everything that can be done, and every session, by typing a part of its name. */
export function Palette(): JSX.Element {
  useLayoutEffect(
    () => () => {
      typedAhead.value = ''
    },
    [],
  )
  const [query, setQuery] = useState(() => typedAhead.peek())
  const [chosen, choose] = useState(0)
  const all = useMemo(commands, [])
  const words = wordsOf(query)
  const matching = all.filter((command) => matches(command, words))
  const found = useFound(query.trim())
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [chosen])
  const offered: readonly Command[] = [
    ...matching,
    ...found.map(toSession),
    ...(query.trim() === ''
      ? []
      : [
          {
            name: `Search all sessions for “${query.trim()}”`,
            run: () => go(hrefOf({ screen: 'search', query: { q: query.trim() } })),
          },
        ]),
  ]
  const close = (): void => {
    overlay.value = undefined
  }
  const run = (command: Command | undefined): void => {
    if (!command) return
    close()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move) choose((chosen + move + offered.length) % offered.length)
    else if (event.key === 'Enter') run(offered[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Commands" class="palette" onClose={close}>
      <input
        autofocus
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={offered[chosen] ? `command-${chosen}` : undefined}
        aria-label="Command or session"
        placeholder="A command, or a part of a session's title"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          choose(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="commands" class="commands-list" role="listbox" aria-label="Commands">
        {offered.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
          <div
            key={index}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
            onMouseMove={() => choose(index)}
          >
            <span>{command.name}</span>
            <span class="quiet">{command.hint}</span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

function commands(): readonly Command[] {
  const { session, query } = route.peek()
  const open = (name: OverlayName) => (): void => {
    overlay.value = name
  }
  const canWrite = !abilities.peek().read_only
  const canResume = detail.peek()?.resumable === true
  const ofSession: readonly (Command | false | undefined)[] =
    session === undefined
      ? []
      : [
          chatTask.peek() !== undefined && {
            name: 'Open chat',
            run: () => go(hrefOf({ session, query: { tab: undefined } })),
          },
          canResume && { name: 'Copy the resume command', hint: 'c', run: copyResumeCommand },
          canResume &&
            canWrite &&
            abilities.peek().terminal && { name: 'Resume in a terminal', run: () => void resumeHere() },
          { name: 'Copy link', run: () => copyLink(marked.peek()) },
          { name: 'Find in this session', hint: 'Ctrl F', run: findHere },
          {
            name: query.has('thinking') ? 'Hide thinking' : 'Show thinking',
            run: () => inTranscript({ thinking: query.has('thinking') ? undefined : '1' }),
          },
          {
            name: query.has('system') ? 'Hide system events' : 'Show system events',
            run: () => inTranscript({ system: query.has('system') ? undefined : '1' }),
          },
          { name: 'Hand over to another agent, or fork', run: open('handover') },
          { name: 'Share, with secrets masked', run: open('share') },
          { name: 'Export', hint: 'e', run: open('export') },
          canWrite && { name: listed.peek()?.pinned ? 'Unpin' : 'Pin', hint: 's', run: () => void togglePin() },
          canWrite && { name: 'Name, tags and note', run: open('edit') },
          { name: 'Changes of this session', run: () => go(hrefOf({ session, query: { tab: 'changes' } })) },
          { name: 'Usage of this session', run: () => go(hrefOf({ session, query: { tab: 'usage' } })) },
        ]
  return [
    ...ofSession.flatMap((command) => command || []),
    ...(['sessions', 'search', 'files', 'usage', 'agents'] as const).map((screen) => ({
      name: screen[0]!.toUpperCase() + screen.slice(1),
      hint: 'go to',
      run: () => go(hrefOf({ screen })),
    })),
    { name: 'Keys and help', hint: '?', run: open('help') },
  ]
}

function toSession({ id, title, agent, project }: ListedSession): Command {
  return {
    name: titleOf(title, id),
    hint: [plain(agentTitle(agent)), folderName(project)].filter(Boolean).join(' · '),
    run: () => go(hrefOf({ session: id })),
  }
}

/** Sessions that match: those of the list at once, then those of the server, whatever the list is filtered by. */
function useFound(query: string): readonly ListedSession[] {
  const [answer, setAnswer] = useState<readonly ListedSession[]>([])
  useEffect(() => {
    setAnswer([])
    if (query === '') return
    let isCurrent = true
    const timer = setTimeout(() => {
      getSessions({ words: query, limit: MAX_SESSIONS }).then(
        (page) => isCurrent && setAnswer(page.sessions),
        () => undefined,
      )
    }, DEBOUNCE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [query])
  const near = sessions.peek().filter((session) => matches(toSession(session), wordsOf(query)))
  const known = new Set(near.map(({ id }) => id))
  return [...near, ...answer.filter(({ id }) => !known.has(id))].slice(0, MAX_SESSIONS)
}

function matches({ name, hint = '' }: Command, words: readonly string[]): boolean {
  return words.every((word) => `${name} ${hint}`.toLowerCase().includes(word))
}

/** The transcript, which has what they show; other tabs do not. */
function inTranscript(change: Readonly<Record<string, string | undefined>>): void {
  go(hrefOf({ session: route.peek().session, query: { ...change, tab: 'transcript' } }))
}

function findHere(): void {
  if (tab.peek() !== 'chat' && tab.peek() !== 'transcript') inTranscript({})
  isFinding.value = true
}
