import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { getShare } from '../api/server.ts'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

export function ShareDialog(): JSX.Element {
  const [text, setText] = useState<string>()
  const [wrong, setWrong] = useState<string>()
  useEffect(() => {
    getShare().then(setText, (error: Error) => setWrong(error.message))
  }, [])
  return (
    <Dialog title="Share this session">
      <p>
        The session as Markdown, with secrets, home paths and e-mail addresses masked. Nothing has left this machine;
        read it before you pass it on.
      </p>
      {wrong && <p class="bad">{wrong}</p>}
      {text === undefined && !wrong && <p class="quiet">Masking…</p>}
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

function Download({ text }: { readonly text: string }): JSX.Element {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return (
    <a class="button" href={url} download="session.md">
      Download
    </a>
  )
}
