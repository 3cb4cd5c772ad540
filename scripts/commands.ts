/** The files of the commands, with the scripts of package.json that must run before them. */
export const commandGroups: Record<string, Record<string, readonly string[]>> = {
  generate: {
    readme: ['scripts/fill-code-blocks.ts'],
    reference: ['scripts/reference.ts'],
    conformance: ['scripts/write-conformance-page.ts'],
    compatibility: ['scripts/compatibility.ts'],
    'api-report': ['scripts/api-report.ts', 'types'],
    sizes: ['scripts/sizes.ts'],
    screenshots: ['scripts/screenshots.ts'],
    'console-screenshot': ['scripts/console-screenshot.ts'],
    site: ['scripts/site.ts'],
    'bill-of-materials': ['scripts/sbom.mjs'],
  },
  bench: {
    requests: ['benchmarks/src/bench.ts'],
    start: ['benchmarks/src/start-up/start-up.ts', 'build'],
    compare: ['benchmarks/src/compare/compare.ts'],
    core: ['benchmarks/src/without-http.ts'],
    deliveries: ['benchmarks/src/deliveries.ts'],
    verify: ['benchmarks/src/verify.ts'],
    logout: ['test/performance/logout-figures.ts'],
    'purge-million': ['packages/storage-sql/bench/purge-million.ts'],
    'scim-million': ['packages/storage-sql/bench/scim-million.ts'],
    partitions: ['packages/storage-sql/bench/partitions.ts'],
    size: ['test/size/size.ts'],
    'row-sizes': ['packages/storage-sql/bench/row-sizes.ts'],
  },
  stress: {
    race: ['test/processes/race.ts'],
    overload: ['test/processes/overload.ts'],
    chaos: ['test/chaos/chaos.ts'],
    'hostile-tenant': ['test/hostile-tenant/hostile-tenant.ts'],
  },
  cluster: {
    postgres: ['test/cluster/postgres.ts'],
    redis: ['test/cluster/redis.ts'],
    galera: ['test/cluster/galera.ts'],
  },
}

/** The commands that accept no words after their name. */
export const withoutWords: readonly string[] = [
  'readme',
  'reference',
  'conformance',
  'compatibility',
  'console-screenshot',
  'site',
  'bill-of-materials',
  'deliveries',
  'verify',
]
