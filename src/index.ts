/** The library: `import { listSessions, readSession } from '@ion-cli/ion'`. See docs/library.md. */

export type { DataPath } from './agents/agent.ts'
export type { ResumeLevel } from './agents/level.ts'
export type { Role } from './agents/passage.ts'
export type { SourceError } from './catalog/catalog.ts'
export type { SearchHit, SearchResult } from './catalog/search/query.ts'
export type { SessionRow } from './catalog/session-row.ts'
export type {
  AssistantEvent,
  Block,
  CompactionEvent,
  Content,
  EventOf,
  EventType,
  FileBlock,
  ImageBlock,
  IonEvent,
  ModelCall,
  NativeEvent,
  SessionEnd,
  SessionStart,
  SystemEvent,
  TextBlock,
  ThinkingEvent,
  TokenUsage,
  ToolResultEvent,
  ToolUseEvent,
  UserEvent,
} from './events/event.ts'
export { FORMAT_VERSION } from './events/format-version.ts'
export { isProblem, type Problem, type ProblemCode, type SessionItem as Item, type Span } from './events/item.ts'
export type { EventSchema } from './events/schema.ts'
export { contentText, eventText } from './events/text.ts'
export { type Agent, agents } from './library/agents.ts'
export { type EventSchemas, loadEventSchema } from './library/event-schema.ts'
export {
  type ExportSessionOptions,
  exportSession,
  type ShareSessionOptions,
  shareSession,
} from './library/export-session.ts'
export { type ListOptions, listSessions } from './library/list-sessions.ts'
export type { FilterOptions, Options } from './library/options.ts'
export { type ResumeCommand, type ResumeCommandOptions, resumeCommand } from './library/resume-command.ts'
export { type SearchOptions, search } from './library/search.ts'
export { type IndexOptions, type ReadOptions, readSession, type SessionReference } from './library/session.ts'
export { explainUsage, type UsageOptions, usage } from './library/usage.ts'
export { type ErrorKind, IonError } from './platform/error.ts'
export type { Io } from './platform/io.ts'
export type { ExplainedCall, ExplainedRecord, Explanation } from './usage/explain.ts'
export type { Block as UsageBlock, UsageBy, UsageReport, UsageRow, UsageSums } from './usage/report.ts'
