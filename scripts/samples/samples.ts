import { agentsWith } from '../agent-folders.ts'
import type { Sample } from './story.ts'

/** Each agent's part of the story, by id: whatever has a test/sample.ts. */
export async function samples(): Promise<Map<string, Sample>> {
  const found = new Map<string, Sample>()
  for (const { id, url } of agentsWith('test/sample.ts')) {
    found.set(id, ((await import(url.href)) as { default: Sample }).default)
  }
  return found
}
