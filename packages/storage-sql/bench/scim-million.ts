// Measures what a look-up, a page and a change cost when a provider has a thousand users, and when it has a million:
// `pnpm bench scim-million [rows]`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AdminStorage, epochSeconds, providerId, type ResolvedFilter, userId } from '@mintmark/storage-interface'
import type { FilterAttribute, SortKey, TextOperator } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { positiveCount, requireNoMore, runCommand } from '../../../scripts/command-words.ts'
import { declaredAttributes } from '../test/support/declared-attributes.ts'
import { filledUser, fillProvider } from '../test/support/fill-provider.ts'
import { makeDatabase } from '../test/support/postgres-database.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const samples = 300
/** The number of samples of a search, which may read a whole index. */
const fewSamples = 7
const sizes = await runCommand('Write pnpm bench scim-million [ROWS] [--most-only].', (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'most-only': { type: 'boolean', default: false } },
  })
  const [rows = '1000000', ...more] = positionals
  requireNoMore(more)
  const most = positiveCount('The number of rows', rows)
  return values['most-only'] ? [most] : [1000, most]
})
const acme = providerId('provider-1')
const issuer = 'https://issuer.example'

async function measureSqlite(): Promise<void> {
  for (const rows of sizes) {
    const folder = await mkdtemp(join(tmpdir(), 'mintmark-scim-'))
    const dialect = openSqliteDialect(join(folder, 'test.db'), { migrate: 'on-open', synchronous: 'normal' })
    await measure(dialect, 'SQLite', rows)
    await dialect.close()
    await rm(folder, { recursive: true })
  }
}

async function measurePostgres(): Promise<void> {
  const server = await startPostgres()
  for (const rows of sizes) {
    const database = await makeDatabase(server.url)
    await measure(
      toPostgresDialect(database.pool(), { migrate: 'on-open', timeoutMilliseconds: 60_000 }),
      'PostgreSQL',
      rows,
    )
    await database.remove()
  }
  await server.stop()
}

async function measure(dialect: SqlDialect, engine: string, rows: number): Promise<void> {
  const storage = await createSqlStorage({ dialect, issuer })
  await fillProvider(dialect, { issuer, rows })
  await storage.provisionedUsers.indexAttributes(declaredAttributes)
  if (dialect.engine.name === 'postgres') await dialect.all('VACUUM ANALYZE', [])

  for (const [name, work] of Object.entries(workOn(storage, rows))) {
    for (let warm = 0; warm < 20; warm += 1) await work(1 + ((warm * 37) % rows))
    console.log(`${engine}, ${rows} users: ${name}, median ${await medianOf(work, rows, samples)} ms`)
  }
  for (const [name, work] of Object.entries(searchesOf(storage, rows))) {
    await work(1)
    console.log(`${engine}, ${rows} users: ${name}, median ${await medianOf(work, rows, fewSamples)} ms`)
  }
}

/** The filters and orders of identity providers that read a range of an index, or a whole index. */
function searchesOf(storage: AdminStorage, rows: number): Readonly<Record<string, (n: number) => Promise<unknown>>> {
  const search = async (query: { readonly filter?: ResolvedFilter; readonly sort?: SortKey }) => {
    const outcome = await storage.provisionedUsers.list({
      providerId: acme,
      filter: undefined,
      sort: undefined,
      page: { kind: 'index', offset: 0, limit: 100 },
      maxBytes: 8 * 1024 * 1024,
      ...query,
    })
    if (outcome.outcome !== 'listed') throw new Error('The storage refused the search')
  }
  const changedSince = (time: number): ResolvedFilter => ({
    kind: 'number',
    attribute: attribute('meta.lastModified'),
    operator: 'ge',
    value: time * 1000,
  })
  const active: ResolvedFilter = { kind: 'boolean', attribute: attribute('active'), operator: 'eq', value: true }
  const last = 1_700_000_000 + rows
  const sorted = (path: string, direction: SortKey['direction'] = 'ascending'): { readonly sort: SortKey } => ({
    sort: { attribute: attribute(path), elementPart: undefined, direction },
  })
  return {
    'meta.lastModified ge …, 1,000 changed': () => search({ filter: changedSince(last - 999) }),
    'meta.lastModified ge …, all changed': () => search({ filter: changedSince(0) }),
    'active eq true and (meta.lastModified ge … and meta.lastModified le …), 1,000 changed': () =>
      search({
        filter: and(active, {
          kind: 'and',
          operands: [changedSince(last - 999), { ...changedSince(last), operator: 'le' } as ResolvedFilter],
        }),
      }),
    'active eq true': () => search({ filter: active }),
    'userName sw, 1 in 90': () => search({ filter: text('userName', 'sw', 'person.42') }),
    'userName co': (n) => search({ filter: text('userName', 'co', `.${n}@`) }),
    'displayName eq, not found': () => search({ filter: text('displayName', 'eq', 'nobody') }),
    'displayName co, not found': () => search({ filter: text('displayName', 'co', 'nobody') }),
    'name.familyName eq, 1 in 1,000': () => search({ filter: text('name.familyName', 'eq', 'person 42') }),
    'employeeNumber eq, not found': () =>
      search({
        filter: {
          ...text('employeeNumber', 'eq', '4711'),
          attribute: {
            ...attribute('employeeNumber'),
            extension: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
          },
        } as ResolvedFilter,
      }),
    'emails co': (n) =>
      search({ filter: { kind: 'element', attribute: several('emails'), where: text('value', 'co', `.${n}@work`) } }),
    'phoneNumbers.value eq': (n) =>
      search({
        filter: { kind: 'element', attribute: several('phoneNumbers'), where: text('value', 'eq', `tel:+47-555-${n}`) },
      }),
    'sortBy userName': () => search(sorted('userName')),
    'sortBy userName descending': () => search(sorted('userName', 'descending')),
    'sortBy name.familyName': () => search(sorted('name.familyName')),
    'sortBy displayName': () => search(sorted('displayName')),
    'sortBy id': () => search(sorted('id')),
    'sortBy meta.created descending': () => search(sorted('meta.created', 'descending')),
    'sortBy meta.lastModified descending': () => search(sorted('meta.lastModified', 'descending')),
    'sortBy emails': () => search(sortedByValue('emails')),
    'sortBy emails descending': () => search(sortedByValue('emails', 'descending')),
    'sortBy phoneNumbers': () => search(sortedByValue('phoneNumbers')),
    'active eq true, sortBy emails': () => search({ filter: active, ...sortedByValue('emails') }),
    'active eq true, sortBy meta.lastModified': () => search({ filter: active, ...sorted('meta.lastModified') }),
  }
}

const sortedByValue = (path: string, direction: SortKey['direction'] = 'ascending'): { readonly sort: SortKey } => ({
  sort: { attribute: several(path), elementPart: 'value', direction },
})

const and = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'and', operands })

const attribute = (path: string): FilterAttribute => {
  const [name = '', subName] = path.split('.')
  return { extension: undefined, name, subName, multiValued: false }
}
const several = (name: string): FilterAttribute => ({ ...attribute(name), multiValued: true })
const text = (path: string, operator: TextOperator, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(path),
  operator,
  value,
})

function workOn(storage: AdminStorage, rows: number): Readonly<Record<string, (n: number) => Promise<unknown>>> {
  const list = (filter: ResolvedFilter | undefined, limit: number) =>
    storage.provisionedUsers.list({
      providerId: acme,
      filter,
      sort: undefined,
      page: { kind: 'index', offset: 0, limit },
    })
  return {
    'userName eq': (n) => list(equals('userName', filledUser(n).userName), 100),
    'externalId eq': (n) => list(equals('externalId', filledUser(n).externalId), 100),
    'emails[type eq "work" and value eq …]': (n) =>
      list(
        {
          kind: 'element',
          attribute: { extension: undefined, name: 'emails', subName: undefined, multiValued: true },
          where: { kind: 'and', operands: [equals('type', 'work'), equals('value', filledUser(n).workEmail)] },
        },
        100,
      ),
    'the first page of 100': () => list(undefined, 100),
    'a page of 100 by cursor, from the middle': () =>
      storage.provisionedUsers.list({
        providerId: acme,
        filter: undefined,
        sort: undefined,
        page: { kind: 'cursor', after: `${1_700_000_000 + Math.floor(rows / 2)}.x`, limit: 100 },
      }),
    'find and compareAndSwap, active false': (n) => deactivate(storage, n),
  }
}

const equals = (name: string, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: { extension: undefined, name, subName: undefined, multiValued: false },
  operator: 'eq',
  value,
})

async function deactivate(storage: AdminStorage, n: number): Promise<void> {
  const user = await storage.provisionedUsers.find(acme, userId(filledUser(n).userId))
  if (user === undefined) throw new Error(`There is no user ${n}.`)
  const { externalId, resource, renderKey, claims, version } = user
  const state = {
    active: !user.active,
    externalId,
    resource,
    renderKey,
    comparable: { userName: filledUser(n).userName },
    claims,
  }
  const { outcome } = await storage.provisionedUsers.compareAndSwap({
    providerId: acme,
    userId: user.userId,
    version,
    state,
    now: epochSeconds(1_800_000_000),
  })
  if (outcome !== 'swapped') throw new Error(`The user ${n} was not changed: ${outcome}`)
}

async function medianOf(work: (n: number) => Promise<unknown>, rows: number, count: number): Promise<string> {
  const times: number[] = []
  for (let sample = 0; sample < count; sample += 1) {
    const started = performance.now()
    // Spreads the samples over all users.
    await work(1 + ((sample * 7919) % rows))
    times.push(performance.now() - started)
  }
  return (times.toSorted((one, other) => one - other)[count >> 1] ?? 0).toFixed(3)
}

await measureSqlite()
await measurePostgres()
