import { relative } from 'node:path'

import type { Choices, DatabaseAddress } from './choices.ts'
import type { ExistingProject } from './existing-project.ts'
import type { Io } from './io.ts'
import type { ProjectTemplate, Secrets } from './template.ts'

/** A project whose files were written. */
interface WrittenProject {
  /** An absolute path. */
  readonly folder: string
  readonly choices: Choices
  readonly template: ProjectTemplate
  readonly issuer: string
  readonly secrets: Secrets
  /** The project to which the files were added. */
  readonly existing: ExistingProject | undefined
  /** The address of the database, if it was given. */
  readonly address: string | undefined
  readonly install: 'yes' | 'no'
}

type Command = readonly [program: string, ...args: string[]]

/** Installs the packages, sets the project up, and prints what to do next. @returns the exit code. */
export async function finishProject(project: WrittenProject, io: Io): Promise<number> {
  const { folder, choices, address, install } = project
  const commands = commandsOf(project, packageManager(io.env['npm_config_user_agent']))
  // Nobody has said where the database server is.
  const missing = address === undefined && choices.database.address?.needsServer ? choices.database.address : undefined
  const now =
    install === 'no' ? [] : missing === undefined ? [...commands.install, ...commands.setUp] : commands.install
  let done = 0
  for (const command of now) {
    if (!(await io.runProgram(command, folder))) break
    done += 1
  }
  const left = [...commands.install, ...commands.setUp].slice(done)
  io.out(nextSteps({ ...project, folder: relative(io.cwd, folder), missing }, [...left, commands.start]))
  const failed = now[done]
  if (failed === undefined) return 0
  io.err(`create-mintmark: the files were created, but ${failed.join(' ')} failed.`)
  return 1
}

interface Commands {
  readonly install: readonly Command[]
  /** None if the program does it. */
  readonly setUp: readonly Command[]
  readonly start: Command
}

function commandsOf({ choices, existing, template }: WrittenProject, manager: string): Commands {
  if (existing === undefined) {
    const { start, setUp } = choices.framework
    return {
      install: [[manager, 'install']],
      setUp: setUp === 'by-command' ? [[manager, 'run', 'setup']] : [],
      start: [manager, ...start],
    }
  }
  const add = manager === 'npm' ? 'install' : 'add'
  const packages = (list: Readonly<Record<string, string>> = {}): readonly string[] =>
    Object.entries(list)
      // The code needs the types of a recent Node; other packages of the project stay as they are.
      .filter(([name]) => name === '@types/node' || !existing.dependencies.has(name))
      .map(([name, range]) => `${name}@${range}`)
  return {
    install: [
      { flags: [], list: packages(template.manifest.dependencies) },
      { flags: ['-D'], list: packages(template.manifest.devDependencies) },
    ].flatMap(({ flags, list }): readonly Command[] => (list.length === 0 ? [] : [[manager, add, ...flags, ...list]])),
    setUp: [['node', `${template.code.replaceAll('\\', '/')}/setup.ts`]],
    start: [manager, 'run', 'dev'],
  }
}

/** Returns the package manager that started the command: its user agent is such as `pnpm/12.0.0 npm/? node/v24.0.0`. */
const packageManager = (userAgent: string | undefined): string =>
  ['npm', 'pnpm', 'yarn', 'bun'].find((name) => userAgent?.startsWith(`${name}/`)) ?? 'npm'

interface Steps extends WrittenProject {
  /** The address of the database server, which nobody has given. */
  readonly missing: DatabaseAddress | undefined
}

/** Returns what to do after a project was written. `folder` is relative to the working directory. */
function nextSteps(steps: Steps, commands: readonly Command[]): string {
  const { folder, choices, existing, issuer, secrets, missing } = steps
  const { framework } = choices
  const where = folder === '' ? 'this folder' : folder
  const lines = [
    ...(folder === '' ? [] : [`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`]),
    ...commands.map((command) => command.map((part) => (part.includes('>') ? `"${part}"` : part)).join(' ')),
  ]
  const file = `${existing === undefined ? '' : `${steps.template.code}/`}.env`
  const address = (needed: DatabaseAddress): string =>
    `Set ${needed.variable} in ${file} to the URL of an empty database, if it is not\n${needed.byDefault}`
  return [
    existing === undefined ? `Created a server in ${where}. Next:` : `Added a server to the project in ${where}. Next:`,
    ...(missing === undefined ? [] : [address(missing)]),
    ...(existing === undefined || framework.added === undefined ? [] : [framework.added.note]),
    lines.map((line) => `  ${line}`).join('\n'),
    'Then open:',
    `  ${issuer}/try?key=${secrets.tryKey}
    signs you in to a client
  ${issuer}/try?show=token
    shows the tokens that the client gets
`,
  ].join('\n\n')
}
