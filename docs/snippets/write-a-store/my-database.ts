import type {
  AuthorizationCodeRecord,
  ClientRecord,
  GrantRecord,
  InteractionRecord,
  OAuthStorage,
  OpaqueTokenRecord,
  RevocationRecord,
  SessionRecord,
  SigningKeyRecord,
  TokenFamilyRecord,
  UserRecord,
} from '@mintmark/storage-interface'

type PushedRequestRecord = Parameters<OAuthStorage['pushedRequests']['insert']>[0]
type Participant = Awaited<ReturnType<OAuthStorage['sessions']['participants']>>[number]

export type Tables = ReturnType<typeof createTables>

/** Stands for your database. Here, everything that a method does between two `await`s is one transaction. */
export const createTables = () => ({
  // `undefined` is a tombstone: the identifier stays taken.
  clients: createTable<ClientRecord | undefined>(),
  users: createTable<UserRecord | undefined>(),
  grants: createTable<GrantRecord>(),
  codes: createTable<{ readonly record: AuthorizationCodeRecord; readonly consumed: boolean }>(),
  interactions: createTable<{ readonly record: InteractionRecord; readonly consumed: boolean }>(),
  pushedRequests: createTable<{ readonly record: PushedRequestRecord; readonly consumed: boolean }>(),
  families: createTable<TokenFamilyRecord>(),
  opaqueTokens: createTable<OpaqueTokenRecord>(),
  sessions: createTable<SessionRecord>(),
  participants: createTable<Participant>(),
  signingKeys: createTable<SigningKeyRecord>(),
  replays: createTable<{ readonly expiresAt: number }>(),
  revokedTokens: createTable<{ readonly expiresAt: number }>(),
  revocations: createTable<RevocationRecord>(),
  position: { last: 0 },
})

/** Adds an entry to the list of revocations, in the transaction that changes the revoked row. */
export function writeRevocation(tables: Tables, { revocation, revokedAt }: Omit<RevocationRecord, 'position'>): void {
  const position = (tables.position.last += 1)
  tables.revocations.put(`${position}`, { position, revocation, revokedAt })
}

/** Copies rows when they are written and when they are read, as a real database does. */
function createTable<Row>() {
  const rows = new Map<string, Row>()
  return {
    get: (key: string) => structuredClone(rows.get(key)),
    put: (key: string, row: Row) => (rows.set(key, structuredClone(row)), structuredClone(row)),
    has: (key: string) => rows.has(key),
    where: (matches: (row: Row) => boolean) => structuredClone([...rows.values()].filter(matches)),
    /** Deletes at most `limit` rows and returns how many it deleted. */
    purge(matches: (row: Row) => boolean, limit: number) {
      const keys = [...rows].filter(([, row]) => matches(row)).map(([key]) => key)
      for (const key of keys.slice(0, limit)) rows.delete(key)
      return Math.min(keys.length, limit)
    },
    delete: (key: string) => rows.delete(key),
  }
}
