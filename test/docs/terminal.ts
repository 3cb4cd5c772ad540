import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The machine of a reader who follows a page: a folder, a shell that keeps its state, and long-running programs. */
export interface Terminal {
  /** The current folder after the previous commands. */
  folder(): string
  /** Runs commands as an interactive shell would. @throws Error with their output if one of them fails. */
  run(commands: string): string
  /** Starts a long-running program and waits until it answers at the address. */
  start(command: string, address: string): Promise<void>
  /** Stops the program that the command started, and waits until it has exited. */
  stop(command: string): Promise<void>
  /** Stops everything and removes the folder. */
  close(): Promise<void>
}

/** @param env variables in addition to the environment of the tests. */
export function openTerminal(env: Readonly<Record<string, string>>): Terminal {
  const home = mkdtempSync(join(tmpdir(), 'mintmark-page-'))
  const [savedEnvironment, savedFolder] = [join(home, '.environment'), join(home, '.folder')]
  writeFileSync(savedFolder, home)
  const programs = new Map<string, ReturnType<typeof spawn>>()
  const environment = {
    ...process.env,
    NO_COLOR: '1',
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    ...env,
  }
  const folder = (): string => readFileSync(savedFolder, 'utf8').trim()
  const stop = async (command: string): Promise<void> => {
    const program = programs.get(command)
    programs.delete(command)
    if (program === undefined || program.exitCode !== null) return
    await new Promise((resolve) => program.once('exit', resolve).kill('SIGKILL'))
  }

  return {
    folder,
    run(commands) {
      const restore = existsSync(savedEnvironment) ? `. '${savedEnvironment}'\n` : ''
      const save = `pwd >'${savedFolder}'\nexport -p >'${savedEnvironment}'\n`
      const script = `set -ea\n${restore}cd "$(cat '${savedFolder}')"\n${commands}\n${save}`
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', env: environment })
      if (status !== 0) throw new Error(`These commands failed:\n${commands}\n${stdout}${stderr}`)
      return stdout
    },
    async start(command, address) {
      const program = spawn('bash', ['-c', `exec ${command}`], { cwd: folder(), env: environment })
      programs.set(command, program)
      const output: string[] = []
      for (const stream of [program.stdout, program.stderr])
        stream.on('data', (chunk: Buffer) => output.push(chunk.toString()))
      for (let attempt = 0; attempt < 2400; attempt += 1) {
        if (
          await fetch(address, { redirect: 'manual' }).then(
            () => true,
            () => false,
          )
        )
          return
        if (program.exitCode !== null) break
        await new Promise((wake) => setTimeout(wake, 25))
      }
      throw new Error(`${command} did not start: ${output.join('')}`)
    },
    stop,
    async close() {
      await Promise.all(Array.from(programs.keys(), stop))
      rmSync(home, { recursive: true })
    },
  }
}
