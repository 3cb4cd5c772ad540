import { at } from '../api.ts'
import { ApiError } from '../refusals.ts'
import { textOf } from '../values.ts'
import type { Visit } from '../visit.ts'

/**
 * Reads the names of clients. The returned function returns the identifier of a client that was removed, or that the
 * administrator may not see.
 */
export async function clientNames({ api, caller }: Visit, ids: readonly string[]): Promise<(id: string) => string> {
  if (!caller.can('read', 'clients')) return (id) => id
  const distinct = [...new Set(ids)].slice(0, maximumNames)
  const names = await Promise.all(
    distinct.map(async (id) => {
      const client = await api.attempt({ method: 'GET', path: at`/clients/${id}` })
      return [id, client instanceof ApiError ? id : textOf(client['client_name'])] as const
    }),
  )
  const known = new Map(names)
  return (id) => known.get(id) ?? id
}

/** More clients than a user has at a time. Further clients appear with their identifiers. */
const maximumNames = 100
