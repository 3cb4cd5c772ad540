import { basename, relative, resolve } from 'node:path'

import { packageNameOf, parseInvocation, usage, type CreateArguments } from './arguments.ts'
import { askChoices } from './ask-choices.ts'
import { choose, type Choices } from './choices.ts'
import type { Io } from './io.ts'
import { nextSteps, packageManager } from './next-steps.ts'
import { createSecrets, readTemplate, type Secrets } from './template.ts'
import { ProjectError, writeProject } from './write-project.ts'

/**
 * Runs `create-mintmark`. Never throws.
 * @param argv the arguments after the name of the program.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments, 130 for an interruption. With any code
 *   except 0, no file was changed, unless the message says that the project was created.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const invocation = parseInvocation(argv)
  if (invocation.kind === 'help') return print(io.out, usage, 0)
  if (invocation.kind === 'refused') return refuseArguments(io, invocation.reason)
  if (!isSupported(io.nodeVersion)) {
    return print(io.err, `create-mintmark: the server needs Node 22.18 or later. This is Node ${io.nodeVersion}.`, 1)
  }
  try {
    return await create(invocation, io)
  } catch (error) {
    if (io.signal.aborted) return print(io.err, 'create-mintmark: interrupted, nothing was created.', 130)
    return print(io.err, `create-mintmark: ${error instanceof Error ? error.message : String(error)}`, 1)
  }
}

/** @throws Error if nothing was created. */
async function create(invocation: CreateArguments, io: Io): Promise<number> {
  const { ask, out } = io
  const isAsked = invocation.questions === 'asked' && ask !== undefined
  const chosen = choose(isAsked ? await askChoices(invocation.given, { ask, out }) : invocation.given)
  if (chosen.kind === 'refused') return refuseArguments(io, chosen.reason)

  const folder = resolve(io.cwd, invocation.folder ?? 'my-server')
  const secrets = createSecrets()
  const files = await readTemplate({
    name: invocation.name ?? packageNameOf(basename(folder)),
    choices: chosen.choices,
    address: invocation.databaseUrl ?? chosen.choices.database.defaultAddress,
    secrets,
  })
  await writeProject(folder, files, io.signal).catch((error: unknown) => {
    if (error instanceof ProjectError || io.signal.aborted) throw error
    throw new Error(`${folder} cannot be written. ${error instanceof Error ? error.message : ''}`.trimEnd(), {
      cause: error,
    })
  })
  return finish({ folder, secrets, choices: chosen.choices }, invocation, io)
}

interface Created {
  /** An absolute path. */
  readonly folder: string
  readonly choices: Choices
  readonly secrets: Secrets
}

/** Installs and sets up the project, and prints what to do next. */
async function finish({ folder, choices, secrets }: Created, invocation: CreateArguments, io: Io): Promise<number> {
  const manager = packageManager(io.env['npm_config_user_agent'])
  // Nobody has said where the database server is.
  const canSetUp = !choices.database.needsServer || invocation.databaseUrl !== undefined
  const commands = [[manager, 'install'], ...(canSetUp ? [[manager, 'run', 'setup']] : [])]
  let done = 0
  if (invocation.install === 'yes') {
    for (const command of commands) {
      if (!(await io.runProgram(command, folder))) break
      done += 1
    }
  }
  const steps = nextSteps({
    folder: relative(io.cwd, folder),
    address: canSetUp ? undefined : choices.database,
    commands: [
      [manager, 'install'],
      [manager, 'run', 'setup'],
      [manager, 'start'],
    ].slice(done),
    tryKey: secrets.tryKey,
  })
  io.out(steps)
  const failed = invocation.install === 'yes' ? commands[done] : undefined
  if (failed === undefined) return 0
  return print(io.err, `create-mintmark: the project was created, but ${failed.join(' ')} failed.`, 1)
}

const refuseArguments = ({ err }: Io, reason: string): number => print(err, `create-mintmark: ${reason}\n\n${usage}`, 2)

function print(write: Io['out'], text: string, exitCode: number): number {
  write(text)
  return exitCode
}

/** Whether a version of Node runs TypeScript sources without a flag. */
function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}
