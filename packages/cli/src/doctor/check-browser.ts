import { clientId, type ClientRecord, type AdminStorage } from '@mintmark/storage-interface'

import { discoveryUrls } from './check-discovery.ts'
import { type Answer, type DoctorTarget, type Finding, endpointOf, fail, ok, warn } from './target.ts'

/**
 * Checks the cookie that binds an authorization request to its browser (RFC 6265bis §4.1). Starts an authorization
 * request of a client; the server does not store it.
 */
export async function checkCookies(target: DoctorTarget): Promise<readonly Finding[]> {
  const request = await requestOf(target)
  if (request === undefined) {
    return [
      warn(
        cookieCheck,
        'The cookies were not checked, because no client is known.',
        'Name a client and one of its redirect URIs: --client ID --redirect-uri URI.',
      ),
    ]
  }
  const answer = await target.probe(`${endpointOf(target, 'authorization_endpoint', '/auth')}?${request.toString()}`)
  if (answer === undefined)
    return [
      fail(
        cookieCheck,
        'There is no response from the authorization endpoint.',
        'Have the proxy forward this endpoint to Mintmark.',
      ),
    ]
  const cookies = answer.headers.getSetCookie()
  if (cookies.length === 0) {
    return [
      warn(
        cookieCheck,
        `The authorization endpoint responds with ${answer.status} and sets no cookie.`,
        'Check that the client may use the code flow with this redirect URI, and that no proxy removes cookies.',
      ),
    ]
  }
  return cookies.map((cookie) => cookieFinding(cookie, target.issuer.startsWith('https:')))
}

function cookieFinding(cookie: string, isSecure: boolean): Finding {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
  const name = pair.split('=', 1)[0] ?? ''
  const has = (attribute: RegExp): boolean => attributes.some((each) => attribute.test(each))
  const faults = [
    ...(has(/^HttpOnly$/i) ? [] : ['scripts can read it']),
    ...(has(/^SameSite=(?:Lax|Strict)$/i) ? [] : ['other sites can send it']),
    ...(!isSecure || has(/^Secure$/i) ? [] : ['it is sent without encryption']),
    ...(!isSecure || (name.startsWith('__Host-') && has(/^Path=\/$/i) && !has(/^Domain=/i))
      ? []
      : ['other hosts of the domain can set it']),
  ]
  if (faults.length === 0) return ok(cookieCheck, `The cookie ${name} has all required flags.`)
  return fail(
    cookieCheck,
    `The cookie ${name} is weak: ${faults.join(', ')}.`,
    'Do not let a proxy rewrite Set-Cookie: Mintmark sets HttpOnly and SameSite=Lax, and over https Secure and __Host-.',
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
    // RFC 7636 Appendix B. The code is never redeemed.
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

const cookieCheck = 'cookies.flags'

/** Checks which responses scripts of other origins may read (Fetch §3.3, RFC 9700 §2.6). */
export async function checkCrossOrigin(target: DoctorTarget): Promise<readonly Finding[]> {
  const { probe } = target
  const headers = { origin }
  const post = {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=authorization_code',
  }
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }
  const token = endpointOf(target, 'token_endpoint', '/token')
  const answers = await Promise.all([
    probe(discoveryUrls(target.issuer).openid, { headers }),
    probe(endpointOf(target, 'jwks_uri', '/jwks'), { headers }),
    probe(token, post),
    probe(token, preflight),
    probe(endpointOf(target, 'userinfo_endpoint', '/userinfo'), { headers }),
    probe(endpointOf(target, 'authorization_endpoint', '/auth'), { headers }),
  ])
  const [discovery, jwks, tokenAnswer, , userinfo, authorization] = answers
  return [
    publicFinding([discovery, jwks]),
    credentialsFinding(answers),
    privateFinding({ '/token': tokenAnswer, '/userinfo': userinfo, '/auth': authorization }),
  ]
}

function publicFinding(documents: readonly (Answer | undefined)[]): Finding {
  if (documents.every((answer) => allowedOrigin(answer) === '*' || allowedOrigin(answer) === origin)) {
    return ok('cors.public', 'Scripts of any origin may read the public documents.')
  }
  return warn(
    'cors.public',
    'Clients in browsers cannot read discovery or the keys.',
    'Do not remove the server’s Access-Control-Allow-Origin: * from /.well-known and /jwks.',
  )
}

/** Fetch §3.3.3: with credentials, any site could use a user’s cookies. */
function credentialsFinding(answers: readonly (Answer | undefined)[]): Finding {
  if (answers.every((answer) => answer?.headers.get('access-control-allow-credentials') !== 'true')) {
    return ok('cors.credentials', 'No response allows requests with a browser’s cookies.')
  }
  return fail(
    'cors.credentials',
    'Responses allow scripts of another origin to send requests with a browser’s cookies.',
    'Remove Access-Control-Allow-Credentials from the proxy and from middleware in front of Mintmark. Mintmark handles preflight requests itself.',
  )
}

/** Checks responses to requests from an origin that no client has registered. */
function privateFinding(answers: Readonly<Record<string, Answer | undefined>>): Finding {
  const open = Object.entries(answers)
    .filter(([, answer]) => allowedOrigin(answer) !== null)
    .map(([path]) => path)
  if (open.length === 0) return ok('cors.private', 'An origin that no client registered cannot read tokens.')
  return fail(
    'cors.private',
    `An origin that no client registered can read the responses of ${open.join(', ')}.`,
    'Remove CORS middleware and proxy headers in front of Mintmark: it knows which origins its clients registered.',
  )
}

const allowedOrigin = (answer: Answer | undefined): string | null =>
  answer?.headers.get('access-control-allow-origin') ?? null

const origin = 'https://doctor.invalid'
