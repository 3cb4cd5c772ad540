import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { run, type Io } from '@mintmark/cli'
import { systemClock } from '@mintmark/internal'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { AdminStorage } from '@mintmark/storage-interface'
import { onTestFinished } from 'vitest'

/** The outcome of a command. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command line in this process, in its own folder. */
export interface CommandLine {
  readonly folder: string
  run(...argv: readonly string[]): Promise<Outcome>
  /** Returns the same command line with some dependencies replaced. */
  with(dependencies: Partial<Io>): CommandLine
}

/** A command line with a database. */
export interface CommandLineWithDatabase extends CommandLine {
  storage(): Promise<AdminStorage>
}

/** The command that starts the command line as a program. */
export const program: Io['self'] = [
  process.execPath,
  '--conditions=@mintmark/source',
  fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url)),
]

/** Creates a command line in an empty folder, which is removed after the test. */
export async function aCommandLine(env: Io['env'] = {}): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return commandLine(folder, { env })
}

/** Creates a command line whose SQLite database exists and has the schema. */
export async function withDatabase(issuer = 'https://as.test'): Promise<CommandLineWithDatabase> {
  const line = await aCommandLine()
  await line.run('init', '--issuer', issuer)
  await line.run('migrate', 'apply')
  const storage = async (): Promise<AdminStorage> => {
    const dialect = openSqliteDialect(join(line.folder, 'mintmark.db'))
    onTestFinished(() => dialect.close())
    return createSqlStorage({ dialect, issuer })
  }
  return { ...line, storage }
}

function commandLine(folder: string, dependencies: Partial<Io>): CommandLine {
  return {
    folder,
    with: (changed) => commandLine(folder, { ...dependencies, ...changed }),
    async run(...argv) {
      const out: string[] = []
      const err: string[] = []
      const code = await run(argv, {
        out: (line) => void out.push(line),
        err: (line) => void err.push(line),
        progress: undefined,
        terminal: undefined,
        env: {},
        cwd: folder,
        operator: 'tess',
        clock: systemClock,
        sleep: () => Promise.resolve(),
        fetch,
        self: program,
        input: async function* () {},
        lines: async function* () {},
        ...dependencies,
      })
      return { code, out: out.join('\n'), err: err.join('\n') }
    },
  }
}
