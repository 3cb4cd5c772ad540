import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

import { choose, databases, frameworks, userTables, type Choices } from '../src/choices.ts'
import { createSecrets, readTemplate } from '../src/template.ts'
import { writeProject } from '../src/write-project.ts'

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

/** Every combination that can be chosen. */
export const combinations: readonly Choices[] = frameworks.flatMap((framework) =>
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

async function generateProject(parent: string, choices: Choices): Promise<GeneratedProject> {
  const name = [choices.framework, choices.database, choices.users].map((choice) => choice.name).join('-')
  const folder = join(parent, name)
  const address = choices.database.defaultAddress
  const files = await readTemplate({ name, choices, address, secrets: createSecrets() })
  await writeProject(folder, files, new AbortController().signal)
  const environment = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as GeneratedProject['environment']
  return { name, choices, folder, environment }
}

/** Writes a configuration of the compiler for all projects, whose own options differ in nothing but our sources. */
export function writeCompilerConfiguration({ folder, projects }: GeneratedProjects): string {
  const path = join(folder, 'tsconfig.json')
  const options = { extends: `./${projects[0]?.name}/tsconfig.json`, include: ['*/src', '*/test'] }
  // What our sources need; the types of the packages, which projects see, do not.
  const compilerOptions = {
    customConditions: ['@mintmark/source'],
    lib: ['es2023', 'dom', 'dom.iterable'],
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(path, JSON.stringify({ ...options, compilerOptions }))
  return path
}
