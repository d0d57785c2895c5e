import { createConnection, type Socket } from 'node:net'
import { IonError, messageOf } from '../platform/error.ts'
import type { HostFile } from './file.ts'
import type { HostAnswer } from './host.ts'
import { type Frame, messageFrame, onFrame, PROTOCOL } from './wire.ts'

const CONNECT_MS = 2000

/** Connects to the host of a task. Throws if it does not answer, or has another protocol version. */
export async function connectHost(host: HostFile): Promise<Socket> {
  if (host.protocol !== PROTOCOL) {
    throw new IonError('failed', 'this task was started by an incompatible version of Ion', {
      hint: `stop it: kill ${host.pid}`,
    })
  }
  return new Promise((resolve, reject) => {
    const socket = createConnection(host.socket)
    const fail = (error: Error): void => {
      socket.destroy()
      reject(
        new IonError('failed', `the host of this task does not answer: ${messageOf(error)}`, {
          cause: error,
          hint: `stop it: kill ${host.pid}`,
        }),
      )
    }
    socket.setTimeout(CONNECT_MS, () => fail(new Error('timeout')))
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** The state of the agent; undefined if the host does not answer in time. */
export async function askState(host: HostFile, withinMs: number): Promise<HostAnswer | undefined> {
  const answer = await ask(host, { type: 'state' }, 'state', withinMs)
  return answer as unknown as HostAnswer | undefined
}

/** Asks the host to stop the agent. Returns its exit code; undefined if the host did not report it in time. */
export async function askStop(host: HostFile, graceMs: number, withinMs: number): Promise<number | undefined> {
  const answer = await ask(host, { type: 'stop', grace_ms: graceMs }, 'ended', withinMs)
  return typeof answer?.code === 'number' ? answer.code : undefined
}

async function ask(
  host: HostFile,
  question: object,
  answerType: string,
  withinMs: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const socket = await connectHost(host).catch(() => undefined)
  if (!socket) return undefined
  return new Promise((resolve) => {
    const end = (answer?: Readonly<Record<string, unknown>>): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, withinMs)
    socket.on('error', () => end()).on('close', () => end())
    const onAnswer = (frame: Frame): void => {
      if (frame.kind === 'message' && frame.message.type === answerType) end(frame.message)
    }
    onFrame(socket, onAnswer, () => end())
    socket.write(messageFrame(question))
  })
}
