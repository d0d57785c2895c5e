import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Machine } from './run-ion.ts'

export interface MadeSession {
  readonly id: string
  readonly cwd?: string
  readonly model?: string
  readonly prompt?: string
  readonly answer?: string
  /** A tool's name, input and output. */
  readonly tool?: { readonly name: string; readonly input: unknown; readonly output: string }
}

export function claudeFile({ home }: Machine, id: string): string {
  return join(home, '.claude/projects/-made', `${id}.jsonl`)
}

/** The lines of a session as Claude Code writes them. */
export function claudeLines(session: MadeSession): string[] {
  const { id, cwd = '/made', model = 'm', prompt = 'prompt', answer = 'answer', tool } = session
  const records: object[] = [{ type: 'user', message: { role: 'user', content: prompt } }]
  const assistant = (content: object): object => ({
    type: 'assistant',
    message: { id: `m${records.length}`, role: 'assistant', model, content: [content] },
  })
  if (tool) {
    records.push(assistant({ type: 'tool_use', id: 't1', name: tool.name, input: tool.input }))
    const result = { type: 'tool_result', tool_use_id: 't1', content: tool.output }
    records.push({ type: 'user', message: { role: 'user', content: [result] } })
  }
  records.push(assistant({ type: 'text', text: answer }))
  return records.map((record, n) =>
    JSON.stringify({
      ...record,
      uuid: `u${n}`,
      parentUuid: n ? `u${n - 1}` : null,
      timestamp: `2026-11-15T12:00:0${n}.000Z`,
      sessionId: id,
      cwd,
      version: '2.1.325',
    }),
  )
}

export function writeClaude(where: Machine, session: MadeSession): string {
  const path = claudeFile(where, session.id)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${claudeLines(session).join('\n')}\n`)
  return path
}
