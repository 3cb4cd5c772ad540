import type { HttpService } from '@mintmark/core/http'
import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import type { AdminStorage } from '@mintmark/storage-interface'
import type { NewProvisionedUser } from '@mintmark/storage-interface/stores'

import { scimUser } from '../../scim-user.ts'
import type { Site, TargetSettings } from '../../site.ts'
import { benchStorage, type BenchStorage, type WrapDialect } from '../bench-storage.ts'
import { issuer } from '../fixture.ts'
import { fillAccounts, fillAccountsInMemory } from './fill-accounts.ts'

/** Creates a SCIM server whose identity provider has the requested number of users. */
export async function createMintmarkScim(
  settings: TargetSettings,
  wrap?: WrapDialect,
): Promise<{ readonly server: HttpService; readonly site: Omit<Site, 'port'> }> {
  const { storage, dialect } = await benchStorage(settings, issuer, wrap)
  const { secret, tenantUrl } = await registerIdentityProvider({ providerId: 'acme' }, { storage })
  const basePath = new URL(tenantUrl).pathname
  await fill({ storage, dialect }, settings.rows, { basePath, secret })
  const server = createScimServer({ issuer, storage, requestLimit: 'unlimited' })
  return { server, site: { scim: { basePath, secret, accounts: settings.rows } } }
}

/** Creates one user through the provider, and copies it. */
async function fill(
  { storage, dialect }: BenchStorage,
  rows: number,
  { basePath, secret }: { readonly basePath: string; readonly secret: string },
): Promise<void> {
  const inserted: NewProvisionedUser[] = []
  const response = await createScimServer({ issuer, storage: recordInserts(storage, inserted) }).handle({
    method: 'POST',
    url: new URL(`${issuer}${basePath}/Users`),
    headers: new Map([
      ['authorization', `Bearer ${secret}`],
      ['content-type', 'application/scim+json'],
    ]),
    repeatedHeaders: new Set(),
    host: undefined,
    body: new TextEncoder().encode(JSON.stringify(scimUser('#'))),
  })
  const [account] = inserted
  if (response.status !== 201 || account === undefined)
    throw new Error(`The user was not created: ${String(response.body)}`)
  await (dialect === undefined
    ? fillAccountsInMemory(storage, account, rows)
    : fillAccounts(dialect, account.userId, rows))
}

/** Returns the storage, which also adds the inserted users to a list. It creates only the stores that are used, as in a host. */
const recordInserts = (storage: AdminStorage, inserted: NewProvisionedUser[]): AdminStorage =>
  Object.create(storage, {
    provisionedUsers: {
      value: {
        ...storage.provisionedUsers,
        insert: async (user: NewProvisionedUser) => {
          inserted.push(user)
          return storage.provisionedUsers.insert(user)
        },
      },
    },
  }) as AdminStorage
