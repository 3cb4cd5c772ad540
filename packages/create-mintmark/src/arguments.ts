import { parseArgs } from 'node:util'

/** The parsed arguments of the command. */
export type Invocation =
  | { readonly kind: 'create'; readonly folder: string; readonly name: string | undefined }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly reason: string }

/** The help text. */
export const usage = `create-mintmark [folder] [--name NAME]

Creates a folder with an authorization server. The folder must be new or empty; default: my-server.

  --name NAME   the name in package.json; default: the name of the folder
  --help        shows this help`

/** Parses the arguments of the command. */
export function parseInvocation(argv: readonly string[]): Invocation {
  try {
    const { positionals, values } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const [folder = 'my-server', ...others] = positionals
    if (values.help === true) return { kind: 'help' }
    if (others.length > 0) return refuse(`specify only one folder, without ${others.join(' and ')}.`)
    if (folder === '') return refuse('the folder has no name.')
    if (values.name !== undefined && !isPackageName(values.name)) {
      return refuse(`${JSON.stringify(values.name)} is not a valid package name.`)
    }
    return { kind: 'create', folder, name: values.name }
  } catch (error) {
    // The message of `parseArgs` names the unknown option.
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const refuse = (reason: string): Invocation => ({ kind: 'refused', reason })

const options = { name: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const

/** Whether npm accepts a package name: lower case, safe in a URL, with or without a scope. */
export const isPackageName = (name: string): boolean =>
  name.length <= 214 && /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)

/**
 * Derives the package name from the folder's name. Returns `my-server` if the folder's name has no usable characters.
 */
export function packageNameOf(folder: string): string {
  const name = folder
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
    .slice(0, 214)
  return isPackageName(name) ? name : 'my-server'
}
