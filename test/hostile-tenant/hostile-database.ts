import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { clientId, epochSeconds, groupId, providerId, userId, type AdminStorage } from '@mintmark/storage-interface'
import type { GroupState } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import { fillAccounts } from '../../benchmarks/src/targets/mintmark/fill-accounts.ts'
import { makeDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { issuer, type DatabaseAddress } from '../processes/server-config.ts'
import { consent } from '../processes/test-database.ts'
import { changeClient, registerFixtureClients, type FixtureClients } from '../support/fixture-clients.ts'

/** The size of the hostile tenant's data and attacks. */
export interface Scale {
  /** Users of the hostile tenant; all of them are members of its largest group. */
  readonly users: number
  /** Members of the group that requests replace completely. */
  readonly written: number
  /** Groups with long names; 200 users are members of all of them. */
  readonly groups: number
  /** Small groups, of which a few users are members of all. */
  readonly memberships: number
  /** Members of the group that is written with the type of each. */
  readonly typed: number
  readonly connections: number
  /** The duration of each case, in milliseconds. */
  readonly duration: number
}

/** A database with the hostile tenant's directory, and with clients and a user of another tenant. */
export interface HostileDatabase {
  readonly database: DatabaseAddress
  readonly clients: FixtureClients
  /** The bearer secret of the hostile tenant. */
  readonly secret: string
  /** The bearer secret of its second directory, which has no users yet. */
  readonly smallSecret: string
  close(): Promise<void>
}

export async function createSqliteDatabase(scale: Scale): Promise<HostileDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-hostile-'))
  const file = join(folder, 'test.db')
  const dialect = openSqliteDialect(file, { migrate: 'on-open', synchronous: 'normal' })
  return {
    database: { engine: 'sqlite', file },
    ...(await furnish(dialect, scale)),
    close: async () => {
      await dialect.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** @param server the address of a PostgreSQL server; a new schema is created on it. */
export async function createPostgresDatabase(server: string, scale: Scale): Promise<HostileDatabase> {
  const database = await makeDatabase(server)
  const dialect = toPostgresDialect(database.pool(), { migrate: 'on-open', timeoutMilliseconds: 600_000 })
  return {
    database: { engine: 'postgres', url: database.url },
    ...(await furnish(dialect, scale)),
    close: () => database.remove(),
  }
}

/** Returns the identifier of the hostile tenant's user with this number. */
export const memberId = (number: number): string => `account-${number}`

/** The group of all users. */
export const largestGroup = 'largest'
/** The group that requests replace completely. */
export const writtenGroup = 'written'
/** The group that is written with the type of each member. */
export const typedGroup = 'typed'
/** The identifier of the small group of that number. */
export const smallGroup = (number: number): string => `small-${number}`
/** The numbers of the users who are members of all small groups: the last ones. */
export const usersInSmallGroups = ({ users }: Pick<Scale, 'users'>): readonly number[] =>
  Array.from({ length: 12 }, (_, index) => users - index)

async function furnish(
  dialect: SqlDialect,
  { users, written, groups, memberships, typed }: Scale,
): Promise<Pick<HostileDatabase, 'clients' | 'secret' | 'smallSecret'>> {
  const storage = await createSqlStorage({ dialect, issuer })
  const now = epochSeconds(Date.now() / 1000)
  const clients = await registerFixtureClients(storage)
  await changeClient(storage, clientId('A'), { idTokenSignedResponseAlg: 'ES256' })
  await storage.users.insert({ userId: userId('U1'), claims: { name: 'Ann Lee' }, createdAt: now })
  await consent(storage, 'U1', now)
  const { secret } = await registerIdentityProvider({ providerId: 'hostile' }, { storage })
  const small = await registerIdentityProvider({ providerId: 'small' }, { storage })

  await fillAccounts(dialect, userId(await createTemplate(storage, secret)), users)
  await createGroup(storage, { id: largestGroup, name: 'All', members: numbers(users) })
  await createGroup(storage, { id: writtenGroup, name: 'Written', members: numbers(written) })
  for (let number = 0; number < groups; number += 1)
    await createGroup(storage, {
      id: `long-${number}`,
      name: `${number} `.padEnd(1000, 'x'),
      members: numbers(Math.min(users, 200)),
    })
  await createGroup(storage, { id: typedGroup, name: 'Typed', members: numbers(typed) })
  const inAll = usersInSmallGroups({ users }).map(memberId)
  for (let number = 0; number < memberships; number += 1)
    await createGroup(storage, { id: smallGroup(number), name: `Small ${number}`, members: inAll })
  return { clients, secret, smallSecret: small.secret }
}

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => memberId(index + 1))

/** Creates a user with `#` in place of its number, and with a display name of 900 characters. */
async function createTemplate(storage: AdminStorage, secret: string): Promise<string> {
  const response = await createScimServer({ issuer, storage }).handle({
    method: 'POST',
    url: new URL(`${issuer}/scim/v2/enterprise-idps/hostile/Users`),
    headers: new Map([
      ['authorization', `Bearer ${secret}`],
      ['content-type', 'application/scim+json'],
    ]),
    repeatedHeaders: new Set(),
    host: undefined,
    body: new TextEncoder().encode(
      JSON.stringify({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: 'user#@hostile.test',
        externalId: 'external-#',
        displayName: 'User # '.padEnd(900, 'y'),
        emails: [{ value: 'user#@hostile.test', type: 'work' }],
      }),
    ),
  })
  if (response.status !== 201) throw new Error(`No user: ${String(response.body)}`)
  return (JSON.parse(String(response.body)) as { readonly id: string }).id
}

async function createGroup(
  storage: AdminStorage,
  { id, name, members }: { readonly id: string; readonly name: string; readonly members: readonly string[] },
): Promise<void> {
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']
  const state: GroupState = {
    externalId: undefined,
    displayName: name,
    resource: { schemas, displayName: name },
    comparable: { displayName: name.toLowerCase() },
  }
  const { outcome } = await storage.groups.insert({
    providerId: providerId('hostile'),
    groupId: groupId(id),
    state,
    memberIds: members,
    createdAt: epochSeconds(Date.now() / 1000),
  })
  if (outcome !== 'inserted') throw new Error(`No group: ${outcome}`)
}
