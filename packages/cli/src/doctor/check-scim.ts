import { resolve } from 'node:path'

import { tenantUrl } from '@mintmark/scim'

import { readSecretFile } from '../place/sealing-key.ts'
import { fail, ok, warn, type Finding } from './finding.ts'
import type { DoctorTarget } from './patient.ts'
import type { Answer } from './probe.ts'

/** Whether identity providers would find SCIM, and be refused without a secret: RFC 7644 §2, §3.12 and §4. */
export async function checkScim(patient: DoctorTarget): Promise<readonly Finding[]> {
  const secret = await secretOf(patient)
  const base = tenantUrl(patient.issuer, providerOf(secret) ?? 'doctor')
  const stranger = await patient.probe(`${base}/Users`)
  if (stranger?.status === 404) {
    return [
      warn(
        'scim.served',
        'SCIM is not served.',
        'Serve createScimServer beside the authorization server, and have the proxy pass /scim on, if accounts are to be provisioned.',
      ),
    ]
  }
  return [strangerFinding(stranger), ...(secret === undefined ? [] : [await configFinding(base, secret, patient)])]
}

function strangerFinding(answer: Answer | undefined): Finding {
  const isRefused =
    answer?.status === 401 &&
    (answer.headers.get('content-type') ?? '').startsWith('application/scim+json') &&
    Array.isArray(answer.json?.['schemas']) &&
    answer.json['schemas'].includes('urn:ietf:params:scim:api:messages:2.0:Error')
  if (isRefused) return ok('scim.served', 'SCIM is served, and refuses whoever has no secret.')
  const status = answer === undefined ? 'does not answer' : `answers ${answer.status}`
  return fail(
    'scim.served',
    `Asked without a secret, SCIM ${status} instead of 401 with an error of SCIM.`,
    'Let the server’s own answers through below /scim, with the Authorization header and the media type application/scim+json.',
  )
}

async function configFinding(base: string, secret: string, { probe }: DoctorTarget): Promise<Finding> {
  const answer = await probe(`${base}/ServiceProviderConfig`, { headers: { authorization: `Bearer ${secret}` } })
  if (answer?.status === 200 && answer.json?.['patch'] !== undefined)
    return ok('scim.secret', 'The Secret Token is accepted, and SCIM says what it can do.')
  const status = answer === undefined ? 'nothing' : String(answer.status)
  return fail(
    'scim.secret',
    `With the Secret Token, ServiceProviderConfig answers ${status} instead of 200.`,
    'Look whether the token has ended or its provider is disabled (mintmark idp list), and whether a proxy takes Authorization away.',
  )
}

async function secretOf({ options, io }: DoctorTarget): Promise<string | undefined> {
  const { scimSecretFile } = options
  return scimSecretFile === undefined ? io.env['MINTMARK_SCIM_SECRET'] : readSecretFile(resolve(io.cwd, scimSecretFile))
}

/** A Secret Token names its provider: `mmscim_<provider>_…`. */
const providerOf = (secret: string | undefined): string | undefined =>
  /^mmscim_([A-Za-z0-9-]+)_/.exec(secret ?? '')?.[1]
