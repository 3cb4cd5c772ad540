import type { Clock } from '@mintmark/internal'
import { type JsonObject, providerId, type ProvisionedUserRecord, type UserId } from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { refuse, ScimError } from '../error/scim-error.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import { parsePatch } from '../patch/parse-patch.ts'
import { ProviderError } from '../providers/registration.ts'
import { createParseContext, type MessageContext } from '../schema/parse-context.ts'
import { tolerancesOf } from '../tolerance/tolerances.ts'
import { provisionUser } from '../users/provision-user.ts'
import { isSameResource } from '../users/render-cache.ts'
import type { UserBefore, UserDependencies } from '../users/user-dependencies.ts'
import { reportUnmappedRoles } from '../users/user-claims.ts'
import {
  recordOfOutcome,
  userDocument,
  userState,
  type UserWriter,
  type WrittenUser,
  userBeforeWrite,
} from '../users/write-user.ts'
import { readValue } from '../resource/read-value.ts'

/** A user whom an identity provider has signed in by SAML or OpenID Connect, as verified by the host. */
export interface ProviderLogin {
  readonly providerId: string
  /** The user's `externalId` in provisioning by the same provider: the `sub`, the NameID or another claim. */
  readonly externalId: string
  /** Attributes from the login, as part of a SCIM user. `active`, `externalId` and `password` are ignored. */
  readonly profile: JsonObject
  /**
   * Whether a user who does not exist yet is created or linked. With `false`, only provisioned users can sign in.
   * @defaultValue `true`. Many identity providers do not provision users.
   */
  readonly create?: boolean
}

/** The outcome of a sign-in. */
export type ProviderSignIn =
  | {
      readonly outcome: 'signed_in'
      readonly userId: UserId
      /** Whether this login created or linked the user. */
      readonly isNew: boolean
    }
  /** The provider or an administrator has deactivated the user: nothing was written, and a login does not reactivate it. */
  | { readonly outcome: 'deactivated'; readonly userId: UserId }
  /**
   * The user was removed by SCIM or by the host, and a login does not create the user again: only the provider can,
   * over SCIM.
   */
  | { readonly outcome: 'removed' }
  /** The user does not exist, and `create` is false. */
  | { readonly outcome: 'not_provisioned' }
  | { readonly outcome: 'provider_disabled' }

export interface SignInDependencies extends UserDependencies {
  readonly clock: Clock
}

/**
 * Finds or creates the user who signed in at an identity provider. Users are found by provider and `externalId` only, as in
 * provisioning, never by e-mail address or userName, unless the host's `link` hook chooses one. A login updates the attributes in
 * its profile; a user that the host protects from changes (`mayChange`) stays unchanged.
 * @throws ScimError when the profile is not part of a SCIM user or a new user lacks a userName; 409 — reason `user_name_taken` —
 * when another user of the provider has the userName; 403 — reason `change_refused` — when the host links a protected user;
 * ProviderError `provider_unknown`.
 */
export async function signInFromProvider(login: ProviderLogin, deps: SignInDependencies): Promise<ProviderSignIn> {
  const now = deps.clock()
  const provider = await deps.storage.identityProviders.find(providerId(login.providerId))
  if (provider === undefined) throw new ProviderError('provider_unknown')
  if (provider.disabledAt !== undefined) return { outcome: 'provider_disabled' }

  const parseContext = createParseContext(deps.userType, tolerancesOf(provider.toleranceProfile))
  const externalId = loginExternalId(login.externalId, parseContext)
  const writer: UserWriter = {
    providerId: provider.providerId,
    verifiedDomains: provider.verifiedDomains,
    now,
    isSignIn: true,
    record: (occurrence) => deps.journal.recordWithoutRequest(occurrence),
  }
  return untilSettled(async () => {
    const user = await deps.storage.provisionedUsers.findByExternalId(writer.providerId, externalId, readOptions)
    if (user?.active === false) return { outcome: 'deactivated', userId: user.userId }
    const toWritten = writeProfile(user, { ...login, externalId }, { parseContext, deps })
    if (user !== undefined) {
      const changed = await update(user, toWritten(userBeforeWrite(user, writer)), { writer, deps })
      return changed && signInOf(changed, { isNew: false })
    }
    if (login.create === false) return { outcome: 'not_provisioned' }
    // The store checks this again when it writes the user.
    if (await deps.storage.provisionedUsers.hasRemoved(writer.providerId, externalId)) return { outcome: 'removed' }
    const created = await unlessDisabled(() => provisionUser(toWritten, writer, deps))
    if (created === 'provider_disabled') return { outcome: created }
    return created && signInOf(created, { isNew: true })
  })
}

/** A sign-in does not need the groups. */
const readOptions = { without: 'groups' } as const

/** Returns the result of a write, or `provider_disabled` if the provider was disabled meanwhile. */
async function unlessDisabled<Result>(write: () => Promise<Result>): Promise<Result | 'provider_disabled'> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ScimError && error.reason === 'provider_disabled') return 'provider_disabled'
    throw error
  }
}

interface SignInContext {
  readonly writer: UserWriter
  readonly deps: SignInDependencies
}

/**
 * Returns a function that computes a user with the profile of a login. A login changes neither `active` nor the
 * provider.
 */
function writeProfile(
  user: ProvisionedUserRecord | undefined,
  { externalId, profile }: ProviderLogin,
  { parseContext, deps }: { readonly parseContext: MessageContext; readonly deps: SignInDependencies },
): (before: UserBefore) => WrittenUser {
  const document = applyProfile(user === undefined ? {} : userDocument(user), profile, parseContext)
  return (before) => ({ ...userState({ ...document, externalId, active: true }, before, deps), password: undefined })
}

/**
 * Writes a user. Returns undefined when the user has changed since it was read, because it may have been deactivated.
 */
async function update(
  user: ProvisionedUserRecord,
  written: WrittenUser,
  { writer, deps }: SignInContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { providerId, now, record } = writer
  const { userId, version } = user
  const { state } = written
  if (isSameResource(user, written)) return user
  const isAllowed = (await deps.hooks.mayChange?.({ providerId, userId, kind: 'update', claims: state.claims })) ?? true
  if (!isAllowed) return user

  const outcome = await deps.storage.provisionedUsers.compareAndSwap({
    providerId,
    userId,
    version,
    state,
    now,
    ...readOptions,
  })
  if (outcome.outcome === 'conflict' || outcome.outcome === 'absent') return undefined
  const changed = recordOfOutcome(outcome)
  record({ type: 'user.changed', providerId, userId })
  await reportUnmappedRoles({ userId, before: user, after: state }, writer, deps.storage)
  return changed
}

/** Returns the outcome of a sign-in. A user that the host linked may have been deactivated before. */
const signInOf = ({ userId, active }: ProvisionedUserRecord, { isNew }: { readonly isNew: boolean }): ProviderSignIn =>
  active ? { outcome: 'signed_in', userId, isNew } : { outcome: 'deactivated', userId }

/**
 * Validates an `externalId` as SCIM requests do.
 * @throws ScimError invalidValue — reasons `value_required`, `value_too_long`, `value_characters`.
 */
function loginExternalId(text: string, { resourceType, tolerances }: MessageContext): string {
  const attribute = resourceType.attributesByName.get('externalid')
  const value = attribute === undefined ? undefined : readValue(attribute, text, tolerances)
  // RFC 7643 §3.1: the `externalId` is required, because it alone connects a sign-in to a provisioned user.
  if (typeof value !== 'string' || value.trim() === '') throw refuse('value_required', { attribute: 'externalId' })
  return value
}

/**
 * Applies a profile to a user as a PATCH replace of the same provider would (RFC 7644 §3.5.2.3), with its tolerances: of `name`,
 * the given sub-attributes are replaced; of `emails`, the whole list; everything else stays.
 * @throws ScimError the reasons of `parsePatch` and `applyPatch`.
 */
function applyProfile(document: JsonObject, profile: JsonObject, parseContext: MessageContext): JsonObject {
  // Serialized to drop undefined members: a host that copies claims by name sets absent claims to undefined and does not mean to
  // clear them.
  const value: unknown = JSON.parse(JSON.stringify(profile))
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  const operations = parsePatch({ schemas, Operations: [{ op: 'replace', value }] }, parseContext.tolerances)
  return applyPatch(document, operations, parseContext).resource
}
