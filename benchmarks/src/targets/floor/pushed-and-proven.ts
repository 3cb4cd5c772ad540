// What the floors need for pushed authorization requests (RFC 9126) and DPoP proofs (RFC 9449).
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'

import { andThen, type Later } from '../later.ts'
import { digest } from './digest.ts'
import type { SqlConnection } from './sql-connection.ts'

/** The part of the storage that only these requests use. */
export interface PushedStore {
  /** Stores a pushed request, as its form. */
  insertPushed(digest: string, form: string, expiresAt: number): Later<void>
  /** Returns the form, and removes the request. */
  consumePushed(digest: string): Later<string | undefined>
  /** Stores that a proof was used. Returns whether it is its first use. */
  useProof(digest: string, expiresAt: number): Later<boolean>
}

export function memoryPushedStore(): PushedStore {
  const pushed = new Map<string, string>()
  const proofs = new Map<string, number>()
  return {
    insertPushed: (key, form) => void pushed.set(key, form),
    consumePushed: (key) => {
      const form = pushed.get(key)
      pushed.delete(key)
      return form
    },
    useProof: (key, expiresAt) => {
      if (proofs.has(key)) return false
      proofs.set(key, expiresAt)
      return true
    },
  }
}

/** Creates a store in a database, with one statement for each operation. */
export async function sqlPushedStore({ run, row }: SqlConnection): Promise<PushedStore> {
  await run(`
    CREATE TABLE pushed (digest TEXT PRIMARY KEY, form TEXT NOT NULL, expires_at INTEGER NOT NULL);
    CREATE TABLE proofs (digest TEXT PRIMARY KEY, expires_at INTEGER NOT NULL);`)
  const insert = row('INSERT INTO pushed VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING digest')
  const consume = row('DELETE FROM pushed WHERE digest = ? RETURNING form')
  const use = row('INSERT INTO proofs VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING digest')
  return {
    insertPushed: (key, form, expiresAt) => andThen(insert(key, form, expiresAt), () => undefined),
    consumePushed: (key) => andThen(consume(key), (found) => found?.['form'] as string | undefined),
    useProof: (key, expiresAt) => andThen(use(key, expiresAt), (found) => found !== undefined),
  }
}

/**
 * Verifies a DPoP proof for a `POST` request to the URL, and stores its use (§4.3).
 * @returns the thumbprint of the key (RFC 7638).
 */
export async function proveKey(proof: string, url: string, store: PushedStore): Promise<string> {
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 300 })
  if (payload['htm'] !== 'POST' || payload['htu'] !== url) throw new Error('A proof for another request.')
  const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk ?? {})
  if (!(await store.useProof(digest(`${thumbprint} ${payload.jti ?? ''}`), (payload.iat ?? 0) + 300)))
    throw new Error('A proof that was used before.')
  return thumbprint
}
