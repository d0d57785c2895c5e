import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import type { FilesLine } from '../../../server/browse/contract.ts'
import { count } from '../../text/labels.ts'
import { countChanges } from '../../view/diff-block.tsx'
import { Fold } from '../../view/fold.tsx'
import { fileLines } from '../api.ts'
import { ageLabel, titleOf } from '../labels.ts'
import { withTilde } from '../state/abilities.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { agentTitle, filters, projectTitle } from '../state/sessions.ts'
import { FileEdits } from './file-edits.tsx'
import { useLines } from './use-lines.ts'

/** Which sessions touched a file, newest first, with the exact edits. */
export function FilesScreen(): JSX.Element {
  const { query } = route.value
  const path = query.get('path') ?? ''
  const [agent, project, since] = ['agent', 'project', 'since'].map((name) => query.get(name) ?? undefined)
  const projects = filters.value?.projects ?? []
  const complete = completePath(path, project ?? (projects.length === 1 ? projects[0]!.path : undefined))
  const field = useRef<HTMLInputElement>(null)
  const { lines, isDone, error } = useLines<FilesLine>(
    (signal) => fileLines({ path: complete, agent, project, since }, signal),
    complete === undefined ? undefined : JSON.stringify([complete, agent, project, since]),
  )
  const found = lines.flatMap((line) => ('session' in line ? [line] : []))
  return (
    <div class="pane">
      <h1 class="unseen">Files</h1>
      <form
        class="path-form"
        onSubmit={(event) => {
          event.preventDefault()
          go(hrefOf({ screen: 'files', query: { path: field.current?.value.trim() } }))
        }}
      >
        <label for="path">File</label>
        <input
          key={path}
          ref={field}
          id="path"
          type="text"
          defaultValue={path}
          placeholder="A file or folder"
          spellcheck={false}
          autocomplete="off"
        />
        <button type="submit" class="primary">
          Show sessions
        </button>
      </form>
      {path === '' && (
        <div class="empty-tab">
          <p>Which sessions edited this file, and how?</p>
          <p class="quiet">From the inputs of the agents' tools. What commands did to files is not in it.</p>
        </div>
      )}
      {path !== '' && complete === undefined && (
        <div class="empty-tab">
          <p>In which project is it?</p>
          <p class="choose">
            {projects.slice(0, 12).map((one) => (
              <a
                key={one.path}
                class="button"
                title={plain(one.path)}
                href={hrefOf({ screen: 'files', query: { project: one.path } })}
              >
                {projectTitle(one.path)}
              </a>
            ))}
          </p>
          <p class="quiet">Or give the complete path.</p>
        </div>
      )}
      {complete !== undefined && (
        <p class="explain">
          {isDone ? foundText(found) : 'Looking through the sessions…'}
          {found.length > 0 && ', newest first. From the transcripts: edits may have been undone since.'}
        </p>
      )}
      {error && <p class="bad">{plain(error)}</p>}
      {found.map(({ session, path: file, edits }, index) => {
        const changes = edits.map(({ diff }) => countChanges(diff))
        return (
          <section key={`${session.id} ${file}`} class="touched">
            <Fold
              id={`file ${session.id} ${file}`}
              isOpenFirst={index === 0}
              line={
                <>
                  <b>{titleOf(session.title, session.id)}</b>
                  <code class="what">{plain(withTilde(file))}</code>
                  <span class="state">
                    {plain(agentTitle(session.agent))} · {ageLabel(session.updated_at, Date.now())}
                  </span>
                  <span class="changes">
                    <span class="ins">+{changes.reduce((sum, { added }) => sum + added, 0)}</span>{' '}
                    <span class="del">−{changes.reduce((sum, { removed }) => sum + removed, 0)}</span>
                  </span>
                </>
              }
            >
              {() => <FileEdits session={session.id} edits={edits} />}
            </Fold>
          </section>
        )
      })}
      {isDone && !error && complete !== undefined && found.length === 0 && (
        <p class="empty-tab">
          No session edited <code>{plain(withTilde(complete))}</code>, as far as the transcripts say.
        </p>
      )}
    </div>
  )
}

/** A session is in a row for each file. */
function foundText(found: readonly { readonly session: { readonly id: string }; readonly path: string }[]): string {
  const sessions = count(new Set(found.map(({ session }) => session.id)).size, 'session', 'sessions')
  const files = new Set(found.map(({ path }) => path)).size
  return files > 1 ? `${sessions}, ${count(files, 'file', 'files')}` : sessions
}

/** Agents store complete paths. A relative one is that of a project; undefined if it could be of any. */
function completePath(path: string, project: string | undefined): string | undefined {
  if (path === '') return undefined
  if (/^(?:[\\/~]|[a-z]:)/i.test(path)) return path
  return project === undefined ? undefined : `${project.replace(/[\\/]+$/, '')}/${path}`
}
