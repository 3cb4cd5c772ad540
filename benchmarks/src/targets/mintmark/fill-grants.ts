import {
  familyId,
  grantId,
  userId,
  type GrantRecord,
  type TokenFamilyRecord,
  type UserRecord,
} from '@mintmark/storage-interface'
import type { SqlDialect } from '@mintmark/storage-sql'
import { secretDigest } from '@mintmark/storage-interface/stores'

import type { BenchStorage } from '../bench-storage.ts'
import { fillUsers } from './fill-users.ts'
import { multiplyRow } from './multiply-row.ts'

/** A user who has consented to a client, and a token family of the grant. */
export interface GrantTemplate {
  readonly user: UserRecord
  readonly grant: GrantRecord
  readonly family: TokenFamilyRecord
}

/** Returns the identifier of the user with a number, as `fillGrants` writes it. */
export const filledUserId = (number: number | string): string => `person-${number}`

/** Inserts users with an active grant and an active token family each. The template must already be stored. */
export async function fillGrants(
  { storage, dialect }: BenchStorage,
  template: GrantTemplate,
  rows: number,
): Promise<void> {
  if (dialect !== undefined) return fillTables(dialect, rows)
  const { user, grant, family } = template
  for (let number = 1; number <= rows; number += 1) {
    const owner = userId(filledUserId(number))
    const copiedGrantId = grantId(`grant-${number}`)
    await storage.users.insert({ userId: owner, claims: user.claims, createdAt: user.createdAt })
    await storage.grants.insert({ ...grant, grantId: copiedGrantId, userId: owner })
    const refresh = family.refresh && { ...family.refresh, handleDigest: secretDigest(`handle-${number}`) }
    await storage.families.insert({
      ...family,
      familyId: familyId(`family-${number}`),
      grantId: copiedGrantId,
      userId: owner,
      refresh,
    })
  }
}

/**
 * Fills the tables of a database. Identifiers and digests start with random letters, so they are spread over the
 * indexes.
 */
async function fillTables(dialect: SqlDialect, rows: number): Promise<void> {
  const isPostgres = dialect.engine.name === 'postgres'
  const letter = `substr('${base64url}', 1 + ${isPostgres ? 'CAST(floor(random() * 64) AS INTEGER)' : 'abs(random() % 64)'}, 1)`
  const random = `${letter} || ${letter} || ${letter} || 'filled-' || n`
  const owner = `'${filledUserId(`' || n`)}`
  await fillUsers(dialect, { where: 'true', rows, change: { user_id: owner } })
  await dialect.atomically([
    await multiplyRow(dialect, {
      table: 'mintmark_grants',
      where: 'true',
      rows,
      change: { grant_id: random, user_id: owner },
    }),
    await multiplyRow(dialect, {
      table: 'mintmark_families',
      where: 'true',
      rows,
      change: { family_id: random, user_id: owner, handle_digest: random },
    }),
  ])
  if (isPostgres) await dialect.all('ANALYZE', [])
}

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
