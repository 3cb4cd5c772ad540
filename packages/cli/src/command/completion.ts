import { Argument, Command } from 'commander'

import type { Io } from '../io.ts'

/** Creates `mintmark completion`, which prints a script that completes commands and flags in a shell. */
export const completionCommand = (io: Io): Command =>
  new Command('completion')
    .description('prints a script that completes commands and flags in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText('after', help)
    .action((shell: keyof typeof scripts) => io.out(scripts[shell]))

const help = `
bash  echo 'source <(mintmark completion bash)' >> ~/.bashrc
zsh   echo 'source <(mintmark completion zsh)' >> ~/.zshrc
fish  mintmark completion fish > ~/.config/fish/completions/mintmark.fish`

/**
 * The scripts by shell. Each calls `mintmark __complete`, so that the completions fit the installed version. Without a
 * completion, the shell completes file names.
 */
const scripts = {
  bash: `_mintmark() {
  local IFS=$'\\n'
  COMPREPLY=($(mintmark __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _mintmark mintmark`,
  zsh: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_mintmark() {
  local -a found
  found=(\${(f)"$(mintmark __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _mintmark mintmark`,
  fish: `function __mintmark_complete
  set -l found (mintmark __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c mintmark -f -a '(__mintmark_complete)'`,
} as const

/** Creates the command that the scripts call. It prints the completions of the last word. */
export const completeCommand = (io: Io): Command =>
  new Command('__complete').argument('[words...]').action((words: readonly string[], _options, command: Command) => {
    const found = command.parent === null ? [] : completionsOf(command.parent, words)
    if (found.length > 0) io.out(found.join('\n'))
  })

function completionsOf(program: Command, words: readonly string[]): readonly string[] {
  const [last = '', ...before] = words.toReversed()
  const help = program.createHelp()
  let command = program
  for (const word of before.toReversed()) {
    const next = help.visibleCommands(command).find((each) => each.name() === word)
    // Other words are arguments and flags.
    if (next !== undefined) command = next
  }
  const names = last.startsWith('-')
    ? command.options.flatMap(({ long }) => long ?? [])
    : [
        ...help.visibleCommands(command).map((each) => each.name()),
        ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ]
  return names.filter((name) => name.startsWith(last))
}
