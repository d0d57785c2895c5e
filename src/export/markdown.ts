import type { Block, IonEvent } from '../events/schema.ts'
import { titleFrom } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import type { Sheet } from './call-view.ts'
import { cleanLine } from './clean.ts'
import type { Survey } from './first-pass.ts'
import { frontMatter, titleOf } from './front-matter.ts'
import { dataSize, dayAndTime, leftOut } from './labels.ts'
import { embedMarkdown, escapeForHtml, escapeMarkdown, fenced, keepLineBreaks, quoted } from './markdown-text.ts'
import { type Call, type Entry, type Result, type TimelineOptions, timelineOf } from './timeline.ts'

const HEADING_LENGTH = 80

/** A document of the session, piece by piece. `events` is the second reading; `survey` came from the first. */
export function* toMarkdown(events: Iterable<IonEvent>, survey: Survey, options: TimelineOptions): Generator<string> {
  yield `${frontMatter(survey)}\n# ${escapeMarkdown(titleOf(survey))}\n`
  for (const scene of timelineOf(events, survey.branches, options)) yield `\n${renderScene(scene)}\n`
  if (survey.branches.others > 0 && options.branch === 'main') {
    yield `\n---\n\n*${leftOut(survey.branches.others)}*\n`
  }
}

function renderScene(scene: Entry): string {
  switch (scene.kind) {
    case 'prompt':
      return renderPrompt(scene)
    case 'answer':
      return bySubAgent(scene.subAgent, scene.blocks.map((block) => renderBlock(block, embedMarkdown)).join('\n\n'))
    case 'thinking':
      return details('<em>Thinking</em>', quoted(embedMarkdown(scene.text)))
    case 'call':
      return renderCall(scene.call, scene.subAgent)
    case 'late-result':
      return details(
        `<em>Result of an earlier call${scene.result.isError ? ' (failed)' : ''}</em>`,
        renderResult(scene.result),
      )
    case 'compaction':
      return `---\n\n${details('<em>The conversation was summarised here; this is what the model went on with</em>', quoted(embedMarkdown(scene.summary)))}\n\n---`
    case 'system':
      return details(`<em>${escapeForHtml(cleanLine(scene.name, 80))}</em>`, renderSheet(scene.sheet))
    case 'end':
      return `---\n\n*Session ended: ${scene.reason}.*${scene.summary ? `\n\n${quoted(embedMarkdown(scene.summary))}` : ''}`
    case 'branch':
      return scene.main ? '---\n\n*Back on the main branch.*' : '---\n\n*Another branch, which was left behind:*'
  }
}

/** The prompt's first line is the heading; the whole prompt follows unless that was all of it. */
function renderPrompt(scene: Extract<Entry, { kind: 'prompt' }>): string {
  const text = contentText([...scene.blocks])
  const line = cleanLine(titleFrom(text) ?? '', HEADING_LENGTH)
  const heading = `## ${scene.number}. ${escapeMarkdown(line) || '(empty)'}`
  const when = `*${dayAndTime(scene.time)}${scene.subAgent ? `, to the sub-agent ${escapeMarkdown(scene.subAgent)}` : ''}*`
  const body =
    text.trim() === line
      ? []
      : [
          quoted(
            scene.blocks
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
  const parts = call.sheets.map(renderSheet)
  if (!call.result) parts.push('*No result.*')
  else parts.push(`${call.result.isError ? '**Error**' : '**Result**'}\n\n${renderResult(call.result)}`)
  return details(line.trim(), parts.join('\n\n'))
}

function renderResult({ blocks }: Result): string {
  const parts = blocks.map((block) => renderBlock(block, (text) => (text.trim() === '' ? '*(empty)*' : fenced(text))))
  return parts.length > 0 ? parts.join('\n\n') : '*(empty)*'
}

function renderSheet({ language, text }: Sheet): string {
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
