// A browser sends a decision again when the user presses twice, or when the first response is lost. It shows only the
// last response, so this response must be the first one again, although the interaction is completed: the code is
// derived from the interaction, and a denial leaves a row.

import { digestSecret, hmacSha256, randomSecret } from '@mintmark/internal'
import type {
  AuthorizationCodeRecord,
  EpochSeconds,
  InteractionRecord,
  OAuthStorage,
  UserRecord,
} from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'

import type { KeyRing } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'
import { boundCodePrefix, type DecidedAccess, grantedAccess } from './code.ts'

export interface ConsumeInteractionDependencies {
  readonly storage: OAuthStorage
  readonly keys: Pick<KeyRing, 'deriveSecrets'>
}

interface ConsumeStep {
  readonly record: InteractionRecord
  /** Whether storage has the record. */
  readonly isStored: boolean
  /** Whether the interaction was completed before this request. */
  readonly isRepeated: boolean
  readonly now: EpochSeconds
}

/**
 * Completes the interaction in order to issue a code.
 * @returns the code that an earlier request with the same decision got; `undefined` for the first request.
 * @throws OAuthError invalid_request — reason `interaction_completed`: it was completed with another decision, or its
 *   code was redeemed or has expired.
 */
export async function consumeForCode(
  decided: DecidedAccess & { readonly user: Pick<UserRecord, 'userId'> },
  step: ConsumeStep,
  deps: ConsumeInteractionDependencies,
): Promise<string | undefined> {
  if (await consume(step, deps.storage)) return undefined
  const issued = await awaitTrace(step, () => findIssuedCode(step.record, step.now, deps))
  // RFC 6749 §4.1.2: an interaction is completed once; another decision must not get the code of the first.
  if (issued === undefined || !isCodeFor(issued.record, decided))
    throw refuse('interaction_completed', { clientId: step.record.clientId })
  return issued.code
}

/** Whether the code was issued to this user and for the same access. */
function isCodeFor(
  record: AuthorizationCodeRecord,
  decided: DecidedAccess & { readonly user: Pick<UserRecord, 'userId'> },
): boolean {
  const { scopes, resources, organizationId, authorizationDetails } = record
  const issued = { scopes, resources, organizationId, authorizationDetails }
  return record.userId === decided.user.userId && JSON.stringify(issued) === JSON.stringify(grantedAccess(decided))
}

/**
 * Completes the interaction in order to deny the request.
 * @returns whether this is the first request that does so; otherwise it repeats an earlier denial.
 * @throws OAuthError invalid_request — reason `interaction_completed`: a code was issued for it.
 */
export async function consumeForDenial(
  step: ConsumeStep,
  { storage }: ConsumeInteractionDependencies,
): Promise<boolean> {
  if (await consume(step, storage)) {
    await markDenied(step.record, storage)
    return true
  }
  const denied = await awaitTrace(step, async () => (await isDenied(step.record, step.now, storage)) || undefined)
  // RFC 6749 §4.1.2: an interaction is completed once.
  if (denied !== true) throw refuse('interaction_completed', { clientId: step.record.clientId })
  return false
}

/** @returns whether this request completed the interaction. */
async function consume({ record, isStored, now }: ConsumeStep, { interactions }: OAuthStorage): Promise<boolean> {
  // If several requests insert the row, one succeeds; if several consume it, one wins.
  if (!isStored) await interactions.insert(record)
  const consumed = await interactions.consume(record.digest, record.browserDigest, now)
  return consumed.outcome === 'won'
}

/**
 * Returns the record of a completed interaction if the same decision would get the same response.
 * @returns `false` if not.
 */
export async function recallCompleted(
  interaction: InteractionRecord,
  now: EpochSeconds,
  deps: ConsumeInteractionDependencies,
): Promise<InteractionRecord | false> {
  // Of two requests at once, the second may see the interaction completed, and not yet the code of the first.
  const trace = await awaitTrace(
    { isRepeated: false },
    async () =>
      (await findCode(interaction, now, deps)) ?? ((await isDenied(interaction, now, deps.storage)) || undefined),
  )
  if (trace === undefined || (trace !== true && trace.isRedeemed)) return false
  // Consuming it again changes nothing, and returns the record with the user who signed in.
  const consumed = await deps.storage.interactions.consume(interaction.digest, interaction.browserDigest, now)
  return consumed.outcome === 'replayed' ? consumed.record : false
}

type DecidedInteraction = Pick<InteractionRecord, 'digest' | 'browserDigest' | 'clientId'>

/**
 * Derives the secret of the code that an interaction issues. It cannot be derived from what is in storage (RFC 6749
 * §10.10), because the key is derived from the secret of the host.
 */
export async function deriveCodeSecret(
  interaction: DecidedInteraction,
  { keys }: Pick<ConsumeInteractionDependencies, 'keys'>,
): Promise<string> {
  const [secret] = await codeSecrets(interaction, keys)
  if (secret === undefined) throw new TypeError('The key ring must derive at least one secret.')
  return secret
}

async function codeSecrets(
  { digest, browserDigest }: DecidedInteraction,
  keys: ConsumeInteractionDependencies['keys'],
): Promise<readonly string[]> {
  const secrets = await keys.deriveSecrets('authorization codes')
  return Promise.all(
    secrets.map(async (key) => {
      const mac = await hmacSha256(key, new TextEncoder().encode(`${digest} ${browserDigest}`))
      return randomSecret(() => mac)
    }),
  )
}

/** A code that was issued in an interaction and is still waiting for its client. */
interface IssuedCode {
  readonly code: string
  readonly record: AuthorizationCodeRecord
}

/**
 * Finds the code that was issued in the interaction, until the code expires or the client redeems it: the client would
 * redeem a redeemed code again, and that revokes its tokens (RFC 6749 §4.1.2).
 */
async function findIssuedCode(
  interaction: DecidedInteraction,
  now: EpochSeconds,
  deps: ConsumeInteractionDependencies,
): Promise<IssuedCode | undefined> {
  const found = await findCode(interaction, now, deps)
  return found?.isRedeemed === false ? found : undefined
}

/** Finds the code that was issued in the interaction, even if the client has redeemed it. */
async function findCode(
  interaction: DecidedInteraction,
  now: EpochSeconds,
  { keys, storage }: ConsumeInteractionDependencies,
): Promise<(IssuedCode & { readonly isRedeemed: boolean }) | undefined> {
  const secrets = await codeSecrets(interaction, keys)
  for (const code of secrets.flatMap((secret) => [secret, boundCodePrefix + secret])) {
    const record = await storage.codes.find(await digestSecret(code), interaction.clientId, now)
    if (record === undefined || record.clientId !== interaction.clientId || !(now < record.expiresAt)) continue
    const isRedeemed = (await storage.status.ofFamily(record.familyId)) !== undefined
    return { code, record, isRedeemed }
  }
  return undefined
}

/** Records that the interaction ended with a denial. The row expires together with the interaction. */
async function markDenied(interaction: InteractionRecord, { interactions }: OAuthStorage): Promise<void> {
  await interactions.insert({ ...interaction, digest: await denialDigest(interaction), login: undefined })
}

/** Whether the interaction ended with a denial. */
async function isDenied(
  interaction: DecidedInteraction,
  now: EpochSeconds,
  { interactions }: OAuthStorage,
): Promise<boolean> {
  const row = await interactions.find(await denialDigest(interaction), interaction.browserDigest, now)
  return row !== undefined && row !== 'consumed'
}

const denialDigest = ({ digest }: DecidedInteraction): SecretDigest | Promise<SecretDigest> =>
  digestSecret(`denied ${digest}`)

/**
 * Looks several times for what a decision leaves. When two requests arrive at once, the second may see that the
 * interaction is completed before the first has stored the code.
 */
async function awaitTrace<Trace>(
  { isRepeated }: Pick<ConsumeStep, 'isRepeated'>,
  look: () => Promise<Trace | undefined>,
): Promise<Trace | undefined> {
  for (let attempt = 1; attempt < (isRepeated ? 1 : attempts); attempt += 1) {
    const trace = await look()
    if (trace !== undefined) return trace
    await new Promise<void>((resolve) => {
      setTimeout(resolve, pause)
    })
  }
  return look()
}

/** Together a quarter of a second: the first request needs two or three calls of storage. */
const attempts = 10
/** Milliseconds. */
const pause = 25
