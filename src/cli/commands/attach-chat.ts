import { findAgent } from '../../agents/find.ts'
import type { ActiveTask } from '../../host/tasks.ts'
import type { ExitKind } from '../../platform/error.ts'
import { Chat } from '../../server/chat.ts'
import { chatInTerminal } from '../chat/chat-in-terminal.ts'
import { writeSession } from '../chat/typed-line.ts'
import type { Context } from '../command.ts'

/** The chat of a running task in this terminal, or in a pipe. It needs no server, only the host and the transcript. */
export async function chatWith({ task }: ActiveTask, label: string, context: Context): Promise<ExitKind | number> {
  const chat = new Chat(findAgent(task.agent), task, context.io)
  try {
    await chat.begin()
    return await chatInTerminal(
      chat,
      {
        input: process.stdin,
        output: process.stdout,
        task: label,
        write: (name, words, session, say) => writeSession(name, words, session, context, say),
      },
      context,
    )
  } finally {
    chat.close()
  }
}
