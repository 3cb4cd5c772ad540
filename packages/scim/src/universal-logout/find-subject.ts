import { type JsonObject, type ScimStorage, userId, type UserId } from '@mintmark/storage-interface'
import type { IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { getMember, getText, isObject } from '../values/json.ts'
import { foldCase, isAllowedText } from '../values/text.ts'

/** A subject identifier (RFC 9493 §3.2.2, §3.2.3). */
export type Subject =
  | { readonly format: 'email'; readonly email: string }
  | { readonly format: 'iss_sub'; readonly iss: string; readonly sub: string }

/**
 * Reads the subject of a request. Okta and Auth0 send `subject`; the draft calls it `sub_id`.
 * @throws ScimError 400 — reason `revocation_subject_invalid`.
 */
export function readSubject(body: unknown): Subject {
  const message = isObject(body) ? body : {}
  const [subject, subjectId] = [getMember(message, 'subject'), getMember(message, 'sub_id')]
  const parsed = subject !== undefined && subjectId !== undefined ? undefined : parseSubject(subject ?? subjectId)
  if (parsed === undefined) throw refuse('revocation_subject_invalid')
  return parsed
}

/** Parses a subject identifier of the formats `email` and `iss_sub`; `undefined` for anything else. */
export function parseSubject(value: unknown): Subject | undefined {
  if (!isObject(value)) return undefined
  const format = getText(value, 'format')
  const [email, iss, sub] = [shortText(value, 'email'), shortText(value, 'iss'), shortText(value, 'sub')]
  if (format === 'email' && email !== undefined) return { format, email }
  return format === 'iss_sub' && iss !== undefined && sub !== undefined ? { format, iss, sub } : undefined
}

function shortText(object: JsonObject, name: string): string | undefined {
  const text = getText(object, name)
  return text !== undefined && text.length <= 1024 && isAllowedText(text, 'line') ? text : undefined
}

export interface SubjectContext {
  readonly provider: IdentityProviderRecord
  /** The issuer of the provider's own subjects; `undefined` if it is not known. */
  readonly providerIssuer: string | undefined
  /** The issuer of this server. */
  readonly issuer: string
  readonly storage: ScimStorage
}

/**
 * Finds the user of this provider that a subject identifies: by `sub` of this server, by `externalId` at the provider, or by an e-mail
 * address in a verified domain that only one of its users has.
 */
export const findSubject = (subject: Subject, context: SubjectContext): Promise<UserId | undefined> =>
  subject.format === 'email' ? findByEmail(subject.email, context) : findBySub(subject, context)

async function findBySub(
  { iss, sub }: Extract<Subject, { format: 'iss_sub' }>,
  { provider, providerIssuer, issuer, storage }: SubjectContext,
): Promise<UserId | undefined> {
  if (iss === providerIssuer)
    return (await storage.provisionedUsers.findByExternalId(provider.providerId, sub, { without: 'groups' }))?.userId
  // Okta writes the issuer with a slash at its end.
  if (iss !== issuer && iss !== `${issuer}/`) return undefined
  const user = await storage.users.find(userId(sub))
  return user?.providerId === provider.providerId ? user.userId : undefined
}

async function findByEmail(email: string, { provider, storage }: SubjectContext): Promise<UserId | undefined> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (!provider.verifiedDomains.includes(domain)) return undefined
  const attribute = { extension: undefined, subName: undefined }
  const listed = await storage.provisionedUsers.list({
    providerId: provider.providerId,
    filter: {
      kind: 'element',
      attribute: { ...attribute, name: 'emails', multiValued: true },
      where: {
        kind: 'text',
        attribute: { ...attribute, name: 'value', multiValued: false },
        operator: 'eq',
        value: foldCase(email),
      },
    },
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 2 },
    without: 'groups',
  })
  const records = listed.outcome === 'listed' ? listed.records : []
  return records.length === 1 ? records[0]?.userId : undefined
}
