import type { CommandDefinition } from '../command.ts'
import { sessionArgument } from './common.ts'

export const rename = {
  name: 'rename',
  group: 'find and share sessions',
  summary: 'give a session a name of your own',
  details:
    "The name is shown instead of the agent's title, and finds the session like a title does. It is kept by Ion; the agent's " +
    'store is not changed (docs/organise.md). Without a name, the given name is removed.',
  dashWords: true,
  arguments: [
    { ...sessionArgument, required: true },
    { name: 'name', summary: 'its new name', many: true, completes: 'none' },
  ],
  examples: [
    ['ion rename 3f2a91bc Refund rounding', 'ion show "refund rounding" finds it then'],
    ['ion rename 3f2a91bc', "back to the agent's title"],
  ],
} as const satisfies CommandDefinition

export const tag = {
  name: 'tag',
  group: 'find and share sessions',
  summary: 'tag a session, or list tags',
  details:
    'With tags, adds them; with a session alone, prints its tags; without arguments, lists all tags. A tag has up to 64 ' +
    'letters, digits and characters of -_./ and is kept in lower case; a # before it may be left out.',
  arguments: [sessionArgument, { name: 'tags', summary: 'tags to add', many: true, completes: 'tag' }],
  options: [
    { flags: '-d, --remove', summary: 'remove the tags instead' },
    { flags: '--json', summary: 'print one JSON object per tag' },
  ],
  examples: [
    ['ion tag 3f2a91bc payments release/2.1', 'add two tags'],
    ['ion tag -d 3f2a91bc payments', 'remove one'],
    ['ion sessions --all --tag payments', 'sessions with this tag; ion search tag:payments … searches them'],
  ],
} as const satisfies CommandDefinition

export const pin = {
  name: 'pin',
  group: 'find and share sessions',
  summary: 'pin sessions, or list pinned ones',
  details:
    'Pinned sessions are marked with [pin] in lists, and "ion sessions --pinned" and "is:pinned" in a search select them. ' +
    'Lists stay in their order, newest first. Without sessions, lists the pinned ones of all projects.',
  arguments: [{ ...sessionArgument, many: true }],
  options: [
    { flags: '-d, --remove', summary: 'unpin instead' },
    { flags: '--json', summary: 'print one JSON object per pinned session' },
  ],
  examples: [
    ['ion pin 3f2a91bc', 'pin one'],
    ['ion pin -d 3f2a91bc', 'unpin it'],
    ['ion pin', 'list them'],
  ],
} as const satisfies CommandDefinition

export const note = {
  name: 'note',
  group: 'find and share sessions',
  summary: 'write a note about a session, or print it',
  details:
    'Without text, prints the note. A new text replaces the old one. Notes are searched by "ion search" and shown by "ion ' +
    'show"; they are not part of what "ion export" and "ion share" write.',
  dashWords: true,
  arguments: [
    { ...sessionArgument, required: true },
    { name: 'text', summary: 'the note; "-" reads it from stdin', many: true, completes: 'none' },
  ],
  options: [
    { flags: '--edit', summary: 'edit it in $VISUAL or $EDITOR' },
    { flags: '--remove', summary: 'remove the note' },
  ],
  examples: [
    ['ion note 3f2a91bc the second attempt is the right one', 'write it'],
    ['ion note 3f2a91bc', 'read it'],
    ['ion search role:note', 'all sessions with a note'],
  ],
} as const satisfies CommandDefinition
