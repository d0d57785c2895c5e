export const documentFormats = ['md', 'html', 'jsonl', 'json'] as const

export type DocumentFormat = (typeof documentFormats)[number]

export function isDocumentFormat(text: string): text is DocumentFormat {
  return (documentFormats as readonly string[]).includes(text)
}

export interface OpenDocument {
  readonly body: ReadableStream
  readonly type: string
  /** For a file of it. */
  readonly name: string
  close(): void
}

/**
 * Documents and lists that take long to make: reading and masking a large session keeps a processor busy for seconds,
 * so they are made elsewhere, not in the process that answers everybody.
 */
export interface Documents {
  /** `share` is redacted Markdown. Undefined when too many are being made already. */
  open(kind: DocumentFormat | 'share', sessionId: string): Promise<OpenDocument | undefined>
  /** The agent's sessions in this project, the newest first. */
  sessions(): Promise<readonly SessionEntry[]>
}

export interface SessionEntry {
  readonly id: string
  readonly title: string | null
  readonly updated_at: string | null
  readonly messages: number
}
