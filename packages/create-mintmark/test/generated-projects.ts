import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

import { choose, databases, frameworks, userTables, type Choices } from '../src/choices.ts'
import { createSecrets, readTemplate } from '../src/template.ts'
import { addToProject, writeProject } from '../src/write-project.ts'

/** Projects in a folder of this package, so that they find its dependencies, and our packages as sources. */
export interface GeneratedProjects {
  readonly folder: string
  readonly projects: readonly GeneratedProject[]
  remove(): void
}

export interface GeneratedProject {
  /** Such as `hono-mariadb-own`. */
  readonly name: string
  readonly choices: Choices
  readonly folder: string
  /** The variables in `.env`. */
  readonly environment: Readonly<Record<string, string>>
}

/** Every combination but those with Next.js. test/packed has those that need a compiler of their own. */
export const combinations: readonly Choices[] = frameworks
  .filter(({ code }) => code === 'src')
  .flatMap((framework) =>
    databases.flatMap((database) =>
      userTables.flatMap((users) => {
        const chosen = choose({ framework: framework.name, database: database.name, users: users.name })
        return chosen.kind === 'chosen' ? [chosen.choices] : []
      }),
    ),
  )

/** Creates a project for every combination. */
export async function generateProjects(): Promise<GeneratedProjects> {
  const parent = resolve('packages/create-mintmark/.projects')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'of-a-test-'))
  const projects = await Promise.all(combinations.map((choices) => generateProject(folder, choices)))
  return { folder, projects, remove: () => rmSync(folder, { recursive: true }) }
}

/** Creates a project with Express, and adds the files to it. */
export async function addToExpress({ folder: parent }: GeneratedProjects, users: string): Promise<GeneratedProject> {
  const chosen = choose({ framework: 'express', users })
  if (chosen.kind === 'refused') throw new Error(chosen.reason)
  const folder = join(parent, `added-${users}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(folder, 'main.ts'), expressProject)
  const { files } = await readTemplate({
    name: 'added',
    choices: chosen.choices,
    address: undefined,
    issuer: 'http://localhost:3000/id',
    secrets: createSecrets(),
    existing: { sources: '' },
  })
  await addToProject(folder, files, new AbortController().signal)
  const environment = parseEnv(readFileSync(join(folder, 'mintmark/.env'), 'utf8')) as GeneratedProject['environment']
  return { name: `added-${users}`, choices: chosen.choices, folder, environment }
}

const expressProject = `import express from 'express'
import { mintmark } from './mintmark/mintmark.ts'

const app = express()
app.use(await mintmark())
app.use(express.json())
app.get('/', (_request, response) => void response.send('my own page'))
app.listen(Number(process.env['PORT']), '127.0.0.1')
`

/** Returns the name of a combination, such as `hono-mariadb-own`. */
export const nameOf = ({ framework, database, users }: Choices): string =>
  [framework, database, users].map(({ name }) => name).join('-')

async function generateProject(parent: string, choices: Choices): Promise<GeneratedProject> {
  const name = nameOf(choices)
  const folder = join(parent, name)
  const { files } = await readTemplate({
    name,
    choices,
    address: undefined,
    issuer: 'http://localhost:3000',
    secrets: createSecrets(),
    existing: undefined,
  })
  await writeProject(folder, files, new AbortController().signal)
  const environment = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as GeneratedProject['environment']
  return { name, choices, folder, environment }
}

/** Writes a configuration of the compiler for all projects, whose own options differ in nothing but our sources. */
export function writeCompilerConfiguration({ folder, projects }: GeneratedProjects): string {
  const path = join(folder, 'tsconfig.json')
  const options = {
    extends: `./${projects[0]?.name}/tsconfig.json`,
    include: ['*/src', '*/test', '*/scripts', '*/main.ts', '*/mintmark'],
  }
  // What our sources need; the types of the packages, which projects see, do not.
  const compilerOptions = {
    customConditions: ['@mintmark/source'],
    lib: ['es2023', 'dom', 'dom.iterable'],
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(path, JSON.stringify({ ...options, compilerOptions }))
  return path
}
