import type { AssistantMessage, ToolCall } from '../write.ts'

export interface AnswerStep {
  /** Empty for calls without a text before them. */
  readonly text: string
  readonly calls: readonly ToolCall[]
}

/**
 * An answer for an agent whose messages have one text, then calls: each text with the calls that follow it. The results of a
 * step belong before the next step, since providers want them right behind their calls.
 */
export function answerSteps(content: AssistantMessage['content']): AnswerStep[] {
  const steps: { text: string; calls: ToolCall[] }[] = []
  for (const block of content) {
    if (block.type === 'text') steps.push({ text: block.text, calls: [] })
    else if (steps.length === 0) steps.push({ text: '', calls: [block] })
    else steps.at(-1)!.calls.push(block)
  }
  return steps
}
