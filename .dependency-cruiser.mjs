// Checks on resolved modules. test/architecture/imports.test.ts lists which package may import which.
export default {
  forbidden: [
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
