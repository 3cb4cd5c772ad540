import { parseArgs } from 'node:util'

import { isPackageName } from './package-name.ts'

/** What the command was told to do. */
export type Order =
  | { readonly kind: 'create'; readonly folder: string; readonly name: string | undefined }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly reason: string }

/** How the command is given. */
export const usage = `create-mintmark [folder] [--name NAME]

Makes a folder with a running authorization server. It must be new, or empty; default: my-server.

  --name NAME   the name in its package.json; default: that of the folder
  --help        shows this`

/** Reads the arguments. */
export function readOrder(argv: readonly string[]): Order {
  try {
    const { positionals, values } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const [folder = 'my-server', ...others] = positionals
    if (values.help === true) return { kind: 'help' }
    if (others.length > 0) return refuse(`one folder, please, and not also ${others.join(' and ')}.`)
    if (folder === '') return refuse('the folder has no name.')
    if (values.name !== undefined && !isPackageName(values.name)) {
      return refuse(`npm takes no package that is called ${JSON.stringify(values.name)}.`)
    }
    return { kind: 'create', folder, name: values.name }
  } catch (error) {
    // An option that there is not. The sentence is Node's.
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const refuse = (reason: string): Order => ({ kind: 'refused', reason })

const options = { name: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
