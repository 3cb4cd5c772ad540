import { basename, resolve } from 'node:path'

import { packageNameOf, parseInvocation, usage, type CreateArguments } from './arguments.ts'
import { askChoices } from './ask-choices.ts'
import { choose, type Chosen, type Given } from './choices.ts'
import { findExistingProject, type ExistingProject } from './existing-project.ts'
import { finishProject } from './finish-project.ts'
import type { Io } from './io.ts'
import { ProjectError } from './project-error.ts'
import { createSecrets, readTemplate } from './template.ts'
import { addToProject, writeProject } from './write-project.ts'

/**
 * Runs `create-mintmark`. Never throws.
 * @param argv the arguments after the name of the program.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments, 130 for an interruption. With any code
 *   except 0, no file was changed, unless the message says that the files were created.
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
  const existing = await findExistingProject(resolve(io.cwd, invocation.folder ?? '.'))
  const folder = resolve(io.cwd, invocation.folder ?? (existing === undefined ? 'my-server' : '.'))
  const chosen = await chooseWith(invocation, existing, io)
  if (chosen.kind === 'refused') return refuseArguments(io, chosen.reason)
  const { choices } = chosen
  const { databaseUrl } = invocation
  const { framework, database } = choices

  const issuer = invocation.issuer ?? `http://localhost:3000${existing === undefined ? framework.issuerPath : '/id'}`
  if (framework.fixedPath !== undefined && new URL(issuer).pathname !== framework.fixedPath) {
    return refuseArguments(
      io,
      `with ${framework.title}, the path of --issuer is ${framework.fixedPath}, as its routes.`,
    )
  }
  if (database.address === undefined && databaseUrl !== undefined) {
    return refuseArguments(io, `--database ${database.name} has no address: leave out --database-url.`)
  }
  if (database.address !== undefined && !database.address.form.test(databaseUrl ?? database.address.byDefault)) {
    return refuseArguments(
      io,
      `--database-url is not an address for --database ${database.name}, such as ${database.address.byDefault}.`,
    )
  }
  const secrets = createSecrets()
  const name = invocation.name ?? packageNameOf(basename(folder))
  const project = { name, choices, issuer, secrets, existing, address: databaseUrl }
  const template = await readTemplate(project)
  const write = existing === undefined ? writeProject : addToProject
  await write(folder, template.files, io.signal).catch((error: unknown) => {
    if (error instanceof ProjectError || io.signal.aborted) throw error
    throw new Error(`${folder} cannot be written. ${error instanceof Error ? error.message : ''}`.trimEnd(), {
      cause: error,
    })
  })
  return finishProject({ ...project, folder, template, install: invocation.install }, io)
}

/** Asks in a terminal what was not given, or takes the defaults. */
async function chooseWith(
  { given, name, questions }: CreateArguments,
  existing: ExistingProject | undefined,
  { ask, out }: Io,
): Promise<Chosen> {
  const isAsked = questions === 'asked' && ask !== undefined
  if (existing === undefined) return choose(isAsked ? await askChoices({ given, users: 'ours' }, { ask, out }) : given)

  if (name !== undefined) return { kind: 'refused', reason: 'the project has a name already: leave out --name.' }
  const found = frameworkOf(existing, given)
  if (found.kind === 'refused') return found
  const known = { ...given, framework: found.framework }
  return choose(
    isAsked ? await askChoices({ given: known, users: 'own' }, { ask, out }) : { users: 'own', ...defined(known) },
  )
}

/** The framework of the project to which Mintmark is added. */
function frameworkOf(
  { frameworks }: ExistingProject,
  { framework }: Given,
): { readonly kind: 'found'; readonly framework: string } | Extract<Chosen, { readonly kind: 'refused' }> {
  const names = frameworks.map(({ name }) => name)
  const [first, second] = names
  if (framework === undefined && first !== undefined && second === undefined) return { kind: 'found', framework: first }
  if (framework !== undefined && names.includes(framework)) return { kind: 'found', framework }
  const advice = `Choose --framework ${names.join(' or ')}, or a new folder.`
  return { kind: 'refused', reason: `the folder has a project with ${names.join(' and ')}. ${advice}` }
}

const defined = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, name]) => name !== undefined))

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
