import { clientId, type ClientRecord, type AdminStorage } from '@mintmark/storage-interface'

import { fail, ok, warn, type Finding } from './finding.ts'
import { endpointOf, type DoctorTarget } from './patient.ts'

/**
 * The cookie that binds an authorization request to its browser (RFC 6265bis §4.1). A request is begun for a client and left
 * to expire.
 */
export async function checkCookies(patient: DoctorTarget): Promise<readonly Finding[]> {
  const request = await requestOf(patient)
  if (request === undefined) {
    return [
      warn(
        check,
        'The cookies were not looked at, because no client is known.',
        'Name a client and one of its redirect URIs: --client ID --redirect-uri URI.',
      ),
    ]
  }
  const answer = await patient.probe(`${endpointOf(patient, 'authorization_endpoint', '/auth')}?${request.toString()}`)
  if (answer === undefined)
    return [fail(check, 'Nobody answers at the authorization endpoint.', 'Have the proxy pass it on to Mintmark.')]
  const cookies = answer.headers.getSetCookie()
  if (cookies.length === 0) {
    return [
      warn(
        check,
        `The authorization endpoint answers ${answer.status} and sets no cookie.`,
        'Look whether the client may use the code flow with this redirect URI, and whether a proxy takes cookies away.',
      ),
    ]
  }
  return cookies.map((cookie) => cookieFinding(cookie, patient.issuer.startsWith('https:')))
}

function cookieFinding(cookie: string, isSecure: boolean): Finding {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
  const name = pair.split('=', 1)[0] ?? ''
  const has = (attribute: RegExp): boolean => attributes.some((each) => attribute.test(each))
  const faults = [
    ...(has(/^HttpOnly$/i) ? [] : ['scripts can read it']),
    ...(has(/^SameSite=(?:Lax|Strict)$/i) ? [] : ['other sites can send it']),
    ...(!isSecure || has(/^Secure$/i) ? [] : ['it travels in clear']),
    ...(!isSecure || (name.startsWith('__Host-') && has(/^Path=\/$/i) && !has(/^Domain=/i))
      ? []
      : ['neighbouring hosts can set it']),
  ]
  if (faults.length === 0) return ok(check, `The cookie ${name} has every flag that it needs.`)
  return fail(
    check,
    `The cookie ${name} is weak: ${faults.join(', ')}.`,
    'Let no proxy rewrite Set-Cookie; Mintmark sets HttpOnly, SameSite=Lax, and over https Secure and __Host-.',
  )
}

async function requestOf({ options, storage }: DoctorTarget): Promise<URLSearchParams | undefined> {
  const named = options.client !== undefined && options.redirectUri !== undefined
  const found = named
    ? { client: options.client, redirectUri: options.redirectUri }
    : await findClient(storage, options.client)
  if (found === undefined) return undefined
  return new URLSearchParams({
    client_id: found.client,
    redirect_uri: found.redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 'doctor',
    nonce: 'doctor',
    // RFC 7636 Appendix B: nobody redeems it.
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
}

async function findClient(storage: AdminStorage | undefined, id: string | undefined) {
  const clients =
    id === undefined
      ? await storage?.clients.list({ after: undefined, limit: 100 })
      : [await storage?.clients.find(clientId(id))]
  const [client] = (clients ?? []).filter((each): each is ClientRecord => each !== undefined && isUsable(each))
  const redirectUri = client?.redirectUris[0]
  return client === undefined || redirectUri === undefined
    ? undefined
    : { client: client.clientId as string, redirectUri }
}

const isUsable = ({ disabledAt, grantTypes, scopes, redirectUris }: ClientRecord): boolean =>
  disabledAt === undefined &&
  grantTypes.includes('authorization_code') &&
  scopes.includes('openid') &&
  redirectUris.length > 0

const check = 'cookies.flags'
