import { isBuiltin } from 'node:module'
import { posix } from 'node:path'

import ts from 'typescript'
import { expect, test } from 'vitest'

import { choose, databases, frameworks, userTables } from '../src/choices.ts'
import type { Manifest } from '../src/manifest.ts'
import { createSecrets, readTemplate } from '../src/template.ts'

/** Every project that the command creates, and everything that it adds to an existing project. */
const projects = frameworks.flatMap((framework) =>
  databases.flatMap((database) =>
    userTables.flatMap((users) => {
      const names = { framework: framework.name, database: database.name, users: users.name }
      const chosen = choose(names)
      if (chosen.kind === 'refused') return []
      const title = Object.values(names).join(', ')
      const { choices } = chosen
      const added = (['', 'src'] as const).map((sources) => ({
        title: `${title}, added to a project${sources && ' with sources in src'}`,
        choices,
        existing: { sources },
      }))
      return [{ title, choices, existing: undefined }, ...(framework.added === undefined ? [] : added)]
    }),
  ),
)

test.each(projects)(
  '$title: everything that a file imports, runs or tells to run is in the project',
  async ({ choices, existing }) => {
    const { files, manifest } = await readTemplate({
      name: 'my-server',
      choices,
      existing,
      address: undefined,
      issuer: 'http://localhost:3000',
      secrets: createSecrets(),
    })
    const project = new Map(files.map(({ path, text }) => [posix.normalize(path.replaceAll('\\', '/')), text]))
    if (existing !== undefined) {
      const before = { [choices.framework.added?.dependency ?? '']: '*' }
      project.set('package.json', JSON.stringify({ dependencies: { ...manifest.dependencies, ...before } }))
    }

    expect([...project.keys()].filter((path) => isSource(path)).length).toBeGreaterThan(15)
    expect(unresolved(project)).toEqual([])
  },
)

const manifestOf = (manifest: Manifest) => ['package.json', JSON.stringify(manifest)] as const

test.each([
  ['a file that does not exist', [manifestOf({}), ['src/a.ts', "import './b.ts'"]], 'src/a.ts: ./b.ts'],
  ['an alias that is not declared', [manifestOf({}), ['src/a.ts', "export * from '#b'"]], 'src/a.ts: #b'],
  [
    'an alias of a pattern without its file',
    [manifestOf({ imports: { '#*': './src/*.ts' } }), ['src/a.ts', "export * from '#b'"]],
    'src/a.ts: #b',
  ],
  ['an alias of no file', [manifestOf({ imports: { '#b': './src/b.ts' } })], 'package.json: #b'],
  ['a package that is not listed', [manifestOf({}), ['src/a.ts', "await import('pg')"]], 'src/a.ts: pg'],
  [
    'types of a package that is not listed',
    [manifestOf({}), ['src/a.ts', "import type { Pool } from '@a/pg/b'"]],
    'src/a.ts: @a/pg/b',
  ],
  ['a command without its script', [manifestOf({}), ['src/a.ts', "'npm run migrate'"]], 'src/a.ts: npm run migrate'],
  ['a command without its file', [manifestOf({}), ['README.md', 'Run `node a/b.ts`.']], 'README.md: node a/b.ts'],
  ['a script without its file', [manifestOf({ scripts: { start: 'node src/a.ts' } })], 'package.json: src/a.ts'],
  [
    'a script of a package that is not listed',
    [manifestOf({ scripts: { start: 'node node_modules/@a/b/dist/main.js' } })],
    'package.json: node_modules/@a/b/dist/main.js',
  ],
] as const)('the check finds %s', (_, files, problem) => {
  expect(unresolved(new Map(files))).toEqual([problem])
})

type Project = ReadonlyMap<string, string>

const isSource = (path: string): boolean => /\.tsx?$/.test(path)

/** What files import, aliases stand for and scripts run, and the project does not have. */
const unresolved = (project: Project): readonly string[] =>
  [...project].flatMap(([path, text]) => {
    if (posix.basename(path) === 'package.json') return missingOf(path, project).map((name) => `${path}: ${name}`)
    const commands = unknownCommands(text, project).map((command) => `${path}: ${command}`)
    if (!isSource(path)) return commands
    const { importedFiles } = ts.preProcessFile(text, true, true)
    const specifiers = importedFiles.map(({ fileName }) => fileName)
    return [
      ...commands,
      ...specifiers.filter((name) => !resolves(name, path, project)).map((name) => `${path}: ${name}`),
    ]
  })

/** The commands in texts and error messages that run a script or a file that the project does not have. */
function unknownCommands(text: string, project: Project): readonly string[] {
  const { scripts = {} } = manifestAt('package.json', project)
  const ofScripts = [...text.matchAll(/npm (?:run )?(?<script>[a-z]+)\b/g)].filter(
    ({ groups }) =>
      !['install', 'create', 'start', ''].includes(groups?.['script'] ?? '') &&
      !((groups?.['script'] ?? '') in scripts),
  )
  const ofFiles = [...text.matchAll(/\bnode (?:--\S+ )*(?<file>[\w./-]+\.ts)\b/g)].filter(
    ({ groups }) => !project.has(groups?.['file'] ?? ''),
  )
  return [...ofScripts, ...ofFiles].map(([command]) => command)
}

/** The aliases and script files of a package.json that do not exist. */
function missingOf(path: string, project: Project): readonly string[] {
  const { imports = {}, scripts = {} } = manifestAt(path, project)
  const isFile = (name: string): boolean => project.has(posix.join(posix.dirname(path), name))
  const aliases = Object.entries(imports).filter(([name, target]) => !name.includes('*') && !isFile(target))
  const programs = Object.values(scripts)
    .flatMap((script) => script.split(/[\s"]+/))
    .filter(isProgram)
  return [
    ...aliases.map(([name]) => name),
    ...programs.filter((name) => !isFile(name) && !isListed(name.replace(/^node_modules\//, ''), project)),
  ]
}

/** Whether an argument of a script is the path of one program, and not a pattern. */
const isProgram = (argument: string): boolean => /^[^*]+\.[jt]s$/.test(argument)

/** Whether a file can import a specifier: a file or a package of the project, or a module of Node. */
function resolves(specifier: string, from: string, project: Project): boolean {
  if (specifier.startsWith('#')) return project.has(targetOf(specifier, from, project) ?? '')
  if (!specifier.startsWith('.')) return isBuiltin(specifier) || isListed(specifier, project)
  const target = posix.join(posix.dirname(from), specifier)
  // Next.js resolves an import in a route without an extension.
  return project.has(target) || (/^(?:src\/)?app\//.test(from) && project.has(`${target}.ts`))
}

/** The file that an alias stands for, by the package.json nearest to the importing file. */
function targetOf(alias: string, from: string, project: Project): string | undefined {
  let folder = posix.dirname(from)
  while (folder !== '.' && !project.has(posix.join(folder, 'package.json'))) folder = posix.dirname(folder)
  const { imports = {} } = manifestAt(posix.join(folder, 'package.json'), project)
  const target = imports[alias] ?? imports['#*']?.replace('*', alias.slice(1))
  return target && posix.join(folder, target)
}

/** Whether the package of a specifier is a dependency of the project. */
function isListed(specifier: string, project: Project): boolean {
  const { dependencies, devDependencies } = manifestAt('package.json', project)
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? []
  return name in { ...dependencies, ...devDependencies }
}

const manifestAt = (path: string, project: Project): Manifest => JSON.parse(project.get(path) ?? '{}') as Manifest
