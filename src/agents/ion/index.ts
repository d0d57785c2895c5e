import { defineAgent } from '../agent.ts'
import { heads, sources } from './list.ts'
import { paths } from './paths.ts'
import { formOf, read } from './read.ts'

/** Ion's own archive: one more source, with the interface of the agents whose sessions it keeps. */
export default defineAgent({
  id: 'ion',
  title: 'Ion archive',
  aliases: ['archive'],
  isArchive: true,
  binaries: ['ion'],
  install: 'npm install -g @ion-cli/ion',
  minimumBytes: 100e6,
  secrets: [],
  resume: { note: 'a copy; the agent that made the session resumes it' },
  paths,
  resumeCommand: () => undefined,
  sources,
  heads,
  read,
  textFiles: ({ path }) => [formOf(path)],
})
