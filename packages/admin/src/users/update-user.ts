import { isStorable } from '@mintmark/internal'
import { type JsonObject, type JsonValue, type UserRecord, matchesFilter } from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import {
  type CustomFields,
  type FieldChanges,
  customFieldsClaim,
  fieldsOf,
  isReservedClaim,
  readFieldValues,
} from '../custom-fields/custom-field.ts'
import { refuse } from '../error/refusals.ts'
import {
  type Administered,
  findAdministered,
  noAdministration,
  applyUnlessLastAdministrator,
} from '../last-administrators/last-administrators.ts'
import { comparableUser } from '../last-administrators/user-filter.ts'
import { type UserView, findUser, loggedUser, userView } from './user-view.ts'

/** A user, and the version that a change expects. Without a version the change applies to any version. */
export interface UserTarget {
  readonly userId: string
  readonly version?: number | undefined
}

export const updateUser = (target: UserTarget, change: UserChange, context: AdminContext): Promise<UserView> =>
  audit(
    {
      name: 'user.updated',
      target: { kind: 'user', id: target.userId },
      run: async () => {
        const { before, after } = await changeStored(target, change, context)
        const changed = changedNames(before.claims, after.claims)
        return {
          result: userView(after),
          before: loggedUser(before),
          after: { ...loggedUser(after), changedClaims: changed },
        }
      },
    },
    context,
  )

interface StoredChange {
  readonly before: UserRecord
  readonly after: UserRecord
}

const changeStored = (
  { userId, version }: UserTarget,
  change: UserChange,
  context: AdminContext,
): Promise<StoredChange> =>
  untilSettled(async () => {
    const before = await findUser(userId, context)
    // RFC 9110 §15.5.13.
    if (version !== undefined && version !== before.version) throw refuse('version_mismatch')
    const claims = await changedClaims(before.claims, change, context.customFields)
    const after = await applyUnlessLastAdministrator(
      {
        userId: before.userId,
        administered: await findLostAdministration(before, claims, context),
        apply: () => replaceClaims(before, claims, context),
        undo: async (replaced) => replaced && replaceClaims(replaced, before.claims, context),
      },
      context,
    )
    return after && { before, after }
  })

/** Returns undefined when another writer changed or removed the user first. */
async function replaceClaims(
  { userId, version }: UserRecord,
  claims: JsonObject,
  { storage, clock }: AdminContext,
): Promise<UserRecord | undefined> {
  const swapped = await storage.users.replaceClaims({ userId, claims, version, now: clock() })
  return swapped.outcome === 'swapped' ? swapped.record : undefined
}

/** Returns what a user administers because of their claims but would not administer with the new claims. */
export async function findLostAdministration(
  user: UserRecord,
  claims: JsonObject,
  context: AdminContext,
): Promise<Administered> {
  const { administrators } = context.lastAdministrators
  if (administrators === undefined || matchesFilter(administrators)(comparableUser({ ...user, claims })))
    return noAdministration
  const { service } = await findAdministered(user.userId, context)
  return { service, organizations: [] }
}

function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).toSorted()
}

/** A change of a user's claims and custom fields. Members that are left out stay as they are; null removes one. */
export interface UserChange {
  readonly claims?: JsonObject | undefined
  readonly customFields?: FieldChanges | undefined
}

/**
 * Returns the claims of a user after a change, including custom fields.
 * @throws AdminError `claim_invalid` | `claim_reserved` | `claims_too_large` | `custom_field_unknown` |
 * `custom_field_invalid`.
 */
export async function changedClaims(
  before: JsonObject,
  { claims = {}, customFields = {} }: UserChange,
  fields: CustomFields,
): Promise<JsonObject> {
  const values = await readFieldValues(customFields, fields)
  const mapped = new Set([...fields.values()].map(({ claim }) => claim))
  const changed = new Map<string, JsonValue>(Object.entries(before))
  for (const [name, value] of Object.entries(claims)) {
    // RFC 7519 §4: the protocol or a custom field sets this claim.
    if (isReservedClaim(name) || mapped.has(name)) throw refuse('claim_reserved', { pointer: '/claims' })
    if (!isClaimName(name)) throw refuse('claim_invalid', { pointer: '/claims' })
    setOrDelete(changed, name, value ?? undefined)
  }

  const fieldValues = new Map<string, JsonValue>(Object.entries(fieldsOf(before, customFieldsClaim)))
  for (const [{ name, claim }, value] of values) {
    setOrDelete(fieldValues, name, value)
    if (claim !== undefined) setOrDelete(changed, claim, value)
  }
  setOrDelete(changed, customFieldsClaim, fieldValues.size === 0 ? undefined : Object.fromEntries(fieldValues))
  return requireStorable(Object.fromEntries(changed))
}

function setOrDelete(members: Map<string, JsonValue>, name: string, value: JsonValue | undefined): void {
  if (value === undefined) members.delete(name)
  else members.set(name, value)
}

/** Whether other programs can safely use a name as a member of an ordinary object. */
const isClaimName = (name: string): boolean => /^[\x21-\x7E]{1,128}$/.test(name) && !(name in Object.prototype)

function requireStorable(claims: JsonObject): JsonObject {
  // RFC 9110 §15.5.1: tokens and responses contain the claims, so their size is limited.
  if (isDeeper(claims, 8) || JSON.stringify(claims).length > 32_768)
    throw refuse('claims_too_large', { pointer: '/claims' })
  // RFC 9110 §15.5.1: some stores cannot read these characters back.
  if (!isStorable(claims)) throw refuse('claim_invalid', { pointer: '/claims' })
  return claims
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as JsonObject).some((member) => isDeeper(member, levels - 1))
}
