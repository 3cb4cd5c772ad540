import { after, epochSeconds, seconds } from '@mintmark/storage-interface'

import { spread, userIdOf } from './issuer-size.ts'
import { now, type SizedIssuer } from './sized-issuer.ts'
import { callsOfWorkload, repeated, type SizeWorkload } from './size-workload.ts'

/** What administrators, APIs and the server itself do. */
export const backgroundWorkloads: readonly SizeWorkload[] = [
  {
    name: 'revocation feed: the first page',
    prepare: async ({ storage, size }) => {
      // As many as are revoked during the lifetime of an access token, at either size.
      const revokedSince = after(now(), seconds(-Math.floor((2000 * 86_400) / (size.families / 100))))
      return repeated(async () => storage.revocations.list({ from: undefined, revokedSince, limit: 1001 }))
    },
  },
  {
    name: 'revocation feed: a page by cursor',
    prepare: async ({ storage, size }) =>
      repeated(async (turn) =>
        storage.revocations.list({
          from: 101 + Math.floor(((size.families / 100 - 1100) * turn) / callsOfWorkload),
          revokedSince: epochSeconds(0),
          limit: 1002,
        }),
      ),
  },
  { name: 'administration: pages of users', prepare: async (site) => pagesOfUsers(site) },
  ofUsers('administration: grants of a user', ({ admin }, user) => admin.grants.listOfUser(user)),
  ofUsers('administration: sessions of a user', ({ admin }, user) => admin.sessions.listOfUser(user)),
  {
    name: 'administration: a page of the audit log',
    prepare: async ({ admin }) => repeated(async () => admin.audit.list({ limit: 100 })),
  },
  ofUsers('administration: revoke access of a user', ({ admin }, user) => admin.users.revokeAccess(user)),
  {
    name: 'deliveries: lease ten, and settle them',
    prepare: async (site) => repeated(async (turn) => deliver(site, turn)),
  },
  {
    name: 'webhooks: a page of changes',
    prepare: async ({ storage, size }) =>
      repeated(async (turn) =>
        storage.changes.list({
          after: 100 + Math.floor(((size.users / 10 - 200) * turn) / callsOfWorkload),
          limit: 100,
        }),
      ),
  },
  { name: 'key rotation', prepare: async (site) => repeated(async () => rotate(site)).slice(0, 10) },
  purge('codes', 1000, []),
  // There are fewer expired families.
  purge('token families that have expired', 30, ['TRUNCATE mintmark_codes']),
  purge('token families whose refresh token has expired', 1000, [
    `DELETE FROM mintmark_families WHERE expires_at < extract(epoch FROM now()) + 600`,
    'VACUUM mintmark_families',
  ]),
]

function ofUsers(name: string, call: (site: SizedIssuer, user: string) => Promise<unknown>): SizeWorkload {
  return {
    name,
    prepare: async (site) =>
      spread(callsOfWorkload, site.size, 2).map((user) => async () => call(site, userIdOf(user))),
  }
}

function purge(rows: string, limit: number, before: readonly string[]): SizeWorkload {
  return {
    name: `purge: ${limit} ${rows}`,
    prepare: async ({ storage, pool }) => {
      for (const statement of before) await pool.query(statement)
      return Array.from({ length: 30 }, () => async () => storage.purge.purgeExpired({ now: now(), limit }))
    },
  }
}

function pagesOfUsers({ admin }: SizedIssuer): readonly (() => Promise<unknown>)[] {
  let next: string | undefined
  return repeated(async () => {
    ;({ next } = await admin.users.list({ after: next, limit: 50 }))
  })
}

async function deliver({ storage }: SizedIssuer, turn: number): Promise<void> {
  const at = now()
  const token = `token-${turn}`
  const lease = {
    channel: 'logout',
    now: at,
    until: after(at, seconds(30)),
    token,
    limit: 10,
    perRecipient: 2,
    except: [],
  }
  const leased = await storage.deliveries.lease(lease)
  const keptUntil = after(at, seconds(86_400))
  for (const { deliveryId } of leased)
    await storage.deliveries.settle({ deliveryId, token, result: { kind: 'delivered', keptUntil }, now: at })
}

/** The key that was announced is dropped, so that the next call announces another. */
async function rotate({ keys }: SizedIssuer): Promise<void> {
  const { algorithms } = await keys.rotate({ when: 'now' })
  for (const { keyId } of algorithms) await keys.drop(keyId)
}
