import { createProgram } from '../../packages/cli/src/program.ts'
import { migrateUsage } from '../../packages/storage-sql/src/command/run-command.ts'
import { doctorFindings } from './doctor-findings.ts'
import { table } from './markdown-table.ts'
import type { PublicApi } from './public-api.ts'
import { silentIo } from './silent-io.ts'

type Command = ReturnType<typeof createProgram>

/** The page `docs/reference/command-line.md`: what `--help` prints, for every command of `mintmark` and for `mintmark-migrate`. */
export function commandLinePage(api: PublicApi): string {
  const program = createProgram(silentIo)
  return [introduction, ...everyCommand(program).map(section), doctorSection(api), migrateSection].join('\n\n') + '\n'
}

const introduction = `# The command line

What \`mintmark\` prints when it is asked for \`--help\`. How to work with it is said in
[how to use the command line](../how-to/use-the-command-line.md).

Exit codes: 0 done, 1 not done or something is wrong, 2 the command was given wrongly. Answers go to the standard output,
progress, warnings and errors to the standard error. This page is written by \`pnpm reference\`.`

function everyCommand(command: Command): readonly Command[] {
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
  return [command, ...shown.flatMap((child) => everyCommand(child))]
}

function section(command: Command): string {
  let help = ''
  command.configureHelp({ helpWidth: 100 }).configureOutput({ writeOut: (text) => void (help += text) })
  command.outputHelp()
  return `## ${pathOf(command)}\n\n\`\`\`text\n${help.trim()}\n\`\`\``
}

const doctorSection = (api: PublicApi): string =>
  [
    '## What doctor finds',
    'Each check by its name, which `--json` has too. `…` stands for what is found on the spot.',
    table(
      ['check', 'level', 'what', 'how to mend it'],
      doctorFindings(api).map(({ check, level, what, mend }) => [`\`${check}\``, level, what, mend]),
    ),
  ].join('\n\n')

const migrateSection = `## mintmark-migrate

Comes with \`@mintmark/storage-sql\`: the migrations without the command line, and the copy from SQLite to PostgreSQL, which is described in
[move to PostgreSQL](../how-to/move-to-postgresql.md). It reads no configuration. Exit codes: 0 done, 1 migrations are pending or Node is too
old, 2 not done.

\`\`\`text
${migrateUsage}
\`\`\``

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
