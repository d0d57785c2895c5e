import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'restore',
  group: 'copies',
  summary: 'put a session back where its agent looks, exactly as it was',
  details:
    'The agent\'s own resume works again. From the exact copy that "ion capture" and "ion run" make: files to the byte, rows of a database in one transaction. ' +
    'What is there already and is the same is left alone; something else is never overwritten, unless you say --replace, ' +
    'and then it is kept first. Times of files are new, since some agents delete what is old.',
  arguments: [{ name: 'id', summary: 'id, prefix, native id or title', required: true, completes: 'session' }],
  options: [
    { flags: '--to <folder>', summary: 'as if this folder were the home', completes: 'folder' },
    { flags: '--list', summary: 'which states of it are kept' },
    { flags: '--state <n>', summary: 'an earlier one of them, by its number in --list' },
    { flags: '--replace', summary: 'in the place of what is there now, which is kept first' },
    { flags: '--json', summary: 'one object' },
  ],
  examples: [
    ['ion restore 3f2a', 'put it back'],
    ['ion restore 3f2a --to /tmp/look', 'for a look: HOME=/tmp/look claude --resume …'],
  ],
  load: () => import('./run.ts'),
}
