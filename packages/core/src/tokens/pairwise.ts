import { encodeBase64url, hmacSha256, randomIdentifier, type Random } from '@mintmark/internal'
import type { ClientRecord, OAuthStorage, UserId } from '@mintmark/storage-interface'
import type { SubjectStore } from '@mintmark/storage-interface/stores'

import { sectorOf } from '../clients/sector.ts'
import type { KeyRing } from '../keys/ring.ts'

/**
 * The `sub` of a user at a client (OIDC Core §8): the user's identifier, or one that only the clients of its sector get. It is
 * assigned when it is first needed.
 */
export async function subjectFor(
  user: UserId,
  client: ClientRecord,
  { storage, random }: { readonly storage: OAuthStorage; readonly random: Random },
): Promise<string> {
  if (client.subjectType === 'public') return user
  const assigned = await requireSubjects(storage).assign({
    sector: sectorOf(client),
    userId: user,
    subject: randomIdentifier(random),
  })
  if (assigned.outcome === 'taken') throw new Error('The source of randomness has repeated itself.')
  return assigned.subject
}

/** The user whom a client's `sub` names; `undefined` when it names none, as another client's does. */
export async function userOfSubject(
  subject: string,
  client: ClientRecord,
  storage: OAuthStorage,
): Promise<string | undefined> {
  return client.subjectType === 'public' ? subject : requireSubjects(storage).find(sectorOf(client), subject)
}

function requireSubjects({ subjects }: OAuthStorage): SubjectStore {
  // Such a client cannot be registered: the host has changed its storage.
  if (subjects === undefined) throw new TypeError('A client with pairwise subjects needs a storage with `subjects`.')
  return subjects
}

type Secrets = Pick<KeyRing, 'deriveSecrets'>

/**
 * The `sid` of a session at a client. One that all clients share would show them that two of their users are the same, so a
 * client with pairwise subjects gets a MAC of it.
 * @returns `undefined` with a key ring that derives no secrets.
 */
export const sidFor = async (session: string, client: ClientRecord, keys: Secrets): Promise<string | undefined> =>
  client.subjectType === 'public' ? session : (await sidsOf(session, client, keys))[0]

/** Whether a client's `sid` names the session: also after the secrets of the issuer were rotated. */
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
