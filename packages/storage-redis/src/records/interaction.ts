import {
  clientId,
  epochSeconds,
  secretDigest,
  userId,
  type InteractionLogin,
  type InteractionRecord,
} from '@mintmark/storage-interface'
import { readStored } from '../stored-json.ts'
import { readAuthentication } from './authentication.ts'

/** Reads record, login and version, as scripts answer them; the latter two change, so they are fields of their own. */
export function readInteraction([record, login, version]: readonly (string | null)[]): InteractionRecord {
  const stored = readStored(record)
  return {
    digest: secretDigest(stored.text('digest')),
    browserDigest: secretDigest(stored.text('browserDigest')),
    clientId: clientId(stored.text('clientId')),
    // Written from a record whose parameters are texts.
    parameters: stored.json('parameters') as InteractionRecord['parameters'],
    resources: stored.texts('resources'),
    login: typeof login === 'string' ? readLogin(login) : undefined,
    createdAt: epochSeconds(stored.integer('createdAt')),
    expiresAt: epochSeconds(stored.integer('expiresAt')),
    version: readVersion(version),
  }
}

function readLogin(json: string): InteractionLogin {
  const stored = readStored(json)
  return {
    userId: userId(stored.text('userId')),
    userGeneration: stored.integer('userGeneration'),
    authentication: readAuthentication(stored.object('authentication')),
  }
}

function readVersion(version: string | null | undefined): number {
  if (typeof version !== 'string' || !/^-?\d+$/.test(version))
    throw new Error('A stored interaction has no valid version.')
  return Number(version)
}
