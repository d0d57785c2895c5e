import type { ArgumentsOf, Run } from '../command.ts'
import type { completion } from '../definitions/machine.ts'

export const run: Run<typeof completion> = async ([shell], _options, { out }) => {
  out.write(scripts[shell])
  return 'ok'
}

/** The script verbatim, except that `$\{` becomes `${`, which a template cannot contain. */
const script = (parts: TemplateStringsArray): string => String.raw(parts).replaceAll('$\\{', '${')

/**
 * Each calls `ion complete -- <words>`, whose last word is the one to complete, and gets lines of `value<tab>summary`;
 * a line `:file` or `:folder` asks for the shell's own completion of paths.
 */
const bash = script`# ion completion for bash
_ion() {
  local program=$\{COMP_WORDS[0]/#\~/$HOME} current=$\{COMP_WORDS[COMP_CWORD]} tab=$'\t' line paths='' width=0
  local -a lines=()
  # Bash splits --option=value at the sign.
  [[ $current == = ]] && current=''
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file) paths=-f ;;
      :folder) paths=-d ;;
      *"$tab"*) lines+=("$line") ;;
    esac
  done < <("$program" complete -- "$\{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  for line in "$\{lines[@]}"; do
    line=$\{line%%"$tab"*}
    (( $\{#line} > width )) && width=$\{#line}
  done
  for line in "$\{lines[@]}"; do
    # Only the value may be inserted; a list of several is shown with the summaries.
    if (( $\{#lines[@]} == 1 )) || [[ $COMP_TYPE == 37 || $COMP_TYPE == 42 ]]; then
      COMPREPLY+=("$\{line%%"$tab"*}")
    else
      printf -v line "%-$\{width}s  (%s)" "$\{line%%"$tab"*}" "$\{line#*"$tab"}"
      line=$\{line%  ()}
      COMPREPLY+=("$\{line:0:$\{COLUMNS:-80}}")
    fi
  done
  if [[ -n $paths ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen $paths -- "$current")
  fi
}
complete -o nosort -F _ion ion 2>/dev/null || complete -F _ion ion
`

const zsh = script`#compdef ion
# ion completion for zsh
_ion() {
  local line paths='' tab=$'\t'
  local -a lines described
  lines=("$\{(@f)$($words[1] complete -- "$\{(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :file) paths='_files' ;;
      :folder) paths='_files -/' ;;
      *$tab*) described+=("$\{$\{line%%$tab*}//:/\\:}:$\{line#*$tab}") ;;
    esac
  done
  (( $#described )) && _describe -V 'ion' described
  [[ -n $paths ]] && $\{=paths}
  return 0
}
if [[ $funcstack[1] == _ion ]]; then _ion "$@"; else compdef _ion ion; fi
`

const fish = script`# ion completion for fish
function __ion_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (command $words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':file'
                __fish_complete_path "$current"
            case ':folder'
                __fish_complete_directories "$current" ''
            case '*'
                echo $line
        end
    end
end
complete -c ion -f -k -a '(__ion_complete)'
`

const powershell = script`# ion completion for PowerShell
Register-ArgumentCompleter -Native -CommandName ion -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    # Older versions cannot pass an empty argument: send two quotes instead.
    if ($wordToComplete -eq '') { $words += '""' }
    & ion complete '--' @words 2>$null | ForEach-Object {
        $value, $summary = $_ -split [char]9, 2
        # PowerShell completes paths itself if nothing is offered.
        if ($null -ne $summary) {
            if ($summary -eq '') { $summary = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $summary)
        }
    }
}
`

export const scripts: Readonly<Record<ArgumentsOf<typeof completion>[0], string>> = { bash, zsh, fish, powershell }
