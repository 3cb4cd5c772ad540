// Checks on resolved modules. test/architecture/imports.test.ts lists which package may import which.

/**
 * The floors of the packages: a folder, or a file at the root, imports only those that are listed before it, and itself.
 * Files at the root that are not listed are above all of them.
 */
const floors = {
  core: `
    schema-messages option-addresses sealing-key-error refusals refusal-advice parameters issuer outbound/ keys/ events telemetry http/ purge
    rate-limiter wait-limit sender/ clients/ permissions/ sessions/ consent/ tokens/ authorize/ errors logout/ decoupled/
    delivery/ options options-schema token/ settings discovery/
  `,
  admin: `
    text error/ custom-fields/ page last-administrators/ audit/ deliveries/ clients/ users/ organizations/
    providers/ agents/ grants/ sessions/ webhooks/ targets/ administration http/
  `,
  'storage-interface': `
    values options outcome records/ webhook cursor filter/ resource-list session user provisioned-user
    authorization-code delivery grant group client signing-key opaque-token subject revocation token-family
    change pushed-request decoupled-request organization custom-resource interaction identity-provider status replay
    initial-access-token log-entry agent directory-roles storage contract/ announce-revocations fixtures index memory/ stores
  `,
  scim: `
    error/ limits/ tolerance/ values/ schema/ filter/ resource/ patch/ providers/ event/ call/ list/ bulk/
    deprovisioning/ users/ sign-in/ custom/ agents/ groups/ discovery/ universal-logout/ engine options router server
  `,
  'storage-sql': `
    json-search dialect write-queues fair-turns migrations/ tables database row migrate until-aborted record-table
    groups-of-a-user list/ stores/ create-sql-storage standard-forms postgres/ sqlite/ mariadb/ durable-object/ command/ command
  `,
}

/** The pattern of a floor: `name/` is a folder, `name` a file. */
const pathOf = (floor) => (floor.endsWith('/') ? floor : `${floor}\\.ts$`)

const floorRules = Object.entries(floors).flatMap(([name, floorsOfPackage]) =>
  floorsOfPackage
    .trim()
    .split(/\s+/)
    .map((entry, index, entries) => ({
      name: `${name}-${entry.replace('/', '')}-imports-only-lower-floors`,
      severity: 'error',
      from: { path: `^packages/${name}/src/${pathOf(entry)}`, pathNot: '\\.test\\.ts$' },
      to: {
        path: `^packages/${name}/src/(?!${entries
          .slice(0, index + 1)
          .map(pathOf)
          .join('|')})`,
      },
    })),
)

export default {
  forbidden: [
    ...floorRules,
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
    // The Next.js example, and the routes of the template, are for projects of their own, whose dependencies are not installed here.
    exclude: {
      path: '^(packages|examples)/[^/]+/(dist|\\.types)/|^examples/nextjs/|^packages/create-mintmark/template/frameworks/[^/]+/app/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      conditionNames: ['@mintmark/source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    },
  },
}
