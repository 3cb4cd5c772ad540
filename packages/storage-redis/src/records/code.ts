import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  secretDigest,
  userId,
  type AuthorizationCodeRecord,
} from '@mintmark/storage-interface'
import type { StoredObject } from '../stored-json.ts'
import { readAuthentication } from './authentication.ts'

export function readCode(stored: StoredObject): AuthorizationCodeRecord {
  return {
    digest: secretDigest(stored.text('digest')),
    clientId: clientId(stored.text('clientId')),
    grantId: grantId(stored.text('grantId')),
    familyId: familyId(stored.text('familyId')),
    userId: userId(stored.text('userId')),
    redirectUri: stored.text('redirectUri'),
    scopes: stored.texts('scopes'),
    resources: stored.texts('resources'),
    nonce: stored.optionalText('nonce'),
    codeChallengeMethod: readMethod(stored.text('codeChallengeMethod')),
    codeChallenge: stored.optionalText('codeChallenge'),
    claimsRequest: stored.optionalJson('claimsRequest'),
    authentication: readAuthentication(stored.object('authentication')),
    issuedAt: epochSeconds(stored.integer('issuedAt')),
    expiresAt: epochSeconds(stored.integer('expiresAt')),
  }
}

function readMethod(method: string): AuthorizationCodeRecord['codeChallengeMethod'] {
  if (method === 'S256' || method === 'exempt') return method
  throw new Error('A stored code has no valid codeChallengeMethod.')
}
