import { join, resolve } from 'node:path'

/** A command line: the program, then its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** The programs are npm packages in node_modules that contain their binaries. */
export const installed = (name: string): string => join(process.cwd(), 'node_modules/.bin', name)

/** Runs a source file of this repository. */
export const onNode = (file: string): Command => [
  process.execPath,
  '--conditions=@mintmark/source',
  '--disable-warning=ExperimentalWarning',
  resolve(file),
]

/** Serves the default export of a module without imports. */
export const onBun = (file: string, port: number): Command => [installed('bun'), 'run', '--port', String(port), file]

export const onDeno = (file: string, port: number): Command => {
  const rights = ['--no-remote', '--allow-env', '--allow-read', '--allow-write']
  return [installed('deno'), 'serve', ...rights, '--host', '127.0.0.1', '--port', String(port), file]
}
