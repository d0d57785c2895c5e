// docs/cli.md, from the definitions that also make the help and the completion.
import type { Command } from '../../src/cli/command.ts'
import type { exitCodes } from '../../src/platform/error.ts'
import { code, table } from './markdown.ts'
import { sessionJsonTable } from './session-json.ts'

export function cliReference(commands: readonly Command[], codes: typeof exitCodes): string {
  const shown = commands.filter((command) => !command.internal)
  return [
    '<!-- Written by npm run generate from src/cli/definitions/. Do not edit. -->',
    '# Commands',
    '`ion <command> --help` prints the same. Every list has `--json`, one object per line. In a ' +
      'pipe there are no colours and no questions; `NO_COLOR` turns colours off in a terminal too. Output goes to ' +
      'stdout; notices, progress and errors go to stderr. `ION_LOG=debug` adds a stack trace to errors.',
    table(
      ['command', 'does'],
      shown.map(({ name, summary }) => [`[\`ion ${name}\`](#ion-${name})`, summary]),
    ),
    ...shown.map(section),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.values(codes).map((exit) => [code(String(exit.code)), exit.meaning]),
    ),
    '## The JSON of a session',
    'One line of `ion sessions --json`. Fields may be added; those here stay.',
    sessionJsonTable(),
    '',
  ].join('\n\n')
}

function section({ name, summary, details, arguments: args = [], options = [], examples = [] }: Command): string {
  const usage = ['ion', name, ...args.map(argument), ...(options.length ? ['[options]'] : [])].join(' ')
  return [
    `## ion ${name}`,
    sentence(summary),
    ...(details ? [plain(details)] : []),
    `\`\`\`sh\n${usage}\n\`\`\``,
    ...(args.length
      ? [
          table(
            ['argument', 'what'],
            args.map((one) => [code(argument(one)), plain(one.summary)]),
          ),
        ]
      : []),
    ...(options.length
      ? [
          table(
            ['option', 'what'],
            options.map(({ flags, summary }) => [code(flags), plain(summary)]),
          ),
        ]
      : []),
    ...(examples.length
      ? [`\`\`\`sh\n${examples.map(([line, what]) => `${line}  # ${what}`).join('\n')}\n\`\`\``]
      : []),
  ].join('\n\n')
}

function argument({ name, required, many }: NonNullable<Command['arguments']>[number]): string {
  const text = many ? `${name}...` : name
  return required ? `<${text}>` : `[${text}]`
}

function sentence(text: string): string {
  const plainText = plain(text)
  return `${plainText.charAt(0).toUpperCase()}${plainText.slice(1)}.`
}

/** Escapes what Markdown would interpret. */
function plain(text: string): string {
  return text.replace(/[<>*_[\]]/g, '\\$&')
}
