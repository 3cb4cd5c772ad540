import { join, resolve } from 'node:path'

/** A command line: the program, then its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** Returns the path of a program that is installed as an npm package. */
export const installed = (name: string): string => join(process.cwd(), 'node_modules/.bin', name)

/** Returns the command that runs a source file of this repository on Node.js. */
export const onNode = (file: string): Command => [
  process.execPath,
  '--conditions=@mintmark/source',
  '--disable-warning=ExperimentalWarning',
  resolve(file),
]

/** Returns the command that serves the default export of a bundled module on Bun. */
export const onBun = (file: string, port: number): Command => [installed('bun'), 'run', '--port', String(port), file]

/** Returns the command that serves the default export of a bundled module on Deno. */
export const onDeno = (file: string, port: number): Command => {
  const permissions = ['--no-remote', '--allow-env', '--allow-read', '--allow-write']
  return [installed('deno'), 'serve', ...permissions, '--host', '127.0.0.1', '--port', String(port), file]
}
