import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** Opening the page with the token lets the server set its cookie; no script keeps the token. */
export function TokenForm(): JSX.Element {
  const [token, setToken] = useState('')
  const open = (event: Event): void => {
    event.preventDefault()
    const page = new URL(location.href)
    page.searchParams.set('token', token.trim())
    location.assign(page)
  }
  return (
    <form class="status-line asks token" onSubmit={open}>
      <label for="token">
        This page needs its token. Open the address that <code>ion serve</code> printed, or enter its token.
      </label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        required
        value={token}
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <button type="submit" class="plain">
        Use token
      </button>
    </form>
  )
}
