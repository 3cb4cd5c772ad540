import { resolve } from 'node:path'

import { tenantUrl } from '@mintmark/scim'

import { readTrimmedFile } from '../config/key-ring.ts'
import { type Answer, type DoctorTarget, type Finding, fail, ok, warn } from './target.ts'

/** Checks that SCIM is served, and refuses requests without a secret: RFC 7644 §2, §3.12 and §4. */
export async function checkScim(target: DoctorTarget): Promise<readonly Finding[]> {
  const secret = await secretOf(target)
  const base = tenantUrl(target.issuer, providerOf(secret) ?? 'doctor')
  const unauthenticated = await target.probe(`${base}/Users`)
  if (unauthenticated?.status === 404) {
    return [
      warn(
        'scim.served',
        'SCIM is not served.',
        'To provision users, serve createScimServer next to the authorization server, and have the proxy forward /scim.',
      ),
    ]
  }
  return [
    unauthenticatedFinding(unauthenticated),
    ...(secret === undefined ? [] : [await configFinding(base, secret, target)]),
  ]
}

function unauthenticatedFinding(answer: Answer | undefined): Finding {
  const isRefused =
    answer?.status === 401 &&
    (answer.headers.get('content-type') ?? '').startsWith('application/scim+json') &&
    Array.isArray(answer.json?.['schemas']) &&
    answer.json['schemas'].includes('urn:ietf:params:scim:api:messages:2.0:Error')
  if (isRefused) return ok('scim.served', 'SCIM is served, and refuses requests without a secret.')
  const status = answer === undefined ? 'no response' : String(answer.status)
  return fail(
    'scim.served',
    `To a request without a secret, SCIM returns ${status} instead of 401 with a SCIM error.`,
    'Forward requests and responses below /scim unchanged, with the Authorization header and the media type application/scim+json.',
  )
}

async function configFinding(base: string, secret: string, { probe }: DoctorTarget): Promise<Finding> {
  const answer = await probe(`${base}/ServiceProviderConfig`, { headers: { authorization: `Bearer ${secret}` } })
  if (answer?.status === 200 && answer.json?.['patch'] !== undefined)
    return ok('scim.secret', 'The Secret Token is accepted, and SCIM returns its configuration.')
  const status = answer === undefined ? 'no response' : String(answer.status)
  return fail(
    'scim.secret',
    `With the Secret Token, ServiceProviderConfig returns ${status} instead of 200.`,
    'Check that the token has not expired, that its provider is enabled (mintmark idp list), and that no proxy removes Authorization.',
  )
}

async function secretOf({ options, io }: DoctorTarget): Promise<string | undefined> {
  const { scimSecretFile } = options
  return scimSecretFile === undefined
    ? io.env['MINTMARK_SCIM_SECRET']
    : readTrimmedFile(resolve(io.cwd, scimSecretFile))
}

/** Returns the provider that a Secret Token names: `mmscim_<provider>_…`. */
const providerOf = (secret: string | undefined): string | undefined =>
  /^mmscim_([A-Za-z0-9-]+)_/.exec(secret ?? '')?.[1]
