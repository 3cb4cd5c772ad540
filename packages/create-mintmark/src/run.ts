import { basename, relative, resolve } from 'node:path'

import { parseInvocation, usage, packageNameOf } from './arguments.ts'
import type { Io } from './io.ts'
import { readTemplate } from './template.ts'
import { ProjectError, writeProject } from './write-project.ts'

/**
 * Runs `create-mintmark`. Never throws.
 * @param argv the arguments after the name of the program.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments, 130 for an interruption. With any code
 *   except 0, no file was changed.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const invocation = parseInvocation(argv)
  if (invocation.kind === 'help') return print(io.out, usage, 0)
  if (invocation.kind === 'refused') return print(io.err, `create-mintmark: ${invocation.reason}\n\n${usage}`, 2)
  if (!isSupported(io.nodeVersion)) {
    return print(io.err, `create-mintmark: the server needs Node 22.18 or later. This is Node ${io.nodeVersion}.`, 1)
  }

  const folder = resolve(io.cwd, invocation.folder)
  try {
    await writeProject(folder, await readTemplate(invocation.name ?? packageNameOf(basename(folder))), io.signal)
  } catch (error) {
    if (io.signal.aborted) return print(io.err, 'create-mintmark: interrupted, nothing was created.', 130)
    return print(io.err, `create-mintmark: ${sentenceOf(error, folder)}`, 1)
  }
  return print(io.out, nextSteps(relative(io.cwd, folder), io.env['npm_config_user_agent']), 0)
}

function print(write: Io['out'], text: string, exitCode: number): number {
  write(text)
  return exitCode
}

/** Whether a version of Node runs TypeScript sources without a flag. */
function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

function sentenceOf(error: unknown, folder: string): string {
  if (error instanceof ProjectError) return error.message
  return `${folder} cannot be written. ${error instanceof Error ? error.message : ''}`.trimEnd()
}

/**
 * Returns the next steps after creating a project.
 * @param folder the project folder, relative to the working directory; empty for the working directory itself.
 * @param userAgent the package manager that started the command, such as `pnpm/12.0.0 npm/? node/v24.0.0`.
 */
function nextSteps(folder: string, userAgent: string | undefined): string {
  const manager = managers.find((name) => userAgent?.startsWith(`${name}/`)) ?? 'npm'
  const steps = [
    ...(folder === '' ? [] : [`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`]),
    `${manager} install`,
    `${manager} run setup`,
    `${manager} start`,
  ]
  const lines = steps.map((step) => `  ${step}\n`)
  return `Created a server in ${folder === '' ? 'this folder' : folder}. Next:\n\n${lines.join('')}`
}

const managers = ['npm', 'pnpm', 'yarn', 'bun']
