import { spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { beforeAll, describe, expect, inject, it } from 'vitest'

const { folder } = inject('outside')
const { packages } = inject('packed')
const subpaths = packages.flatMap((packed) => packed.subpaths)

/** Programs that use the public API: programs that the documentation shows, and one for the rest. */
const programs = [
  ...['authorization-server', 'yours', 'server', 'register'].map((name) => `examples/minimal/src/${name}.ts`),
  'docs/snippets/administer',
  'docs/snippets/protect-an-api',
  'docs/snippets/provision-users',
  'docs/snippets/write-a-store',
  'test/packed/consumer',
]

beforeAll(() => {
  for (const program of programs) cpSync(program, join(folder, 'types', program), { recursive: true })
  const imports = subpaths.map((subpath, index) => `import * as _${index} from '${subpath}'\nvoid _${index}`)
  writeFileSync(join(folder, 'types/every-subpath.ts'), imports.join('\n'))
})

describe.each(['typescript5', 'typescript6', 'typescript7'])('%s', (compiler) => {
  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('every documented subpath type-checks in a strict project: $moduleResolution', async (resolution) => {
    const config = `tsconfig.${compiler}.${resolution.moduleResolution}.json`
    const compilerOptions = { ...strictest, ...resolution }
    writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, include: ['types'] }))

    const output = await runNode([join(folder, 'node_modules', compiler, 'bin/tsc'), '-p', config])

    expect(output).toBe('')
  })
})

it('the types of a package import only its dependencies and packages that the host chooses', () => {
  const needed = subpaths
    .map((subpath) => [subpath, thirdPartyModules(subpath)] as const)
    .filter(([, modules]) => modules.length > 0)

  expect(Object.fromEntries(needed)).toEqual({
    '@mintmark/adapter-express': ['express'],
    '@mintmark/adapter-node': ['node:http'],
    '@mintmark/admin': ['jose'],
    '@mintmark/core': ['jose'],
    '@mintmark/provisioning': ['jose'],
    '@mintmark/registration': ['jose'],
    '@mintmark/resource-server': ['jose'],
    '@mintmark/scim': ['jose'],
    '@mintmark/signals': ['jose'],
    '@mintmark/storage-sql': ['kysely'],
    '@mintmark/storage-sql/durable-object': ['kysely'],
    '@mintmark/storage-sql/mariadb': ['kysely'],
    '@mintmark/storage-sql/postgres': ['kysely'],
    '@mintmark/storage-sql/sqlite': ['kysely'],
    '@mintmark/testkit': ['jose'],
  })
})

/** Without the DOM: Node's types must be enough. The optional `exactOptionalPropertyTypes` finds more errors. */
const strictest = {
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  resolveJsonModule: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}

/** Runs a program. @returns its stdout and stderr. */
const runNode = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: folder })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    child.on('close', () => resolve(output.join('')))
  })

/** Returns the third-party modules that the declarations of a subpath import, directly or indirectly. */
function thirdPartyModules(subpath: string): readonly string[] {
  const [scope = '', name = '', ...rest] = subpath.split('/')
  const home = join(folder, 'node_modules', scope, name)
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Manifest
  const seen = new Set<string>()
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)
    for (const [, target = ''] of imports) {
      if (target.startsWith('.')) visit(declarationsOf(join(dirname(file), target)))
      else if (!target.startsWith('@mintmark/')) found.add(target)
    }
  }
  visit(join(home, exports[['.', ...rest].join('/')]?.types ?? ''))
  return [...found].toSorted()
}

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string }>>
}

function declarationsOf(target: string): string {
  const file = target.replace(/\.[jt]s$/, '.d.ts')
  return existsSync(file) ? file : target
}
