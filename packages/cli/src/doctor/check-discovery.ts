import { type Answer, type DoctorTarget, type Finding, fail, ok, warn } from './target.ts'

/** Checks that both well-known documents exist and name this issuer: OIDC Discovery §4.3, RFC 8414 §3.3. */
export async function checkDiscovery(target: DoctorTarget): Promise<readonly Finding[]> {
  const { issuer, probe } = target
  const [appended, inserted] = await Promise.all([
    probe(discoveryUrls(issuer).openid),
    probe(discoveryUrls(issuer).oauth),
  ])
  return [
    ...documentFindings('discovery.openid', { url: discoveryUrls(issuer).openid, answer: appended }, issuer),
    ...documentFindings('discovery.oauth', { url: discoveryUrls(issuer).oauth, answer: inserted }, issuer),
    ...endpointFindings(target),
  ]
}

/** OpenID Connect appends the well-known path to the issuer; RFC 8414 §3.1 inserts it between host and path. */
export function discoveryUrls(issuer: string): { readonly openid: string; readonly oauth: string } {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  return {
    openid: `${issuer}/.well-known/openid-configuration`,
    oauth: `${origin}/.well-known/oauth-authorization-server${path}`,
  }
}

interface Fetched {
  readonly url: string
  readonly answer: Answer | undefined
}

function documentFindings(
  check: 'discovery.oauth' | 'discovery.openid',
  { url, answer }: Fetched,
  issuer: string,
): readonly Finding[] {
  if (answer === undefined)
    return [
      fail(
        check,
        `There is no response from ${url}.`,
        'Start the server, and check its host name, port and certificate.',
      ),
    ]
  if (answer.status !== 200 || answer.json === undefined) {
    const fix =
      'Have the proxy and the host forward this path to Mintmark, even if it is outside the path of the issuer.'
    return [fail(check, `${url} responds with ${answer.status} and no document.`, fix)]
  }
  const named = answer.json['issuer']
  // OIDC Discovery §4.3: the issuer in the document must be identical.
  if (named === issuer) return [ok(check, `The document is at ${url} and names this issuer.`)]
  const fix = `Configure the server with the issuer ${issuer}, or run doctor with the issuer of the server. Clients compare issuers byte by byte.`
  return [fail(check, `${url} names another issuer: ${typeof named === 'string' ? named : 'none'}.`, fix)]
}

/** Endpoints outside the issuer indicate that the server builds them from request headers. */
function endpointFindings({ metadata, issuer }: DoctorTarget): readonly Finding[] {
  const endpoints = Object.entries(metadata).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
  if (endpoints.length === 0) return []
  const outside = endpoints
    .filter(([, url]) => typeof url !== 'string' || !url.startsWith(`${issuer}/`))
    .map(([name]) => name)
  if (outside.length === 0) return [ok('discovery.endpoints', 'All endpoints are below the issuer.')]
  return [
    fail(
      'discovery.endpoints',
      `Endpoints are not below the issuer: ${outside.join(', ')}.`,
      'Let the server build them from its configured issuer, and do not rewrite the document in a proxy.',
    ),
  ]
}

/** Checks that the server is reachable over https only (RFC 8414 §2, RFC 9700 §2.6). */
export async function checkAddress({ issuer, probe }: DoctorTarget): Promise<readonly Finding[]> {
  const url = new URL(issuer)
  if (url.protocol === 'http:') {
    const fix = 'Serve it over https, and change the issuer before clients use it.'
    return [warn('address.https', 'The issuer uses http, which is only suitable for development on one machine.', fix)]
  }
  const plainUrl = `http://${url.host}${url.pathname.replace(/\/$/, '')}${documentPath}`
  const [secure, plain] = await Promise.all([
    probe(issuer + documentPath),
    url.port === '' ? probe(plainUrl) : undefined,
  ])
  return [
    ok('address.https', 'The issuer uses https.'),
    ...(secure === undefined ? [] : [transportFinding(secure)]),
    plain?.status === 200
      ? fail(
          'address.plain_http',
          'The server also responds over plain http, which transmits secrets unencrypted.',
          'Have the proxy redirect http to https, or close the port.',
        )
      : ok('address.plain_http', 'The server does not respond over plain http.'),
  ]
}

/** RFC 6797 §7.1. */
const transportFinding = ({ headers }: Answer): Finding =>
  headers.has('strict-transport-security')
    ? ok('address.hsts', 'The server tells browsers to use https only.')
    : warn(
        'address.hsts',
        'The server does not tell browsers to use https only.',
        'Have the proxy or the host send Strict-Transport-Security: max-age=31536000.',
      )

const documentPath = '/.well-known/openid-configuration'

/**
 * Checks that forged proxy headers do not change the metadata (RFC 9700 §2.6). Otherwise an attacker could choose where
 * clients send codes and passwords.
 */
export async function checkProxy({ issuer, probe }: DoctorTarget): Promise<readonly Finding[]> {
  const url = discoveryUrls(issuer).openid
  const plain = await probe(url)
  // `checkDiscovery` reports a missing document.
  if (plain?.json === undefined) return []

  const answers = await Promise.all(forgedHeaders.map((headers) => probe(url, { headers })))
  const effective = forgedHeaders.filter(
    (_, index) => answers[index] !== undefined && answers[index].text !== plain.text,
  )
  if (effective.length === 0) return [ok('proxy.headers', 'Forged proxy headers do not change the document.')]
  const names = effective.flatMap((headers) => Object.keys(headers)).join(', ')
  return [
    fail(
      'proxy.headers',
      `Headers that any client can send change the document: ${names}.`,
      'Build every URL from the configured issuer, and do not let a proxy or middleware rewrite URLs from the request.',
    ),
  ]
}

const forgedHeaders: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'doctor.invalid' },
  { 'x-forwarded-proto': 'http', 'x-forwarded-port': '80' },
  { forwarded: 'host=doctor.invalid;proto=http' },
  { 'x-forwarded-prefix': '/doctor', 'x-original-url': '/doctor' },
]

/** Compares the server's clock with the clock of this machine: tokens contain times (RFC 7519 §4.1.4). */
export async function checkClock({ issuer, probe, io }: DoctorTarget): Promise<readonly Finding[]> {
  const before = io.clock()
  const answer = await probe(discoveryUrls(issuer).openid)
  const after = io.clock()
  if (answer === undefined) return []

  const date = Date.parse(answer.headers.get('date') ?? '') / 1000
  if (!Number.isFinite(date))
    return [warn(clockCheck, 'The server does not send its time.', 'Have the proxy or the host send the Date header.')]
  // The header is rounded to seconds, so one second of difference is normal.
  const skew = Math.max(0, before - 1 - date, date - after - 1)
  if (skew <= 2) return [ok(clockCheck, 'The server’s clock and this machine’s clock agree.')]
  const what = `The server’s clock and this machine’s clock differ by ${Math.round(skew)} seconds.`
  return [skew > 30 ? fail(clockCheck, what, clockFix) : warn(clockCheck, what, clockFix)]
}

const clockCheck = 'clock.skew'
const clockFix =
  'Run a time service (NTP) on both machines: with a wrong clock, tokens are refused as expired or not yet valid.'
