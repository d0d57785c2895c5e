import type { Command } from '../../command.ts'

/** What it does with the data of modules. */
const verbs = ['path', 'audit', 'migrate']

export const command: Command = {
  name: 'modules',
  group: 'this machine',
  summary: 'where workspace modules keep data that lasts',
  details:
    '"ion modules path <name>" prints the stable data folder of a module and makes it (0700): ' +
    '$CODER_MODULE_DATA_DIR/<name> where that is set, else ~/.coder-modules/<name>. A name has one or two levels. ' +
    '"ion modules audit" lists what keeps data where it does not last or collides, and what migrate would do. ' +
    '"ion modules migrate" moves it into such folders and leaves links; in a pipe it only says what it would do, ' +
    'unless --yes is given. It refuses (exit 4) where something is in the way or in use.',
  arguments: [
    { name: 'what', summary: verbs.join(', '), required: true, choices: verbs },
    {
      name: 'name',
      summary: 'of the module, such as ion or coder/claude-code; for migrate: those that audit shows, else all',
      many: true,
      completes: 'none',
    },
  ],
  options: [
    { flags: '--dry-run', summary: 'migrate: say what would be done, and do nothing' },
    { flags: '--undo', summary: 'migrate: move back what was moved' },
    { flags: '--yes', summary: 'migrate: do it, also in a pipe' },
    { flags: '--json', summary: 'audit, migrate: one object per line' },
  ],
  examples: [
    ['ion modules path coder/ion', 'the folder, made where it is missing'],
    ['ion modules audit', 'what survives a restart, and what does not'],
    ['ion modules migrate --dry-run', 'what would be moved'],
    ['ion modules migrate --undo --yes', 'everything back where it was, in a script'],
  ],
  load: () => import('./run.ts'),
}
