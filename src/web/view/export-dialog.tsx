import type { JSX } from 'preact'
import { address } from '../api/server.ts'
import { Dialog } from './dialog.tsx'

const formats = [
  { format: 'md', name: 'Markdown', what: 'for reading and for a ticket' },
  { format: 'html', name: 'HTML', what: 'one file that needs nothing else' },
  { format: 'jsonl', name: 'JSON Lines', what: 'every event, for programs' },
  { format: 'json', name: 'JSON', what: 'the same in one object' },
]

export function ExportDialog(): JSX.Element {
  return (
    <Dialog title="Export this session">
      <p>
        The session as it is: nothing is masked. To show it to others, use <code>/share</code>.
      </p>
      <ul class="choices">
        {formats.map(({ format, name, what }) => (
          <li key={format}>
            <a href={address(`export?format=${format}`)} download>
              <b>{name}</b> <span class="quiet">{what}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
