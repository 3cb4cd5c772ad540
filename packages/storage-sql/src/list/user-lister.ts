import type { ProvisionedUserStore } from '@mintmark/storage-interface/stores'
import type { Database } from '../database.ts'
import { groupsReader } from '../groups-of-a-user.ts'
import type { createIndexedAttributes } from './indexed-attributes.ts'
import { createProvisionedUserListKind } from './kinds.ts'
import { listedUserReaders } from './listed-users.ts'
import { createLister } from './lister.ts'
import { providerParameters } from './lookup.ts'

/** Returns a function that lists the users of a provider. */
export const createUserLister = (
  database: Database,
  indexed: ReturnType<typeof createIndexedAttributes>,
  limits: { readonly scanLimit: number },
): ProvisionedUserStore['list'] =>
  createLister(
    database,
    {
      kind: createProvisionedUserListKind(database.engine, indexed),
      ...listedUserReaders(database.engine, groupsReader(database.engine)),
      owner: providerParameters,
    },
    limits,
  )
