import { parseArgs } from 'node:util'

import { databases, frameworks, userTables, type Given } from './choices.ts'

/** The parsed arguments of the command. */
export type Invocation =
  | ({ readonly kind: 'create' } & CreateArguments)
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly reason: string }

/** What to create. What was not given is asked, or has a default. */
export interface CreateArguments {
  readonly folder: string | undefined
  /** The name in package.json. */
  readonly name: string | undefined
  readonly given: Given
  readonly databaseUrl: string | undefined
  readonly issuer: string | undefined
  readonly install: 'yes' | 'no'
  readonly questions: 'asked' | 'answered'
}

const namesOf = (choices: readonly { readonly name: string }[]): string => choices.map(({ name }) => name).join(', ')

/** The help text. */
export const usage = `create-mintmark [folder] [options]

Creates a folder with an authorization server. The folder must be new or empty; default: my-server. If it contains an Express or
Next.js project, Mintmark is added to that project; default: the project in this folder. In a terminal, the command asks what the
options do not say.

  --framework NAME     ${namesOf(frameworks)}
  --database NAME      ${namesOf(databases)}
  --database-url URL   the address of the database
  --users NAME         ${userTables.map(({ name, title }) => `${name}: ${title}`).join('\n                       ')}
  --issuer URL         the address of the authorization server; default: http://localhost:3000, in a project .../id
  --name NAME          the name in package.json; default: the name of the folder
  --no-install         installs nothing, and sets up nothing
  --yes                asks nothing; the first of each list is the default
  --help               shows this help`

/** Parses the arguments of the command. */
export function parseInvocation(argv: readonly string[]): Invocation {
  try {
    const { positionals, values } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const [folder, ...others] = positionals
    const { name, framework, database, users } = values
    if (values.help === true) return { kind: 'help' }
    if (others.length > 0) return refuse(`specify only one folder, without ${others.join(' and ')}.`)
    if (folder === '') return refuse('the folder has no name.')
    if (name !== undefined && !isPackageName(name)) {
      return refuse(`${JSON.stringify(name)} is not a valid package name.`)
    }
    if (values.issuer !== undefined && !isIssuer(values.issuer)) {
      return refuse(`--issuer ${JSON.stringify(values.issuer)} is not an http or https URL without a slash at its end.`)
    }
    return {
      kind: 'create',
      folder,
      name,
      given: { framework, database, users },
      databaseUrl: values['database-url'],
      issuer: values.issuer,
      install: values['no-install'] === true ? 'no' : 'yes',
      questions: values.yes === true ? 'answered' : 'asked',
    }
  } catch (error) {
    // The message of `parseArgs` names the unknown option.
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const refuse = (reason: string): Invocation => ({ kind: 'refused', reason })

const options = {
  framework: { type: 'string' },
  database: { type: 'string' },
  'database-url': { type: 'string' },
  users: { type: 'string' },
  issuer: { type: 'string' },
  name: { type: 'string' },
  'no-install': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Whether a URL can be the issuer: Mintmark checks the rest when it starts. */
const isIssuer = (text: string): boolean =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') && !/[/?#]$|[?#\s]/.test(text)

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
