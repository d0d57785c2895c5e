import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import { announcement, notice } from '../../state/page.ts'
import { lazy } from '../../text/lazy.ts'
import { ErrorBoundary } from '../../view/error-boundary.tsx'
import { Icon, Tool } from '../../view/icons.tsx'
import { useClock } from '../../view/use-clock.ts'
import { titleOf } from '../labels.ts'
import { connection, retryNow } from '../state/changes.ts'
import { overlay } from '../state/overlay.ts'
import { hrefOf, route, type Screen } from '../state/route.ts'
import { listed } from '../state/session.ts'
import { FilterBar } from './filter-bar.tsx'
import { onKeyDown } from './keys.ts'
import { Sessions } from './sessions.tsx'

const screens = lazy(() => import('./screens.tsx'))
const dialogs = lazy(() => import('./dialogs.tsx'))

const places: readonly { readonly screen: Screen; readonly label: string }[] = [
  { screen: 'sessions', label: 'Sessions' },
  { screen: 'search', label: 'Search' },
  { screen: 'files', label: 'Files' },
  { screen: 'usage', label: 'Usage' },
  { screen: 'agents', label: 'Agents' },
]

export function Shell(): JSX.Element {
  const { screen, session } = route.value
  useEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  // Whoever opens the palette types at once.
  useEffect(() => {
    const timer = setTimeout(() => dialogs.use(), 1000)
    return () => clearTimeout(timer)
  }, [])
  useEffect(
    () =>
      effect(() => {
        const { screen, session } = route.value
        const place = places.find((one) => one.screen === screen)!.label
        const title = session === undefined ? place : titleOf(listed.value?.title ?? null, session)
        document.title = `${title.slice(0, 80)} · Ion`
      }),
    [],
  )
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <header class={`top${session === undefined ? '' : ' has-session'}`}>
        <a class="brand" href={hrefOf({ screen: 'sessions' })} aria-label="Ion: all sessions">
          <Icon name="ion" />
          <span>Ion</span>
        </a>
        <nav class="screens" aria-label="Screens">
          {places.map((place) => (
            <a
              key={place.screen}
              href={hrefOf({ screen: place.screen })}
              aria-current={place.screen === screen ? 'page' : undefined}
            >
              {place.label}
            </a>
          ))}
        </nav>
        <FilterBar />
        <div class="tools">
          <Tool
            icon="command"
            label="Command palette"
            title="Commands (Ctrl K)"
            onClick={() => (overlay.value = 'palette')}
          />
          <Tool icon="help" label="Help" title="Keys and help (?)" onClick={() => (overlay.value = 'help')} />
        </div>
      </header>
      <Banner />
      <main id="content" tabIndex={-1}>
        <ErrorBoundary key={screen}>
          {screen === 'sessions' ? <Sessions /> : <OtherScreen screen={screen} />}
        </ErrorBoundary>
      </main>
      <Overlay />
      <div class="unseen" role="status" aria-live="polite">
        {announcement}
      </div>
    </>
  )
}

function skip(): void {
  document.getElementById('content')?.focus()
}

function OtherScreen({ screen }: { readonly screen: Exclude<Screen, 'sessions'> }): JSX.Element | null {
  const Shown = screens.use()?.screens[screen]
  return Shown ? <Shown /> : null
}

function Overlay(): JSX.Element | null {
  const Opened = overlay.value && dialogs.use()?.dialogs[overlay.value]
  return Opened ? <Opened /> : null
}

/** What the reader should know: a lost connection, or how an action ended. */
function Banner(): JSX.Element | null {
  const { value: now } = connection
  if (now.state === 'lost') return <Lost retryAt={now.retryAt} />
  if (now.state === 'refused') {
    return (
      <p class="banner bad">
        This page is not signed in any more. Type <code>ion web</code> in a terminal and open the link that it prints.
      </p>
    )
  }
  if (!notice.value) return null
  return (
    <div class={`banner ${notice.value.isError ? 'bad' : ''}`}>
      <span>{plain(notice.value.text)}</span>
      <Tool icon="close" label="Dismiss" class="small" onClick={() => (notice.value = undefined)} />
    </div>
  )
}

function Lost({ retryAt }: { readonly retryAt: number }): JSX.Element {
  const left = Math.max(0, Math.ceil((retryAt - useClock()) / 1000))
  return (
    <div class="banner bad">
      <span>
        The connection to <code>ion web</code> is lost. {left > 0 ? `Trying again in ${left} s.` : 'Trying again…'}
      </span>
      <button type="button" class="plain" onClick={retryNow}>
        Try now
      </button>
    </div>
  )
}
