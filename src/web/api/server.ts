import { type HandoverTarget, type Message, messageOf, type SearchMatch, type Status } from './contract.ts'
import { Refused, refusal } from './refused.ts'

/** The page is at `<base>/embed` and the endpoints beside `<base>`, whatever prefix a proxy adds. */
let base = '../'

/** Where the endpoints are instead. */
export function setServer(path: string): void {
  base = path
}

const root = (): URL => new URL(base, document.baseURI)

export function address(path: string): string {
  return new URL(path, root()).href
}

/** The status, and the time on the server's clock. */
export async function getStatus(): Promise<{ readonly status: Status; readonly time: number }> {
  const response = await answered('status')
  return { status: (await response.json()) as Status, time: Date.parse(response.headers.get('date') ?? '') }
}

/** The last `limit` messages, or the last ones before an id. */
export async function getMessages(limit: number, before?: number): Promise<Message[]> {
  const query = `full=true&limit=${limit}${before === undefined ? '' : `&before=${before}`}`
  const { messages } = (await json(`messages?${query}`)) as { readonly messages?: readonly unknown[] }
  return (messages ?? []).flatMap((one) => messageOf(one) ?? []).sort((a, b) => a.id - b.id)
}

/** One message with its results in full. */
export async function getMessage(id: number): Promise<Message | undefined> {
  return messageOf(await json(`messages/${id}`))
}

/** `raw` types keys into the agent's terminal; `user` is a prompt and is refused while the agent works. */
export async function sendMessage(content: string, type: 'user' | 'raw'): Promise<void> {
  await answered('message', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content, type }),
  })
}

export async function interrupt(): Promise<void> {
  await answered('interrupt', { method: 'POST' })
}

/** 409 if the agent no longer asks this. */
export async function answerQuestion(question: string, choice: string): Promise<void> {
  await answered('answer', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question, choice, by: 'page' }),
  })
}

/** Starts an agent that has ended again. Returns when it runs. */
export async function startAgent(): Promise<void> {
  await answered('start', { method: 'POST' })
}

/** Returns the path where the agent finds the file. */
export async function upload(file: File): Promise<string> {
  const body = new FormData()
  body.append('file', file, file.name || 'pasted')
  const { filePath } = (await json('upload', { method: 'POST', body })) as { readonly filePath: string }
  return filePath
}

export async function getShare(): Promise<string> {
  return (await answered('share')).text()
}

/** The agents in which the session can be continued; none if the server is not Ion's. */
export async function getHandoverTargets(): Promise<readonly HandoverTarget[]> {
  const { targets } = (await json('handover')) as { readonly targets?: readonly HandoverTarget[] }
  return targets ?? []
}

export async function search(query: string): Promise<SearchMatch[]> {
  return (await json(`search?${new URLSearchParams({ q: query })}`)) as SearchMatch[]
}

async function json(path: string, init?: RequestInit): Promise<unknown> {
  return (await answered(path, init)).json()
}

async function answered(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(address(path), init).catch((): never => {
    throw new Refused(0, 'The server does not answer.')
  })
  if (!response.ok) throw await refusal(response)
  return response
}
