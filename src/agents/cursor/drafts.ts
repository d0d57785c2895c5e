import type { Draft } from '../../native/sequencer.ts'
import { messageDrafts } from './messages.ts'
import { bytesOf, type Field, numberOf, rawFields, readMessage, textOf } from './protobuf.ts'
import { SENDER, SPOKEN, STEP, type StoreRecord, THOUGHT, USER, VOICE_CALL } from './records.ts'
import { hookDrafts, toolDrafts } from './tool-drafts.ts'

/** What a record of a store says. */
export function storeDrafts(record: StoreRecord, key: string): readonly Draft[] | undefined {
  switch (record.kind) {
    case 'summary':
      return [{ type: 'compaction', summary: record.text, replaces: [] }]
    case 'user':
      return userDrafts(record.fields, record.text)
    case 'step':
      return stepDrafts(record, key)
    case 'shell':
      return shellDrafts(record.command, record.output)
    case 'message':
      return messageDrafts(record.message, key) ?? [{ type: 'native', record: record.message }]
    case 'unknown':
      return [{ type: 'native', record: { [record.what]: record.raw } }]
  }
}

function userDrafts(fields: readonly Field[], text: string): Draft[] {
  const time = numberOf(fields, USER.startedMs)
  const context = fields.filter((field) => field.number === USER.context)
  const drafts: Draft[] = [{ ...promptDraft(fields, text), time }]
  if (context.length) {
    drafts.push({ type: 'system', subtype: 'selected_context', content: rawFields(context)[USER.context], time })
  }
  return [...drafts, ...hookDrafts(fields, USER.hookContexts)]
}

function promptDraft(fields: readonly Field[], text: string): Draft {
  if (numberOf(fields, USER.simulated)) return { type: 'system', subtype: 'simulated', content: text }
  if (isFromAgent(fields)) return { type: 'system', subtype: 'agent_message', content: text }
  return { type: 'user', content: text }
}

/** Sent by another agent, a bot or a project. In a voice call it is the user who speaks. */
function isFromAgent(fields: readonly Field[]): boolean {
  const sender = bytesOf(fields, USER.sender)
  const kind = sender && numberOf(readMessage(sender), SENDER.kind)
  return Boolean(textOf(fields, USER.sentByAgent)) || (kind !== undefined && kind !== VOICE_CALL)
}

/** What cannot be decoded is kept under its field numbers, since a native event must not contain bytes. */
function stepDrafts({ fields, model }: Extract<StoreRecord, { kind: 'step' }>, key: string): Draft[] {
  try {
    const spoken = bytesOf(fields, STEP.assistant)
    const tool = bytesOf(fields, STEP.tool)
    const thought = bytesOf(fields, STEP.thinking)
    if (tool) return toolDrafts(readMessage(tool), model, key)
    if (spoken) return spokenDrafts(readMessage(spoken))
    if (thought) return thinkingDrafts(readMessage(thought))
  } catch {
    // Kept below.
  }
  return [{ type: 'native', record: { step: rawFields(fields) } }]
}

function spokenDrafts(message: readonly Field[]): Draft[] {
  const text = textOf(message, SPOKEN.text)
  const time = numberOf(message, SPOKEN.startedMs)
  return text ? [{ type: 'assistant', content: [{ type: 'text', text }], time }] : []
}

function thinkingDrafts(message: readonly Field[]): Draft[] {
  const content = textOf(message, THOUGHT.text)
  return content ? [{ type: 'thinking', content, time: numberOf(message, THOUGHT.startedMs) }] : []
}

/** A command that the user ran in the chat: not a prompt. */
function shellDrafts(command: readonly Field[], output: readonly Field[]): Draft[] {
  const drafts: Draft[] = []
  if (command.length) drafts.push({ type: 'system', subtype: 'local_command', content: shortest(command) })
  if (output.length) drafts.push({ type: 'system', subtype: 'local_command_output', content: shortest(output) })
  return drafts
}

/** Only the text where there is nothing else. */
function shortest(fields: readonly Field[]): unknown {
  const raw = rawFields(fields)
  return Object.keys(raw).length === 1 && typeof raw[1] === 'string' ? raw[1] : raw
}
