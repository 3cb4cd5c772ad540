import { basename, relative, resolve } from 'node:path'

import { nextSteps } from './next-steps.ts'
import { readOrder, usage } from './order.ts'
import type { Io } from './io.ts'
import { packageNameOf } from './package-name.ts'
import { ProjectRefused } from './project-refused.ts'
import { readTemplate } from './template.ts'
import { writeProject } from './write-project.ts'

/**
 * Makes a project, as `create-mintmark` does.
 * @param argv what stands behind the command's name.
 * @returns the exit code: 0 done, 1 not done, 2 the command was given wrongly, 130 interrupted. Whenever it is not 0, the
 *   files are as they were before. It never throws.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const order = readOrder(argv)
  if (order.kind === 'help') return say(io.out, usage, 0)
  if (order.kind === 'refused') return say(io.err, `create-mintmark: ${order.reason}\n\n${usage}`, 2)
  if (!isSupported(io.nodeVersion)) {
    return say(io.err, `create-mintmark: the server needs Node 22.18 or later, this is ${io.nodeVersion}.`, 1)
  }

  const folder = resolve(io.cwd, order.folder)
  try {
    await writeProject(folder, await readTemplate(order.name ?? packageNameOf(basename(folder))), io.signal)
  } catch (error) {
    if (io.signal.aborted) return say(io.err, 'create-mintmark: interrupted, nothing was made.', 130)
    return say(io.err, `create-mintmark: ${sentenceOf(error, folder)}`, 1)
  }
  return say(io.out, nextSteps(relative(io.cwd, folder), io.env['npm_config_user_agent']), 0)
}

function say(speak: Io['out'], text: string, exitCode: number): number {
  speak(text)
  return exitCode
}

/** Sources in TypeScript run there without a flag. */
function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

function sentenceOf(error: unknown, folder: string): string {
  if (error instanceof ProjectRefused) return error.message
  return `${folder} cannot be written. ${error instanceof Error ? error.message : ''}`.trimEnd()
}
