import { expect, test } from 'vitest'
import { findCycles, readSourceFiles, type SourceFile } from './source-files.ts'

/**
 * The only imports allowed between packages. `types` allows only `import type`. A package that is not listed fails.
 * Unit tests may also use test-only dependencies.
 */
const allowedImports: Readonly<
  Record<string, { readonly any: readonly string[]; readonly types?: readonly string[] }>
> = {
  'storage-interface': { any: [] },
  // Only parts of jose: importing all of it doubles the start-up time.
  internal: { any: ['@mintmark/storage-interface', '@mintmark/storage-interface/stores', 'jose/*'] },
  core: {
    any: [
      '@mintmark/internal',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/records',
      '@mintmark/storage-interface/stores',
      'jose/*',
      'zod/mini',
      'zod/locales',
    ],
    types: ['jose'],
  },
  'storage-sql': {
    any: [
      '@mintmark/internal',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/records',
      '@mintmark/storage-interface/stores',
      'kysely',
      /** Drivers and the command line: */ 'pg',
      'mysql2',
      'node:*',
    ],
  },
  'storage-redis': {
    any: ['@mintmark/storage-interface', '@mintmark/storage-interface/records', '@mintmark/storage-interface/stores'],
  },
  pages: { any: ['@mintmark/core/http', '@mintmark/internal'] },
  scim: {
    any: [
      '@mintmark/core',
      '@mintmark/core/http',
      '@mintmark/internal',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
      '@mintmark/core/internal',
      'zod',
    ],
  },
  provisioning: {
    any: [
      '@mintmark/core',
      '@mintmark/core/internal',
      '@mintmark/internal',
      '@mintmark/scim/engine',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
    ],
  },
  signals: {
    any: [
      '@mintmark/core',
      '@mintmark/core/internal',
      '@mintmark/internal',
      '@mintmark/scim/engine',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
      'jose/*',
    ],
  },
  admin: {
    any: [
      '@mintmark/core',
      '@mintmark/core/http',
      '@mintmark/core/internal',
      '@mintmark/internal',
      '@mintmark/provisioning',
      '@mintmark/scim',
      '@mintmark/scim/engine',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
      'zod',
    ],
  },
  console: {
    any: ['@mintmark/core', '@mintmark/core/http', '@mintmark/internal', '@mintmark/pages/internal'],
    types: ['@mintmark/admin', '@mintmark/storage-interface'],
  },
  registration: {
    any: [
      '@mintmark/core',
      '@mintmark/core/internal',
      '@mintmark/internal',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
      'jose',
    ],
  },
  cli: {
    any: [
      '@mintmark/admin',
      '@mintmark/core',
      '@mintmark/core/internal',
      '@mintmark/internal',
      '@mintmark/pages/internal',
      '@mintmark/provisioning',
      '@mintmark/scim',
      '@mintmark/scim/engine',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
      '@mintmark/storage-sql',
      '@mintmark/storage-sql/command',
      '@mintmark/storage-sql/mariadb',
      '@mintmark/storage-sql/postgres',
      '@mintmark/storage-sql/sqlite',
      '@mintmark/testkit',
      'cli-progress',
      'commander',
      'csv-parse',
      'zod',
      'node:*',
    ],
  },
  testkit: {
    any: [
      '@mintmark/adapter-fetch',
      '@mintmark/core',
      '@mintmark/internal',
      '@mintmark/storage-interface',
      '@mintmark/storage-interface/stores',
      '@mintmark/storage-interface/memory',
    ],
    types: ['@mintmark/core/http', '@mintmark/core/internal'],
  },
  'create-mintmark': { any: ['node:*'] },
  'adapter-node': { any: ['@mintmark/internal', 'node:*'], types: ['@mintmark/core/http'] },
  'adapter-express': {
    any: ['@mintmark/adapter-node'],
    types: ['@mintmark/core/http', 'express', 'express-serve-static-core'],
  },
  'adapter-fetch': { any: ['@mintmark/internal'], types: ['@mintmark/core/http'] },
  'resource-server': { any: ['@mintmark/internal', 'jose/*'], types: ['jose'] },
}

const testOnlyImports = [
  'vitest',
  'fast-check',
  'jose',
  '@mintmark/storage-interface/memory',
  '@mintmark/storage-interface/contract',
  '@mintmark/storage-interface/fixtures',
  '@mintmark/storage-interface/records',
]

const sources = await readSourceFiles('packages')
const packageNames = [...new Set(sources.map((file) => file.packageName))]

test('every package with sources has a row in the table of allowed imports', () => {
  expect(packageNames.filter((name) => allowedImports[name] === undefined)).toEqual([])
})

test.for(packageNames)('%s imports only what its row allows', (packageName) => {
  const files = sources.filter((file) => file.packageName === packageName)

  const forbidden = files.flatMap((file) => forbiddenImports(file))

  expect(forbidden).toEqual([])
})

test('core/http imports nothing from the rest of core', () => {
  const http = sources.filter((file) => file.path.startsWith('packages/core/src/http/') && !file.isTest)

  const outsideImports = http.flatMap((file) =>
    file.imports
      .filter(
        ({ specifier, target }) => specifier !== '@mintmark/internal' && !target?.startsWith('packages/core/src/http/'),
      )
      .map(({ specifier }) => `${file.path}: ${specifier}`),
  )

  expect(outsideImports).toEqual([])
})

test('relative imports stay inside their package', () => {
  const foreignImports = sources.flatMap((file) =>
    file.imports
      .filter(({ target }) => target !== undefined && !isOwnFile(file, target))
      .map(({ specifier }) => `${file.path}: ${specifier}`),
  )

  expect(foreignImports).toEqual([])
})

test('there are no import cycles between files, type imports included', () => {
  expect(findCycles(sources)).toEqual([])
})

test('the cycle search finds a cycle', () => {
  const file = (path: string, target: string): SourceFile => ({
    path,
    packageName: 'core',
    isTest: false,
    text: '',
    imports: [{ specifier: `./${target}`, target, typeOnly: true }],
  })

  expect(findCycles([file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'b.ts')])).toEqual(['b.ts → c.ts → b.ts'])
})

test('only the runtime modules read the system clock', () => {
  const clockReaders = sources
    .filter((file) => !file.isTest && !/^packages\/(?:internal|resource-server)\/src\/runtime\.ts$/.test(file.path))
    .filter((file) => /\bnew Date\(\)|\bDate\.now\b|\bperformance\.now\b/.test(file.text))

  expect(clockReaders.map((file) => file.path)).toEqual([])
})

function forbiddenImports(file: SourceFile): string[] {
  const row = allowedImports[file.packageName] ?? { any: [] }
  const any = file.isTest ? [...row.any, ...(row.types ?? []), ...testOnlyImports, 'node:*'] : row.any

  return file.imports
    .filter(({ target }) => target === undefined)
    .filter(({ specifier, typeOnly }) => !matches(any, specifier) && !(typeOnly && matches(row.types ?? [], specifier)))
    .map(({ specifier }) => `${file.path}: ${specifier}`)
}

function matches(patterns: readonly string[], specifier: string): boolean {
  return patterns.some(
    (pattern) => pattern === specifier || (pattern.endsWith('*') && specifier.startsWith(pattern.slice(0, -1))),
  )
}

/** Returns whether the file may import the target: its package's `src`, and for a test also its package's `test`. */
function isOwnFile(file: SourceFile, target: string): boolean {
  const folder = `packages/${file.packageName}/`
  return target.startsWith(`${folder}src/`) || (file.isTest && target.startsWith(`${folder}test/`))
}
