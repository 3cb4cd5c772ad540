import { epochSeconds, type AdminStorage } from '@mintmark/storage-interface'

/** Revokes everything that was issued to any user, so all users must sign in again. It can be repeated if it stops. */
export async function revokeEverything(storage: AdminStorage): Promise<number> {
  let revoked = 0
  for (let after: string | undefined; ;) {
    const listed = await storage.users.list({
      filter: undefined,
      sort: undefined,
      page: { kind: 'cursor', after, limit: 100 },
    })
    if (listed.outcome === 'tooMany') throw new Error('The users cannot be listed.')
    for (const { userId } of listed.records.filter(({ active }) => active)) {
      await storage.users.revokeAccess(userId, epochSeconds(Date.now() / 1000))
      revoked += 1
    }
    if (listed.next === undefined) return revoked
    after = listed.next
  }
}
