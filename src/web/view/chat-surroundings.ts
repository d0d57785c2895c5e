import { agentName, isWorking, project, waitingFor } from '../state/agent.ts'
import { fullResults, loadFullResults } from '../state/conversation.ts'
import { serverTime } from '../state/working.ts'
import type { Surroundings } from './surroundings.ts'

/** Of the rows of the chat. */
export const chat: Surroundings = {
  get agentName() {
    return agentName.value
  },
  get project() {
    return project.value
  },
  get isWorking() {
    return isWorking.value
  },
  get isAsking() {
    return waitingFor.value !== undefined
  },
  transcriptTime: serverTime,
  fullResult: (call) => fullResults.value.get(call),
  loadFullResult: ({ message }) => loadFullResults(message.id),
}
