import { encodeBase64url, hmacSha256, randomIdentifier, type Random } from '@mintmark/internal'
import type { ClientRecord, OAuthStorage, UserId } from '@mintmark/storage-interface'
import type { SubjectStore } from '@mintmark/storage-interface/stores'

import { sectorOf } from '../clients/sector.ts'
import type { KeyRing } from '../keys/ring.ts'

/** The members of a client that decide which `sub` a user has at it. */
type SubjectClient = Pick<ClientRecord, 'subjectType' | 'sectorIdentifierUri' | 'redirectUris'>

/**
 * Returns the `sub` of a user at a client (OIDC Core §8): the user's identifier or, for pairwise subjects, an
 * identifier that only the clients of one sector get, and that is assigned when it is first needed.
 */
export async function subjectFor(
  user: UserId,
  client: SubjectClient,
  { storage, random }: { readonly storage: OAuthStorage; readonly random: Random },
): Promise<string> {
  if (client.subjectType === 'public') return user
  const assigned = await requireSubjects(storage).assign({
    sector: sectorOf(client),
    userId: user,
    subject: randomIdentifier(random),
  })
  if (assigned.outcome === 'taken')
    throw new Error('The new random subject is already assigned: the source of randomness returns repeated values.')
  return assigned.subject
}

/**
 * Returns the user whom a client's `sub` names; `undefined` when it names nobody, as the `sub` of another client does.
 */
export async function userOfSubject(
  subject: string,
  client: SubjectClient,
  storage: OAuthStorage,
): Promise<string | undefined> {
  return client.subjectType === 'public' ? subject : requireSubjects(storage).find(sectorOf(client), subject)
}

function requireSubjects({ subjects }: OAuthStorage): SubjectStore {
  // A client with pairwise subjects cannot be registered without this store, so the host has changed its storage.
  if (subjects === undefined)
    throw new TypeError('A client with pairwise subjects needs a storage that has `subjects`.')
  return subjects
}

type Secrets = Pick<KeyRing, 'deriveSecrets'>

/**
 * Returns the `sid` of a session at a client. A `sid` that is the same at all clients would show them which of their
 * users are the same, so a client with pairwise subjects gets a MAC of the session's identifier.
 * @returns `undefined` with a key ring that derives no secrets.
 */
export const sidFor = async (session: string, client: ClientRecord, keys: Secrets): Promise<string | undefined> =>
  client.subjectType === 'public' ? session : (await sidsOf(session, client, keys))[0]

/** Whether a client's `sid` names the session. This stays true after the secrets of the issuer were rotated. */
export const isSidOf = async (
  sid: string,
  { session, client }: { readonly session: string; readonly client: ClientRecord },
  keys: Secrets,
): Promise<boolean> =>
  client.subjectType === 'public' ? sid === session : (await sidsOf(session, client, keys)).includes(sid)

async function sidsOf(session: string, client: ClientRecord, keys: Secrets): Promise<readonly string[]> {
  const message = new TextEncoder().encode(JSON.stringify([sectorOf(client), session]))
  const secrets = await keys.deriveSecrets('pairwise sessions')
  return Promise.all(secrets.map(async (secret) => encodeBase64url(await hmacSha256(secret, message)).slice(0, 22)))
}
