import { epochSeconds, secretDigest, type SecretRecord, type SecretDigest } from '@mintmark/storage-interface'
import { json } from '../row.ts'
import type { SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'

/** When each secret was used last, by digest. */
export type SecretUses = Readonly<Record<string, number>>

export interface SecretJson {
  readonly digest: string
  readonly createdAt: number
  readonly expiresAt?: number | undefined
}

/** Secrets of a client or an identity provider as two columns: noting a use is to change nothing else. */
export const secretColumns = (
  secrets: readonly SecretRecord[],
): { readonly secrets: SqlValue; readonly secret_uses: SqlValue } => ({
  secrets: json(secrets.map(({ digest, createdAt, expiresAt }): SecretJson => ({ digest, createdAt, expiresAt }))),
  secret_uses: json(Object.fromEntries(secrets.map(({ digest, lastUsedAt }) => [digest, lastUsedAt]))),
})

export function readSecrets(secrets: readonly SecretJson[], uses: SecretUses): readonly SecretRecord[] {
  return secrets.map(({ digest, createdAt, expiresAt }) => ({
    digest: secretDigest(digest),
    createdAt: epochSeconds(createdAt),
    expiresAt: optionalTime(expiresAt),
    lastUsedAt: Object.hasOwn(uses, digest) ? optionalTime(uses[digest]) : undefined,
  }))
}

/** Whether a use is worth a write, and the wait for the disk: the first in an hour is. */
export function isUseNews(uses: SecretUses, digest: SecretDigest, now: number): boolean {
  const lastUsedAt = Object.hasOwn(uses, digest) ? uses[digest] : undefined
  return lastUsedAt === undefined || now >= lastUsedAt + hour
}

const hour = 3600
