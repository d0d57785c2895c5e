import type { Command } from '../../command.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export const command: Command = {
  name: 'completion',
  group: 'this machine',
  summary: 'print the completion script for a shell',
  details:
    'The script asks Ion itself, so it knows commands, options, agents and the ids of sessions with their titles.',
  arguments: [{ name: 'shell', summary: shells.join(', '), required: true, choices: shells }],
  examples: [
    ['source <(ion completion bash)', 'in ~/.bashrc'],
    ['source <(ion completion zsh)', 'in ~/.zshrc, after compinit'],
    ['ion completion fish > ~/.config/fish/completions/ion.fish', 'once'],
    ['ion completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ],
  load: () => import('./run.ts'),
}
