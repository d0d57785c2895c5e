import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { count } from '../text/labels.ts'
import { CopyButton } from './copy-button.tsx'
import { grow } from './open-rows.ts'

/** Shown at first. */
const FIRST_LINES = 300

export function countChanges(diff: string): { readonly added: number; readonly removed: number } {
  const kinds = diff.split('\n').map(kindOf)
  return {
    added: kinds.filter((kind) => kind === 'ins').length,
    removed: kinds.filter((kind) => kind === 'del').length,
  }
}

export function DiffBlock({ text }: { readonly text: string }): JSX.Element {
  const [isExpanded, setExpanded] = useState(false)
  const showMore = (): void => {
    grow()
    setExpanded(true)
  }
  const lines = text.split('\n')
  const shown = isExpanded ? lines : lines.slice(0, FIRST_LINES)
  return (
    <div class="code diff">
      <div class="code-head">
        <span>diff</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>
        <code>
          {shown.map((line, index) => (
            <span key={index} class={`line ${kindOf(line)}`}>
              {line === '' ? '\n' : `${line}\n`}
            </span>
          ))}
        </code>
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="more" onClick={showMore}>
          Show {count(lines.length - shown.length, 'more line', 'more lines')}
        </button>
      )}
    </div>
  )
}

function kindOf(line: string): 'ins' | 'del' | 'place' | 'same' {
  if (/^(?:@@|\*\*\* |diff --git |index |--- |\+\+\+ )/.test(line)) return 'place'
  if (line.startsWith('+')) return 'ins'
  return line.startsWith('-') ? 'del' : 'same'
}
