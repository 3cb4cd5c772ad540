import { digestSecret, randomIdentifier, randomSecret, systemRandom } from '@mintmark/core/runtime'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import {
  after,
  clientId,
  familyId,
  grantId,
  seconds,
  userId,
  type AuthorizationCodeRecord,
  type EpochSeconds,
  type SecretDigest,
  type AdminStorage,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'

import type { Io } from '../io.ts'
import type { DatabaseAddress } from '../place/settings.ts'
import { fail, ok, warn, type Finding } from './finding.ts'
import { raceClient, raceIssuer } from './race-order.ts'
import { race } from './race.ts'

/**
 * Whether a code is redeemed once, a refresh token rotated once and a `jti` accepted once when two processes come at the same
 * moment (RFC 6749 §10.5, RFC 9700 §4.14.2, RFC 7523 §3). The rows are thrown away.
 */
export async function checkAtomicity(
  dialect: SqlDialect,
  address: DatabaseAddress,
  io: Io,
): Promise<readonly Finding[]> {
  if (address.sqlite === ':memory:') return []
  const storage = await createSqlStorage({ dialect, issuer: raceIssuer })
  const now = io.clock()
  const expiresAt = after(now, seconds(60))
  const rows = await insertRows(storage, now, expiresAt)
  try {
    const report = await race({ ...rows, address, times, now, expiresAt }, io)
    if (report === undefined)
      return [
        warn(
          'storage.race',
          'The two processes of the race did not come to its end.',
          'Look whether another process can open this database from here, and examine again.',
        ),
      ]
    return [
      finding('storage.consume', ['won', 'replayed'], report.consumed),
      finding('storage.rotate', ['rotated', 'retried'], report.rotated),
      finding('storage.claim', ['fresh', 'seen'], report.claimed),
    ]
  } finally {
    await storage.purge.purgeExpired({ now: expiresAt, limit: 1000 })
  }
}

function finding(
  check: 'storage.consume' | 'storage.rotate' | 'storage.claim',
  [winner, loser]: readonly [string, string],
  outcomes: readonly string[],
): Finding {
  const winners = outcomes.filter((outcome) => outcome === winner).length
  const losers = outcomes.filter((outcome) => outcome === loser).length
  if (winners === 1 && losers === outcomes.length - 1)
    return ok(check, `Two processes asked ${outcomes.length} times at once, and one of them was told ${winner}.`)
  if (winners <= 1)
    return warn(
      check,
      `Two processes asked ${outcomes.length} times at once: ${winners} were told ${winner}, ${losers} ${loser}.`,
      'Examine again: another doctor at the same moment clears these rows away.',
    )
  return fail(
    check,
    `Two processes asked ${outcomes.length} times at once, and ${winners} were told ${winner}: a code or a token counts twice.`,
    'Put the database on a local disk, or all servers on its primary: it does not keep what one process wrote from the other.',
  )
}

interface RaceRows {
  readonly code: SecretDigest
  readonly handle: SecretDigest
  readonly refreshToken: SecretDigest
  readonly jti: string
}

async function insertRows(storage: AdminStorage, now: EpochSeconds, expiresAt: EpochSeconds): Promise<RaceRows> {
  const [code, handle, refreshToken] = await Promise.all([aDigest(), aDigest(), aDigest()])
  const shared = {
    clientId: clientId(raceClient),
    grantId: grantId(randomIdentifier(systemRandom)),
    familyId: familyId(randomIdentifier(systemRandom)),
    userId: userId(raceClient),
    scopes: [],
    resources: [],
    claimsRequest: undefined,
    authentication: { authTime: now, acr: undefined, amr: [], sessionId: undefined },
    expiresAt,
  }
  const codeRow: AuthorizationCodeRecord = {
    ...shared,
    digest: code,
    redirectUri: 'https://doctor.invalid/',
    nonce: undefined,
    codeChallengeMethod: 'exempt',
    codeChallenge: undefined,
    issuedAt: now,
  }
  const refresh = {
    handleDigest: handle,
    currentDigest: refreshToken,
    previousDigest: undefined,
    successorSalt: undefined,
    rotatedAt: undefined,
    expiresAt,
  }
  const family: TokenFamilyRecord = { ...shared, refresh, createdAt: now, revokedAt: undefined }
  await storage.codes.insert(codeRow)
  await storage.families.insert(family)
  return { code, handle, refreshToken, jti: randomIdentifier(systemRandom) }
}

const aDigest = (): Promise<SecretDigest> => digestSecret(randomSecret(systemRandom))

/** How often each process presents each thing. */
const times = 20
