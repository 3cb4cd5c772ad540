import type { AdminStorage, UserRecord } from '@mintmark/storage-interface'
import type { ListPosition } from '@mintmark/storage-interface/stores'

import { desiredGroup, type DesiredGroup, type Selection } from './local-resources.ts'

/** Reads all users of the issuer, oldest first. Who is selected, the reader decides. */
export async function* allUsers(storage: AdminStorage): AsyncGenerator<UserRecord> {
  let after: ListPosition | undefined
  do {
    const page = { kind: 'cursor', after, limit: pageSize } as const
    const listed = await storage.users.list({ filter: undefined, sort: undefined, page })
    if (listed.outcome === 'tooMany') throw new TypeError('A list without a filter is never too long.')
    yield* listed.records
    after = listed.records.length === 0 ? undefined : listed.next
  } while (after !== undefined)
}

/** Reads the groups that a target selects, by identity provider. */
export async function* selectedGroups({ target }: Selection, storage: AdminStorage): AsyncGenerator<DesiredGroup> {
  for (const providerId of target.providerIds) {
    let after: ListPosition | undefined
    do {
      const page = { kind: 'cursor', after, limit: pageSize } as const
      const listed = await storage.groups.list({ providerId, filter: undefined, sort: undefined, page })
      if (listed.outcome === 'tooMany') throw new TypeError('A list without a filter is never too long.')
      yield* listed.records.map(desiredGroup)
      after = listed.records.length === 0 ? undefined : listed.next
    } while (after !== undefined)
  }
}

const pageSize = 100
