import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  userId,
  type Revocation,
  type RevocationRecord,
} from '@mintmark/storage-interface'
import type { ColumnReader } from '../row.ts'
import type { SqlRow } from '../dialect.ts'

export const revocationReader =
  (read: ColumnReader) =>
  (row: SqlRow): RevocationRecord => ({
    position: read.integer(row, 'position'),
    revocation: readEnding(read, row),
    revokedAt: epochSeconds(read.integer(row, 'ended_at')),
  })

function readEnding(read: ColumnReader, row: SqlRow): Revocation {
  const name = read.text(row, 'name')
  const kind = read.text(row, 'kind')
  switch (kind) {
    case 'token':
      return { kind, tokenId: name }
    case 'family':
      return { kind, familyId: familyId(name) }
    case 'grant':
      return { kind, grantId: grantId(name) }
    case 'generation':
      return { kind, userId: userId(name), generation: read.integer(row, 'generation') }
    case 'account':
      return { kind, userId: userId(name) }
    case 'client':
    case 'client_in_use':
      return { kind, clientId: clientId(name) }
    default:
      throw new Error(`An ending of an unknown kind: ${kind}`)
  }
}
