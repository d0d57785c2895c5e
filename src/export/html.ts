import type { Block, IonEvent } from '../events/schema.ts'
import { formatCount } from '../platform/format-count.ts'
import type { CodeBlock } from './call-view.ts'
import { cleanLine } from './clean.ts'
import type { FirstPass } from './first-pass.ts'
import type { FolderLinks } from './folder-order.ts'
import { factsOf, titleOf } from './front-matter.ts'
import { htmlHead } from './html-head.ts'
import { folderPageStyle, style } from './html-style.ts'
import { codeBlock, diffBlock, markdownToHtml, safeUrl } from './html-text.ts'
import { counted, dataSize, dayAndTime, leftOut } from './labels.ts'
import { escapeForHtml } from './markdown-text.ts'
import { type Call, type Entry, type Result, type TimelineOptions, timelineOf } from './timeline.ts'

/** Image types that cannot contain scripts, unlike SVG. */
const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** Sub-agents that a page links to; the index has all. */
const MAX_LINKED = 20
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/

/**
 * One self-contained, inert file: no scripts, nothing fetched, and a content security policy that forbids both. Piece by piece; `events` is the second pass, `facts` came from the first. With `links` it is a page of a folder with an index.
 */
export function* toHtml(
  events: Iterable<IonEvent>,
  facts: FirstPass,
  options: TimelineOptions,
  links?: FolderLinks,
): Generator<string> {
  yield head(facts, links)
  for (const entry of timelineOf(events, facts.branches, options)) yield entry ? `${renderEntry(entry)}\n` : ''
  const { others } = facts.branches
  const left = options.branch === 'main' && others > 0 ? ` ${leftOut(others)}` : ''
  yield `${links ? folderLinks(links, 'Also in this folder') : ''}<footer>Exported by Ion.${left}</footer>\n</body>\n</html>\n`
}

function head(facts: FirstPass, links: FolderLinks | undefined): string {
  const title = titleOf(facts)
  return `${htmlHead({ title, style: links ? style + folderPageStyle : style, policy: 'img-src data:' })}<header>
${links ? folderLinks(links, 'Folder') : ''}<h1>${escapeForHtml(title)}</h1>
<p>${byline(facts)}</p>
<details><summary>About this session</summary><dl>${factList(facts)}</dl></details>
${links ? subAgentLinks(links.subAgents) : ''}${contents(facts)}</header>
`
}

/** Without the titles of the other sessions: of a masked one the title is known only when all of it was read. */
function folderLinks({ index, newer, older, parent }: FolderLinks, label: string): string {
  const parts = [
    folderLink(index, 'All sessions'),
    folderLink(parent, 'Parent session'),
    folderLink(newer, 'Newer'),
    folderLink(older, 'Older'),
  ]
  return `<nav class="folder" aria-label="${label}">${parts.filter((part) => part !== '').join('\n')}</nav>\n`
}

function subAgentLinks(subAgents: readonly string[]): string {
  if (subAgents.length === 0) return ''
  const links = subAgents.slice(0, MAX_LINKED).map((href, place) => folderLink(href, `Sub-agent ${place + 1}`))
  return `<nav class="folder below" aria-label="Sub-agents">${links.join('\n')}</nav>\n`
}

function folderLink(href: string | undefined, text: string): string {
  return href === undefined ? '' : `<a href="${href}">${text}</a>`
}

function byline({ start, model, created_at, messages, tool_calls }: FirstPass): string {
  const when = created_at ?? start?.timestamp
  const parts = [
    start?.agent,
    model ?? start?.model,
    when && dayAndTime(when),
    counted(messages, 'message'),
    counted(tool_calls, 'tool call'),
  ]
  return parts.flatMap((part) => (part ? [escapeForHtml(cleanLine(part, 80))] : [])).join(' · ')
}

function factList(facts: FirstPass): string {
  return factsOf(facts)
    .map(([name, value]) => {
      const text = textOf(value)
      return `<dt>${escapeForHtml(name.replaceAll('_', ' '))}</dt><dd>${escapeForHtml(cleanLine(text, 500))}</dd>`
    })
    .join('\n')
}

function textOf(value: ReturnType<typeof factsOf>[number][1]): string {
  if (value === true) return 'yes'
  if (typeof value === 'number') return formatCount(value)
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.join(', ')
  return Object.entries(value)
    .map(([key, count]) => `${formatCount(count)} ${key.replaceAll('_', ' ')}`)
    .join(', ')
}

/** A table of contents, if there are enough prompts. */
function contents({ prompts }: FirstPass): string {
  if (prompts.length < 3) return ''
  const items = prompts.map((line, index) => {
    return `<li><a href="#turn-${index + 1}">${escapeForHtml(cleanLine(line, 90)) || '(empty)'}</a></li>`
  })
  return `<nav><details><summary>${prompts.length} prompts</summary><ol>${items.join('\n')}</ol></details></nav>\n`
}

function renderEntry(entry: Entry): string {
  const html = renderBody(entry)
  return 'subAgent' in entry && entry.subAgent ? `<div class="sub">${html}</div>` : html
}

function renderBody(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return renderPrompt(entry)
    case 'answer':
      return `<section class="answer">${who(entry.subAgent)}${renderBlocks(entry.blocks, prose)}</section>`
    case 'thinking':
      return fold('<i>Thinking</i>', prose(entry.text))
    case 'call':
      return renderCall(entry.call, entry.subAgent)
    case 'late-result':
      return fold(`<i>Result of an earlier call</i>${failed(entry.result)}`, renderResult(entry.result))
    case 'compaction':
      return `<p class="note">conversation summarised</p>${fold('<i>What the model continued with</i>', prose(entry.summary))}`
    case 'system':
      return fold(`<i>${escapeForHtml(cleanLine(entry.name, 80))}</i>`, renderCode(entry.code))
    case 'end':
      return `<p class="note">session ended: ${entry.reason}</p>${entry.summary ? prose(entry.summary) : ''}`
    case 'branch':
      return `<p class="note">${entry.main ? 'back on the main branch' : 'another branch, which was left behind'}</p>`
  }
}

/** Line breaks are kept in prompts, but not in answers. */
function renderPrompt(entry: Extract<Entry, { kind: 'prompt' }>): string {
  const anchor = `turn-${entry.number}`
  const to = entry.subAgent ? ` to ${escapeForHtml(cleanLine(entry.subAgent, 60))}` : ''
  const body = renderBlocks(entry.blocks, (text) => markdownToHtml(text, { breaks: true }))
  return `<section class="prompt" id="${anchor}"><h2><a href="#${anchor}">${entry.number}${to}</a><span>${dayAndTime(entry.time)}</span></h2>${body}</section>`
}

function renderCall(call: Call, subAgent: string | undefined): string {
  const name = `${who(subAgent)}<b>${escapeForHtml(cleanLine(call.name, 60))}</b>`
  const summary = call.summary === '' ? '' : ` <code>${escapeForHtml(call.summary)}</code>`
  const result = call.result
    ? `<h3>${call.result.isError ? 'Error' : 'Result'}</h3>${renderResult(call.result)}`
    : '<h3>No result</h3>'
  return fold(`${name}${failed(call.result)}${summary}`, call.blocks.map(renderCode).join('') + result)
}

function who(subAgent: string | undefined): string {
  return subAgent ? `<i>${escapeForHtml(cleanLine(subAgent, 40))}</i> ` : ''
}

function failed(result: Result | undefined): string {
  return result?.isError ? ' <span class="bad">failed</span>' : ''
}

function renderResult({ blocks }: Result): string {
  return renderBlocks(blocks, (text) => (text.trim() === '' ? '<p>(empty)</p>' : codeBlock(text)))
}

function renderCode({ language, text }: CodeBlock): string {
  return language === 'diff' ? diffBlock(text) : codeBlock(text)
}

function renderBlocks(blocks: readonly Block[], text: (text: string) => string): string {
  return blocks.map((block) => (block.type === 'text' ? text(block.text) : renderMedia(block))).join('')
}

function renderMedia(block: Exclude<Block, { type: 'text' }>): string {
  if (block.type === 'file') return `<p>File: <code>${escapeForHtml(cleanLine(block.path, 300))}</code></p>`
  const kind = block.media_type ?? ''
  if (block.data && imageTypes.has(kind) && BASE64.test(block.data)) {
    return `<img alt="image" src="data:${kind};base64,${block.data.replace(/\s+/g, '')}">`
  }
  const url = block.url && safeUrl(block.url)
  const what = [cleanLine(kind, 60), block.data ? dataSize(block.data) : '', url ?? ''].filter((part) => part !== '')
  return `<p>[image${what.length > 0 ? `: ${escapeForHtml(what.join(', '))}` : ''}]</p>`
}

function prose(text: string): string {
  return markdownToHtml(text, { breaks: false })
}

function fold(summary: string, body: string): string {
  return `<details class="fold"><summary>${summary}</summary>${body}</details>`
}
