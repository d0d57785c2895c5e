import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'modules',
  summary: 'where workspace modules keep data that lasts',
  details:
    '"ion modules path <name>" prints the stable data folder of a module and makes it (0700): ' +
    '$CODER_MODULE_DATA_DIR/<name> where that is set, else ~/.coder-modules/<name>. A name has one or two levels.',
  arguments: [
    { name: 'what', summary: 'path', required: true, completes: 'none' },
    { name: 'name', summary: 'of the module, such as ion or coder/claude-code', completes: 'none' },
  ],
  examples: [['ion modules path coder/ion', 'the folder, made where it is missing']],
  load: () => import('./run.ts'),
}
