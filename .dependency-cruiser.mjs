// Which package may import what: the same list as in test/architecture/imports.test.ts, here on resolved modules.
/** A package's sources may import themselves, the workspace packages named, and the npm packages named. */
function only(name, { workspace = [], npm = [], nodeBuiltins = false }) {
  const own = `^packages/${name}/src/`
  const allowed = [
    own,
    ...workspace.map((path) => `^packages/${path}`),
    ...npm.map((dependency) => `/node_modules/(@types/)?${dependency}/`),
  ]
  return {
    name: `${name}-imports`,
    comment: 'The design lists the only imports allowed between packages.',
    severity: 'error',
    from: { path: own, pathNot: '\\.test\\.ts$' },
    to: { pathNot: allowed, dependencyTypesNot: nodeBuiltins ? ['core'] : [] },
  }
}

export default {
  forbidden: [
    only('storage-interface', {}),
    only('internal', { workspace: ['storage-interface/src/'], npm: ['jose'] }),
    only('core', { workspace: ['internal/src/', 'storage-interface/src/'], npm: ['jose', 'zod'] }),
    only('storage-sql', {
      workspace: ['internal/src/', 'storage-interface/src/'],
      npm: ['kysely', 'pg'],
      nodeBuiltins: true,
    }),
    only('storage-redis', { workspace: ['storage-interface/src/'] }),
    only('pages', { workspace: ['core/src/http/', 'internal/src/'] }),
    only('scim', { workspace: ['core/src/', 'internal/src/', 'storage-interface/src/'], npm: ['zod'] }),
    only('admin', { workspace: ['core/src/', 'internal/src/', 'scim/src/', 'storage-interface/src/'], npm: ['zod'] }),
    only('cli', {
      workspace: [
        'admin/src/',
        'core/src/',
        'internal/src/',
        'scim/src/',
        'storage-interface/src/',
        'storage-sql/src/',
      ],
      npm: ['cli-progress', 'commander', 'csv-parse', 'zod'],
      nodeBuiltins: true,
    }),
    only('testkit', { workspace: ['core/src/', 'internal/src/', 'storage-interface/src/', 'adapter-fetch/src/'] }),
    only('create-mintmark', { nodeBuiltins: true }),
    only('adapter-node', { workspace: ['core/src/http/', 'internal/src/'], nodeBuiltins: true }),
    only('adapter-express', {
      workspace: ['adapter-node/src/', 'core/src/http/'],
      npm: ['express', 'express-serve-static-core'],
    }),
    only('adapter-fetch', { workspace: ['core/src/http/', 'internal/src/'] }),
    only('resource-server', { workspace: ['internal/src/'], npm: ['jose'] }),
    {
      name: 'http-stands-alone',
      comment: 'core/http is plain request and response values: it imports nothing from the rest of core.',
      severity: 'error',
      from: { path: '^packages/core/src/http/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^packages/(core/src/http|internal/src)/' },
    },
    {
      name: 'no-runtime-import-of-core-in-adapters',
      comment: 'An adapter needs the types of core/http only.',
      severity: 'error',
      from: { path: '^packages/adapter-[^/]+/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/core/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-an-example',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^examples/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that does not resolve would slip past every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '(\\.test\\.ts$|/test/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The Next.js example is a project of its own, whose dependencies are not installed here.
    exclude: { path: '^(packages|examples)/[^/]+/(dist|\\.types)/|^examples/nextjs/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      conditionNames: ['@mintmark/source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    },
  },
}
