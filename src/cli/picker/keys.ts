/** What a key does. `keys` are names of `key.ts`. */
interface Binding {
  readonly command: string
  readonly keys: readonly string[]
  readonly what: string
}

/** Every key of the list: what happens, the help and docs/picker.md come from this table. */
export const bindings = [
  { command: 'show', keys: ['enter'], what: 'read the session (never starts an agent)' },
  { command: 'resume', keys: ['ctrl-r'], what: 'resume the session in its agent' },
  { command: 'help', keys: ['f1'], what: 'all keys; also ? while the filter is empty' },
  {
    command: 'back',
    keys: ['escape'],
    what: 'clear the filter, then the marks, then the choice of an agent, then quit',
  },
  { command: 'quit', keys: ['ctrl-c', 'ctrl-d'], what: 'quit' },
  // In screen.ts.
  { command: 'suspend', keys: ['ctrl-z'], what: 'back to the shell; fg continues' },
  { command: 'up', keys: ['up', 'ctrl-p'], what: 'previous session' },
  { command: 'down', keys: ['down', 'ctrl-n'], what: 'next session' },
  { command: 'page-up', keys: ['page-up'], what: 'previous page' },
  { command: 'page-down', keys: ['page-down'], what: 'next page' },
  { command: 'first', keys: ['home'], what: 'first session' },
  { command: 'last', keys: ['end'], what: 'last session' },
  { command: 'preview-up', keys: ['shift-up', 'left'], what: 'scroll the preview up' },
  { command: 'preview-down', keys: ['shift-down', 'right'], what: 'scroll the preview down' },
  { command: 'mark', keys: ['tab'], what: 'mark or unmark, for an action on several' },
  { command: 'mark-up', keys: ['shift-tab'], what: 'the same, and move up' },
  { command: 'scope', keys: ['ctrl-a'], what: 'this project / all projects' },
  { command: 'project', keys: ['ctrl-f'], what: 'filter by project' },
  { command: 'agent', keys: ['ctrl-g'], what: 'filter by agent' },
  { command: 'order', keys: ['ctrl-o'], what: 'order: newest, oldest, messages, size, title' },
  { command: 'copy', keys: ['ctrl-y'], what: 'copy …' },
  { command: 'organise', keys: ['ctrl-t'], what: 'organise …' },
  { command: 'export', keys: ['ctrl-e'], what: 'export to a file, several to a folder' },
  { command: 'share', keys: ['ctrl-s'], what: 'export with secrets masked' },
  { command: 'continue', keys: ['ctrl-k'], what: 'continue in a new session …' },
  { command: 'remove', keys: ['ctrl-x'], what: "remove from the agent's store …" },
  { command: 'delete-letter', keys: ['backspace'], what: 'delete a letter of the filter' },
  { command: 'delete-word', keys: ['ctrl-w'], what: 'delete a word of the filter' },
  { command: 'clear', keys: ['ctrl-u'], what: 'clear the filter' },
] as const satisfies readonly Binding[]

export type Command = (typeof bindings)[number]['command']

const commands = new Map<string, Command>(bindings.flatMap(({ keys, command }) => keys.map((key) => [key, command])))

export function commandOf(key: string): Command | undefined {
  return commands.get(key)
}

/** Letters to press after the key of a menu. */
export const menus = {
  copy: [
    { key: 'i', label: 'id', what: 'copy the id, or the ids of all marked' },
    { key: 'r', label: 'resume command', what: 'copy the command that resumes it' },
    { key: 'a', label: 'last answer', what: 'copy its last answer' },
  ],
  organise: [
    { key: 'p', label: 'pin', what: 'pin or unpin: pinned sessions come first' },
    { key: 't', label: 'tag', what: 'add tags; -tag removes one' },
    { key: 'r', label: 'rename', what: 'give it a name of your own; empty removes it' },
    { key: 'n', label: 'note', what: 'write a note; empty removes it' },
  ],
  continue: [
    { key: 'a', label: 'in an agent', what: 'hand it over to an agent of your choice, and open it there' },
    { key: 'f', label: 'fork', what: 'copy it to a new session of the same agent' },
  ],
  remove: [
    { key: 'y', label: 'remove', what: 'confirm the removal' },
    { key: 'u', label: 'undo the last removal', what: 'restore what was removed last' },
  ],
} as const

export type MenuName = keyof typeof menus

export interface HelpLine {
  readonly key: string
  readonly what: string
}

const RESUME = bindings.find(({ command }) => command === 'resume')!.what

/** All keys with what they do. `enter`: what Enter does here. */
export function helpOf(enter: 'show' | 'resume'): HelpLine[] {
  const lines = bindings.flatMap(({ command, keys, what }): HelpLine[] => [
    { key: keys.map(shown).join(', '), what: command === 'show' && enter === 'resume' ? RESUME : what },
    ...(command in menus
      ? menus[command as MenuName].map((item) => ({ key: `${shown(keys[0])} ${item.key}`, what: item.what }))
      : []),
  ])
  return [{ key: 'any letter', what: 'filter by title, name, tag, folder, agent, id and text' }, ...lines]
}

/** As people write it. */
function shown(key: string): string {
  const names: Readonly<Record<string, string>> = { escape: 'esc', f1: 'F1' }
  return names[key] ?? key.replace(/^page-/, 'page ')
}
