import type { Clock } from '@mintmark/internal'
import {
  type JsonObject,
  providerId,
  type ProvisionedUserRecord,
  untilSettled,
  type UserId,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import { parsePatch } from '../patch/parse-patch.ts'
import { ProviderError } from '../providers/registration.ts'
import { createParseContext, type ParseContext } from '../tolerance/tolerance-counter.ts'
import { tolerancesOf } from '../tolerance/tolerances.ts'
import { provisionUser } from '../users/provision-user.ts'
import { isSameResource } from '../users/render-cache.ts'
import type { UserDependencies } from '../users/user-dependencies.ts'
import { userDocument, userState, type WrittenUser } from '../users/user-state.ts'
import { type UserWriter, recordOfOutcome } from '../users/write-user.ts'
import { readValue } from '../values/read-value.ts'

/** Somebody whom an identity provider has signed in, by SAML or OpenID Connect: what the host verified. */
export interface ProviderLogin {
  readonly providerId: string
  /** The person, as the same provider names them when it provisions: the `sub` or NameID, or a claim beside it. */
  readonly externalId: string
  /** What the login says of them, as a part of a SCIM user. `active`, `externalId` and `password` in it are passed over. */
  readonly profile: JsonObject
}

/** Whether they may come in. */
export type ProviderSignIn =
  | {
      readonly outcome: 'signed_in'
      readonly userId: UserId
      /** Whether the account began, or was linked, with this login. */
      readonly isNew: boolean
    }
  /** The account was ended by its provider or by an administrator: nothing was written, and no login brings it back. */
  | { readonly outcome: 'deactivated'; readonly userId: UserId }
  | { readonly outcome: 'provider_disabled' }

export interface SignInDependencies extends UserDependencies {
  readonly clock: Clock
}

/**
 * Finds the account of somebody who signed in at an identity provider, or begins it. It is found by the provider and the
 * `externalId` alone, as when the provider provisions it: never by e-mail or userName, unless the host's `link` hook says so.
 * A login changes what its profile gives, and nothing when that is what is there; an account that the host protects from changes
 * (`mayChange`) stays as it is.
 * @throws ScimError when the profile is not part of a SCIM user, when a new account lacks a userName, and 409 — reason
 * `user_name_taken` — when another account of the provider has it, and 403 — reason `change_refused` — when the host links an
 * account that it protects; ProviderError `provider_unknown`.
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
    now,
    record: (occurrence) => deps.journal.announce(occurrence),
  }
  return untilSettled(async () => {
    const user = await deps.storage.provisionedUsers.findByExternalId(writer.providerId, externalId)
    if (user?.active === false) return { outcome: 'deactivated', userId: user.userId }
    const written = toWrittenUser(user, { ...login, externalId }, { parseContext, writer, deps })
    const context = { writer, deps }
    const signedIn =
      user === undefined ? await provisionUser(written, writer, deps) : await update(user, written, context)
    return signedIn === undefined ? undefined : signInOf(signedIn, { isNew: user === undefined })
  })
}

interface SignInContext {
  readonly writer: UserWriter
  readonly deps: SignInDependencies
}

/** What is stored of the account afterwards. A login decides neither whether it is active nor whose it is. */
function toWrittenUser(
  user: ProvisionedUserRecord | undefined,
  { externalId, profile }: ProviderLogin,
  { parseContext, writer, deps }: SignInContext & { readonly parseContext: ParseContext },
): WrittenUser {
  const document = applyProfile(user === undefined ? {} : userDocument(user), profile, parseContext)
  const before = { providerId: writer.providerId, active: true, claims: user?.claims ?? {} }
  const written = userState({ ...document, externalId, active: before.active }, before, deps)
  return { ...written, password: undefined }
}

/** Undefined when the account has changed since it was read: it may have been deactivated. */
async function update(
  user: ProvisionedUserRecord,
  written: WrittenUser,
  { writer: { providerId, now, record }, deps }: SignInContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { userId, version } = user
  const { state } = written
  if (isSameResource(user, written)) return user
  const isAllowed = (await deps.hooks.mayChange?.({ providerId, userId, kind: 'update' })) ?? true
  if (!isAllowed) return user

  const outcome = await deps.storage.provisionedUsers.compareAndSwap({ providerId, userId, version, state, now })
  if (outcome.outcome === 'conflict' || outcome.outcome === 'absent') return undefined
  const changed = recordOfOutcome(outcome)
  record({ type: 'user.changed', providerId, userId })
  return changed
}

/** An account that the host linked may be one that was deactivated before. */
const signInOf = ({ userId, active }: ProvisionedUserRecord, { isNew }: { readonly isNew: boolean }): ProviderSignIn =>
  active ? { outcome: 'signed_in', userId, isNew } : { outcome: 'deactivated', userId }

/**
 * Who signed in, as SCIM requests name them.
 * @throws ScimError invalidValue — reasons `value_required`, `value_too_long`, `value_characters`.
 */
function loginExternalId(text: string, { resourceType, tolerances }: ParseContext): string {
  const attribute = resourceType.attributesByName.get('externalid')
  const value = attribute === undefined ? undefined : readValue(attribute, text, tolerances)
  // RFC 7643 §3.1: what joins a sign-in and a provisioned account is not left open.
  if (typeof value !== 'string' || value.trim() === '') throw refusal('value_required', { attribute: 'externalId' })
  return value
}

/**
 * A user with what a profile gives put in place (RFC 7644 §3.5.2.3): of `name` the parts that it gives, of `emails` all; what it
 * does not give stays. By the rules, and with the tolerances, of a PATCH from the same provider.
 * @throws ScimError the reasons of `parsePatch` and `applyPatch`.
 */
function applyProfile(document: JsonObject, profile: JsonObject, parseContext: ParseContext): JsonObject {
  // As JSON has no undefined: a host that copies claims by name writes it for those that did not come, and means to clear none.
  const value: unknown = JSON.parse(JSON.stringify(profile))
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  const operations = parsePatch({ schemas, Operations: [{ op: 'replace', value }] }, parseContext.tolerances)
  return applyPatch(document, operations, parseContext).resource
}
