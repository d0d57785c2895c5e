import type { JSX } from 'preact'
import { route } from '../state/route.ts'
import { SessionList } from './session-list.tsx'
import { SessionView } from './session-view.tsx'

/** The list, and the open session beside it; narrow pages show one of them. */
export function Sessions(): JSX.Element {
  const { session } = route.value
  return (
    <div class={session === undefined ? 'split' : 'split has-session'}>
      <SessionList />
      {session === undefined ? <Welcome /> : <SessionView key={session} id={session} />}
    </div>
  )
}

function Welcome(): JSX.Element {
  return (
    <section class="session nothing" aria-label="No session is open">
      <div>
        <h1 class="unseen">Sessions</h1>
        <p>Choose a session to read it here.</p>
        <dl class="keys-hint">
          <dt>
            <kbd>[</kbd> <kbd>]</kbd>
          </dt>
          <dd>previous and next session</dd>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>search all sessions</dd>
          <dt>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </dt>
          <dd>go anywhere, do anything</dd>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>all keys</dd>
        </dl>
      </div>
    </section>
  )
}
