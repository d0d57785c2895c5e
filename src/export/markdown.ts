import type { Block, IonEvent } from '../events/schema.ts'
import { titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import type { CodeBlock } from './call-view.ts'
import { cleanLine } from './clean.ts'
import type { FirstPass } from './first-pass.ts'
import { frontMatter, titleOf } from './front-matter.ts'
import { dataSize, dayAndTime, leftOut } from './labels.ts'
import { embedMarkdown, escapeForHtml, escapeMarkdown, fenced, keepLineBreaks, quoted } from './markdown-text.ts'
import { type Call, type Entry, type Result, type TimelineOptions, timelineOf } from './timeline.ts'

const HEADING_LENGTH = 80

/** A document of the session, piece by piece. `events` is the second pass; `facts` came from the first. */
export function* toMarkdown(events: Iterable<IonEvent>, facts: FirstPass, options: TimelineOptions): Generator<string> {
  yield `${frontMatter(facts)}\n# ${escapeMarkdown(titleOf(facts))}\n`
  for (const entry of timelineOf(events, facts.branches, options)) yield entry ? `\n${renderEntry(entry)}\n` : ''
  if (facts.branches.others > 0 && options.branch === 'main') {
    yield `\n---\n\n*${leftOut(facts.branches.others)}*\n`
  }
}

function renderEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return renderPrompt(entry)
    case 'answer':
      return bySubAgent(entry.subAgent, entry.blocks.map((block) => renderBlock(block, embedMarkdown)).join('\n\n'))
    case 'thinking':
      return details('<em>Thinking</em>', quoted(embedMarkdown(entry.text)))
    case 'call':
      return renderCall(entry.call, entry.subAgent)
    case 'late-result':
      return details(
        `<em>Result of an earlier call${entry.result.isError ? ' (failed)' : ''}</em>`,
        renderResult(entry.result),
      )
    case 'compaction':
      return `---\n\n${details('<em>The conversation was summarised here; this is what the model continued with</em>', quoted(embedMarkdown(entry.summary)))}\n\n---`
    case 'system':
      return details(`<em>${escapeForHtml(cleanLine(entry.name, 80))}</em>`, renderCode(entry.code))
    case 'end':
      return `---\n\n*Session ended: ${entry.reason}.*${entry.summary ? `\n\n${quoted(embedMarkdown(entry.summary))}` : ''}`
    case 'branch':
      return entry.main ? '---\n\n*Back on the main branch.*' : '---\n\n*Another branch, which was left behind:*'
  }
}

/** The prompt's first line is the heading; the whole prompt follows unless that was all of it. */
function renderPrompt(entry: Extract<Entry, { kind: 'prompt' }>): string {
  const text = contentText([...entry.blocks])
  const line = cleanLine(titleFrom(text) ?? '', HEADING_LENGTH)
  const heading = `## ${entry.number}. ${escapeMarkdown(line) || '(empty)'}`
  const when = `*${dayAndTime(entry.time)}${entry.subAgent ? `, to the sub-agent ${escapeMarkdown(entry.subAgent)}` : ''}*`
  const body =
    text.trim() === line
      ? []
      : [
          quoted(
            entry.blocks
              .map((block) => renderBlock(block, (part) => keepLineBreaks(embedMarkdown(part.trim()))))
              .join('\n\n'),
          ),
        ]
  return [heading, when, ...body].join('\n\n')
}

function renderCall(call: Call, subAgent: string | undefined): string {
  const who = subAgent ? `${escapeForHtml(cleanLine(subAgent, 40))} › ` : ''
  const failed = call.result?.isError ? ' — failed' : ''
  const line = `${who}<code>${escapeForHtml(cleanLine(call.name, 60))}</code> ${escapeForHtml(call.summary)}${failed}`
  const parts = call.blocks.map(renderCode)
  if (!call.result) parts.push('*No result.*')
  else parts.push(`${call.result.isError ? '**Error**' : '**Result**'}\n\n${renderResult(call.result)}`)
  return details(line.trim(), parts.join('\n\n'))
}

function renderResult({ blocks }: Result): string {
  const parts = blocks.map((block) => renderBlock(block, (text) => (text.trim() === '' ? '*(empty)*' : fenced(text))))
  return parts.length > 0 ? parts.join('\n\n') : '*(empty)*'
}

function renderCode({ language, text }: CodeBlock): string {
  return fenced(text, language)
}

function renderBlock(block: Block, text: (text: string) => string): string {
  if (block.type === 'text') return text(block.text)
  if (block.type === 'file') return `*File: ${escapeMarkdown(cleanLine(block.path, 300))}*`
  const kind = escapeMarkdown(cleanLine(block.media_type ?? 'image', 60))
  if (block.data) return `*Image (${kind}, ${dataSize(block.data)})*`
  return `*Image (${kind})${block.url ? `: ${escapeMarkdown(cleanLine(block.url, 300))}` : ''}*`
}

function bySubAgent(subAgent: string | undefined, text: string): string {
  return subAgent ? quoted(`**Sub-agent ${escapeMarkdown(cleanLine(subAgent, 60))}**\n\n${text}`) : text
}

/** A blank line around the body, so that it is read as markdown. */
function details(summary: string, body: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>`
}
