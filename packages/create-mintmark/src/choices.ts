/** A layer of the template: a folder with some of `code`, `app`, `scripts`, `root`, `test`, `manifest.json` and `readme.md`. */
type Layer = string

/** What somebody can choose, and which layers of the template it adds. */
interface Choice {
  readonly name: string
  /** As the question shows it. */
  readonly title: string
  readonly layers: readonly Layer[]
}

/** A framework, with the databases that it can use. */
export interface Framework extends Choice {
  /** The folder of the code, `src` or a folder that also fits into an existing project. */
  readonly code: 'src' | 'mintmark'
  /** The path of the issuer. It leaves other paths to the project. */
  readonly issuerPath: '' | '/id'
  /** The path that the issuer must have, because routes are files. */
  readonly fixedPath?: string
  /** The arguments of the package manager that start the project. */
  readonly start: readonly string[]
  /** How it is added to an existing project, which is recognized by a dependency. */
  readonly added?: { readonly dependency: string; readonly layers: readonly Layer[]; readonly note: string }
  readonly databases: readonly [string, ...string[]]
  /** What to say when another database is chosen; by default the names of `databases`. */
  readonly databaseAdvice?: string
  /** Whether `npm run setup` creates the first records, or the program does when it starts for the first time. */
  readonly setUp: 'by-command' | 'at-start'
}

/** A database. */
export interface Database extends Choice {
  /** What is in `.env` to find it. None if the platform binds it. */
  readonly address?: DatabaseAddress
}

export interface DatabaseAddress {
  readonly variable: string
  readonly byDefault: string
  /** Whether the address is that of a server, which may not be running. */
  readonly needsServer: boolean
  /** The form of an address. */
  readonly form: RegExp
}

const everyDatabase = ['sqlite', 'postgresql', 'mariadb'] as const

export const frameworks: readonly Framework[] = [
  {
    name: 'express',
    title: 'Express',
    layers: ['setup', 'browser', 'server', 'frameworks/express'],
    code: 'src',
    issuerPath: '',
    start: ['start'],
    added: {
      dependency: 'express',
      layers: ['setup', 'added', 'frameworks/express-added'],
      note: `Add these lines to your app, before express.json() and other body parsers:

  import { mintmark } from './mintmark/mintmark.ts'
  app.use(await mintmark())`,
    },
    databases: everyDatabase,
    setUp: 'by-command',
  },
  {
    name: 'hono',
    title: 'Hono',
    layers: ['setup', 'browser', 'server', 'frameworks/hono'],
    code: 'src',
    issuerPath: '',
    start: ['start'],
    databases: everyDatabase,
    setUp: 'by-command',
  },
  {
    name: 'nextjs',
    title: 'Next.js',
    layers: ['setup', 'added', 'frameworks/nextjs', 'frameworks/nextjs-new'],
    code: 'mintmark',
    issuerPath: '/id',
    fixedPath: '/id',
    start: ['run', 'dev'],
    added: {
      dependency: 'next',
      layers: ['setup', 'added', 'frameworks/nextjs'],
      note: 'The route handlers app/id and app/.well-known serve it.',
    },
    databases: everyDatabase,
    setUp: 'by-command',
  },
  {
    name: 'fastify',
    title: 'Fastify',
    layers: ['setup', 'browser', 'server', 'frameworks/fastify'],
    code: 'src',
    issuerPath: '',
    start: ['start'],
    databases: everyDatabase,
    setUp: 'by-command',
  },
  {
    name: 'cloudflare-workers',
    title: 'Cloudflare Workers',
    layers: ['browser', 'frameworks/cloudflare-workers'],
    code: 'src',
    issuerPath: '',
    start: ['run', 'dev'],
    databases: ['durable-object'],
    databaseAdvice: 'The database of a Worker is its Durable Object: write --database durable-object, or leave it out.',
    setUp: 'at-start',
  },
]

/** Other names of a framework. They are refused with its name, so that each has one. */
const otherNames: Readonly<Record<string, string>> = {
  workers: 'cloudflare-workers',
  cloudflare: 'cloudflare-workers',
  next: 'nextjs',
}

export const databases: readonly Database[] = [
  {
    name: 'sqlite',
    title: 'SQLite: a file, for one server',
    layers: ['databases/sqlite'],
    address: { variable: 'MINTMARK_SQLITE', byDefault: 'mintmark.db', needsServer: false, form: /^(?!\w+:\/\/)./ },
  },
  {
    name: 'postgresql',
    title: 'PostgreSQL',
    layers: ['databases/postgresql'],
    address: {
      variable: 'MINTMARK_POSTGRES',
      byDefault: 'postgres://localhost:5432/mintmark',
      needsServer: true,
      form: /^postgres(?:ql)?:\/\/./,
    },
  },
  {
    name: 'mariadb',
    title: 'MariaDB',
    layers: ['databases/mariadb'],
    address: {
      variable: 'MINTMARK_MARIADB',
      byDefault: 'mariadb://localhost:3306/mintmark',
      needsServer: true,
      form: /^(?:mariadb|mysql):\/\/./,
    },
  },
  {
    name: 'durable-object',
    title: 'A Durable Object: the database of a Worker',
    layers: ['databases/durable-object'],
  },
]

export const userTables: readonly Choice[] = [
  { name: 'ours', title: 'A new user table, with hashed passwords and passkeys', layers: ['users/ours'] },
  { name: 'own', title: 'My own user table, with a small adapter to fill in', layers: ['users/own'] },
]

/** What a project is made of. */
export interface Choices {
  readonly framework: Framework
  readonly database: Database
  readonly users: Choice
}

/** The names that were given; the others are chosen. */
export interface Given {
  readonly framework?: string | undefined
  readonly database?: string | undefined
  readonly users?: string | undefined
}

/** The choices, or a sentence that says what to choose instead. */
export type Chosen = { readonly kind: 'chosen'; readonly choices: Choices } | Refused

interface Refused {
  readonly kind: 'refused'
  readonly reason: string
}

/** Finds the choices with the given names. What was not given is the first that fits. */
export function choose(given: Given): Chosen {
  const meant = otherNames[given.framework ?? '']
  if (meant !== undefined) return refuse(`--framework "${given.framework}" is not known. Write --framework ${meant}.`)
  const framework = find('framework', frameworks, given.framework)
  if ('kind' in framework) return framework
  const database = find('database', databases, given.database ?? framework.databases[0])
  if ('kind' in database) return database
  const users = find('users', userTables, given.users)
  if ('kind' in users) return users
  if (framework.databases.includes(database.name)) {
    return { kind: 'chosen', choices: { framework, database, users } }
  }
  const { databaseAdvice = `Choose ${listOf(framework.databases)}.` } = framework
  return refuse(`--framework ${framework.name} does not go with --database ${database.name}. ${databaseAdvice}`)
}

function find<C extends Choice>(flag: string, all: readonly C[], name: string | undefined): C | Refused {
  const found = name === undefined ? all[0] : all.find((choice) => choice.name === name)
  const names = listOf(all.map((choice) => choice.name))
  return found ?? refuse(`--${flag} ${JSON.stringify(name)} is not known. Choose ${names}.`)
}

const refuse = (reason: string): Refused => ({ kind: 'refused', reason })

/** Such as `a, b or c`. */
const listOf = (names: readonly string[]): string => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
