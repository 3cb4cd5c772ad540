// What a look-up, a page and a change cost when a provider has a thousand accounts, and when it has a million: `pnpm scim-million [rows]`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AdminStorage, epochSeconds, providerId, type ResolvedFilter, userId } from '@mintmark/storage-interface'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { filledAccount, fillProvider } from '../test/support/fill-provider.ts'
import { makeDatabase } from '../test/support/postgres-database.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const most = Number(process.argv[2] ?? 1_000_000)
const samples = 300
const acme = providerId('provider-1')
const issuer = 'https://issuer.example'

await overSqlite()
await overPostgres()

async function overSqlite(): Promise<void> {
  for (const rows of [1000, most]) {
    const folder = await mkdtemp(join(tmpdir(), 'mintmark-scim-'))
    const dialect = openSqliteDialect(join(folder, 'test.db'), { migrate: 'on-open', synchronous: 'normal' })
    await measure(dialect, 'SQLite', rows)
    await dialect.close()
    await rm(folder, { recursive: true })
  }
}

async function overPostgres(): Promise<void> {
  const server = await startPostgres()
  for (const rows of [1000, most]) {
    const database = await makeDatabase(server.url)
    await measure(toPostgresDialect(database.pool(), { migrate: 'on-open' }), 'PostgreSQL', rows)
    await database.remove()
  }
  await server.stop()
}

async function measure(dialect: SqlDialect, engine: string, rows: number): Promise<void> {
  const storage = await createSqlStorage({ dialect, issuer })
  await fillProvider(dialect, { issuer, rows })
  if (dialect.engine.name === 'postgres') await dialect.all('ANALYZE', [])

  for (const [name, work] of Object.entries(workOn(storage, rows))) {
    for (let warm = 0; warm < 20; warm += 1) await work(1 + ((warm * 37) % rows))
    console.log(`${engine}, ${rows} accounts: ${name}, median ${await medianOf(work, rows)} ms`)
  }
}

function workOn(storage: AdminStorage, rows: number): Readonly<Record<string, (n: number) => Promise<unknown>>> {
  const list = (filter: ResolvedFilter | undefined, limit: number) =>
    storage.provisionedUsers.list({
      providerId: acme,
      filter,
      sort: undefined,
      page: { kind: 'index', offset: 0, limit },
    })
  return {
    'userName eq': (n) => list(equals('userName', filledAccount(n).userName), 100),
    'externalId eq': (n) => list(equals('externalId', filledAccount(n).externalId), 100),
    'emails[type eq "work" and value eq …]': (n) =>
      list(
        {
          kind: 'element',
          attribute: { extension: undefined, name: 'emails', subName: undefined, multiValued: true },
          where: { kind: 'and', operands: [equals('type', 'work'), equals('value', filledAccount(n).workEmail)] },
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
  const user = await storage.provisionedUsers.find(acme, userId(filledAccount(n).userId))
  if (user === undefined) throw new Error(`There is no account ${n}.`)
  const { externalId, resource, resourceForm, claims, version } = user
  const state = {
    active: !user.active,
    externalId,
    resource,
    resourceForm,
    comparable: { userName: filledAccount(n).userName },
    claims,
  }
  const { outcome } = await storage.provisionedUsers.compareAndSwap({
    providerId: acme,
    userId: user.userId,
    version,
    state,
    now: epochSeconds(1_800_000_000),
  })
  if (outcome !== 'swapped') throw new Error(`The account ${n} was not changed: ${outcome}`)
}

async function medianOf(work: (n: number) => Promise<unknown>, rows: number): Promise<string> {
  const times: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const started = performance.now()
    // Spread over all of them, in no order.
    await work(1 + ((sample * 7919) % rows))
    times.push(performance.now() - started)
  }
  return (times.toSorted((one, other) => one - other)[samples >> 1] ?? 0).toFixed(3)
}
