import { existsSync } from 'node:fs'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { findAgent } from '../agents/find.ts'
import { IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { findProgram } from '../run/program.ts'
import { realFolder } from '../run/task.ts'
import type { HandoverOptions, HandoverRequest } from './hand-over.ts'

/** `into`: the agent that continues; the session's own if undefined. `here`: in the current folder instead of the session's. */
export async function handoverRequest(
  source: HandoverRequest['source'],
  into: string | undefined,
  options: HandoverOptions,
  here: boolean,
  io: Io,
): Promise<HandoverRequest> {
  const { head } = source
  const known: Agent | undefined = agents.find(({ id }) => id === head.agent)
  if (!known && into === undefined) {
    throw new IonError('refused', `Ion does not know ${head.agent}, the agent of session ${head.id}`, {
      hint: `ion handover ${head.id} --in <agent> continues it in another one`,
    })
  }
  const sourceAgent = known ?? { title: head.agent }
  const target = into === undefined ? known! : findAgent(into)
  const { version } = await findProgram(target, io)
  return { source, sourceAgent, target, version, cwd: folderOf(source, here, io), options }
}

function folderOf({ head }: HandoverRequest['source'], here: boolean, io: Io): string {
  if (here || head.cwd === null) return realFolder(io.cwd)
  if (existsSync(head.cwd)) return realFolder(head.cwd)
  throw new IonError('not-found', `the folder of session ${head.id} does not exist any more: ${tilde(head.cwd, io)}`, {
    hint: 'cd to its new place and add --here, which lets the new session work there',
  })
}
