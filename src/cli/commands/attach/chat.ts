import { findAgent } from '../../../agents/find.ts'
import type { ActiveTask } from '../../../host/tasks.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { Chat } from '../../../server/chat.ts'
import { chatInTerminal } from '../../chat/chat-in-terminal.ts'
import { writeSession } from '../../chat/typed-line.ts'
import type { Context } from '../../command.ts'

/** The chat of a running task in this terminal, or in a pipe. It needs no server: host and transcript tell everything. */
export async function chatWith({ task }: ActiveTask, word: string, context: Context): Promise<ExitKind | number> {
  const chat = new Chat(findAgent(task.agent), task, context.io)
  try {
    await chat.begin()
    return await chatInTerminal(
      chat,
      {
        input: process.stdin,
        output: process.stdout,
        task: word,
        write: (name, words, session, say) => writeSession(name, words, session, context, say),
      },
      context,
    )
  } finally {
    chat.close()
  }
}
