import type { ExpiringStores } from '@mintmark/storage-interface/stores'
import {
  aCodeRecord,
  aDigest,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
} from '@mintmark/storage-interface/fixtures'

const code = aCodeRecord()
const interaction = anInteractionRecord()
const pushed = aPushedRequestRecord()
const token = anOpaqueTokenRecord()
const now = code.issuedAt
const claim = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: code.expiresAt, now } as const
const login = { userId: code.userId, userGeneration: 0, authentication: code.authentication, inSession: true }

/** One call of each method that reads, on what `fill` has written. */
export const reads: Readonly<Record<string, (stores: ExpiringStores) => Promise<unknown>>> = {
  'codes.find': ({ codes }) => codes.find(code.digest, code.clientId, now),
  'interactions.find': ({ interactions }) => interactions.find(interaction.digest, interaction.browserDigest, now),
  'pushedRequests.find': ({ pushedRequests }) => pushedRequests.find(pushed.digest, pushed.clientId, now),
  'opaqueTokens.find': ({ opaqueTokens }) => opaqueTokens.find(token.digest, now),
}

/** One call of each method that may write, including calls that change nothing, such as a second consumption. */
export const writes: Readonly<Record<string, (stores: ExpiringStores) => Promise<unknown>>> = {
  'codes.insert': ({ codes }) => codes.insert(aCodeRecord({ digest: aDigest('another') })),
  'codes.consume': ({ codes }) => codes.consume(code.digest, code.clientId, now),
  'interactions.insert': ({ interactions }) => interactions.insert(anInteractionRecord({ digest: aDigest('another') })),
  'interactions.recordLogin': ({ interactions }) => interactions.recordLogin({ ...interaction, login, now }),
  'interactions.consume': ({ interactions }) =>
    interactions.consume(interaction.digest, interaction.browserDigest, now),
  'pushedRequests.insert': ({ pushedRequests }) =>
    pushedRequests.insert(aPushedRequestRecord({ digest: aDigest('another') })),
  'pushedRequests.consume': ({ pushedRequests }) => pushedRequests.consume(pushed.digest, pushed.clientId, now),
  'opaqueTokens.insert': ({ opaqueTokens }) => opaqueTokens.insert(anOpaqueTokenRecord({ digest: aDigest('another') })),
  'opaqueTokens.revoke': ({ opaqueTokens }) => opaqueTokens.revoke(token.digest, token.clientId, now),
  'replays.markUsed': ({ replays }) => replays.markUsed({ ...claim, value: 'jti-2' }),
}

/** Writes one unexpired record of each kind. */
export async function fill(stores: ExpiringStores): Promise<void> {
  const { codes, interactions, pushedRequests, opaqueTokens, replays } = stores
  await codes.insert(code)
  await interactions.insert(interaction)
  await pushedRequests.insert(pushed)
  await opaqueTokens.insert(token)
  await replays.markUsed(claim)
}
