import type { Database } from './choices.ts'

interface Steps {
  /** The project folder, relative to the working directory; empty for the working directory itself. */
  readonly folder: string
  /** The database whose address must be set before the set-up. */
  readonly address: Database | undefined
  /** The commands that are left. */
  readonly commands: readonly (readonly string[])[]
  readonly tryKey: string
}

/** Returns what to do after a project was created. */
export function nextSteps({ folder, address, commands, tryKey }: Steps): string {
  const lines = [
    ...(folder === '' ? [] : [`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`]),
    ...commands.map((command) => command.join(' ')),
  ]
  const first =
    address === undefined
      ? ''
      : `Set ${address.variable} in .env to the URL of an empty database, if it is not\n${address.defaultAddress}\n\n`
  return `Created a server in ${folder === '' ? 'this folder' : folder}. Next:

${first}${lines.map((line) => `  ${line}\n`).join('')}
Then open:

  http://localhost:3000/try?key=${tryKey}
    signs you in to a client
  http://localhost:3000/try?show=token
    shows the tokens that the client gets
`
}

/**
 * Returns the package manager that started the command.
 * @param userAgent such as `pnpm/12.0.0 npm/? node/v24.0.0`.
 */
export const packageManager = (userAgent: string | undefined): string =>
  ['npm', 'pnpm', 'yarn', 'bun'].find((name) => userAgent?.startsWith(`${name}/`)) ?? 'npm'
