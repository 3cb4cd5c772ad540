// Measures how many bytes a user, a grant and a token family take on PostgreSQL, with their indexes: `pnpm bench row-sizes [users]`.
// From these, it computes the size of a large issuer.
import { randomBytes } from 'node:crypto'
import { epochSeconds, familyId, grantId, providerId, type UserId, userId } from '@mintmark/storage-interface'
import { aFamilyRecord, aGrantRecord, aProviderRecord, aRefreshRecord } from '@mintmark/storage-interface/fixtures'
import { jsonText, secretDigest } from '@mintmark/storage-interface/stores'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'
import { onlyCount } from '../../../scripts/command-words.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const count = await onlyCount('pnpm bench row-sizes', { of: 'users', otherwise: 50_000 })
const now = epochSeconds(1_700_000_000)
const identifier = () => randomBytes(16).toString('base64url')
const users = Array.from({ length: count }, () => userId(identifier()))
const digest = () => secretDigest(randomBytes(32).toString('base64url'))

const server = await startPostgres()
const pool = new Pool({ connectionString: server.url })
const dialect = toPostgresDialect(pool)
await migrate({ dialect })
const storage = await createSqlStorage({ issuer: 'https://id.example.com', dialect })
await storage.identityProviders.insert(aProviderRecord())

const before = await bytesOfTables()
await tenAtATime(insertUser)
const withUsers = await bytesOfTables()
await tenAtATime(insertFamily)
const withFamilies = await bytesOfTables()

const perUser = (withUsers - before) / count
const perFamily = (withFamilies - withUsers) / count
console.log(`a user of a directory: ${Math.round(perUser)} bytes`)
console.log(`a grant with a token family: ${Math.round(perFamily)} bytes`)
console.log(`ten million users: ${inGigabytes(1e7 * perUser)} GB`)
console.log(`a hundred million grants with token families: ${inGigabytes(1e8 * perFamily)} GB`)
await pool.end()
await server.stop()

async function insertUser(user: UserId, n: number): Promise<void> {
  const userName = `first.last.${n}@customer-${n % 1000}.example.com`
  const email = { value: userName, type: 'work', primary: true }
  const name = { givenName: `First${n}`, familyName: `Last${n}`, formatted: `First${n} Last${n}` }
  const resource = { userName, name, displayName: name.formatted, emails: [email], title: 'Engineer', locale: 'en-GB' }
  await storage.provisionedUsers.insert({
    providerId: providerId('provider-1'),
    userId: user,
    state: {
      active: true,
      externalId: identifier(),
      resource: jsonText(resource),
      renderKey: identifier(),
      comparable: resource,
      claims: { name: name.formatted, given_name: name.givenName, family_name: name.familyName, email: userName },
    },
    createdAt: now,
  })
}

async function insertFamily(user: UserId): Promise<void> {
  const grant = grantId(identifier())
  await storage.grants.insert(aGrantRecord({ grantId: grant, userId: user, createdAt: now }))
  const refresh = aRefreshRecord({ handleDigest: digest(), currentDigest: digest() })
  await storage.families.insert(
    aFamilyRecord({ familyId: familyId(identifier()), grantId: grant, userId: user, refresh, createdAt: now }),
  )
}

/** The pool has ten connections. */
async function tenAtATime(work: (user: UserId, n: number) => Promise<void>): Promise<void> {
  const rest = users.entries()
  const workers = Array.from({ length: 10 }, async () => {
    for (const [n, user] of rest) await work(user, n)
  })
  await Promise.all(workers)
}

async function bytesOfTables(): Promise<number> {
  await pool.query('VACUUM ANALYZE')
  const { rows } = await pool.query<{ readonly bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  )
  return Number(rows[0]?.bytes)
}

function inGigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(0)
}
