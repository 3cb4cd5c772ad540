import { fail, ok, type Finding } from './finding.ts'
import type { DoctorTarget } from './patient.ts'
import type { Answer } from './probe.ts'

/** Both well-known forms, and that they name this issuer: OIDC Discovery §4.3, RFC 8414 §3.3. */
export async function checkDiscovery(patient: DoctorTarget): Promise<readonly Finding[]> {
  const { issuer, probe } = patient
  const [appended, inserted] = await Promise.all([
    probe(discoveryUrls(issuer).openid),
    probe(discoveryUrls(issuer).oauth),
  ])
  return [
    ...documentFindings('discovery.openid', { url: discoveryUrls(issuer).openid, answer: appended }, issuer),
    ...documentFindings('discovery.oauth', { url: discoveryUrls(issuer).oauth, answer: inserted }, issuer),
    ...endpointFindings(patient),
  ]
}

/** OpenID Connect appends its path to the issuer; RFC 8414 §3.1 puts its own between the host and the issuer's path. */
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
      fail(check, `Nobody answers at ${url}.`, 'Start the server, and look at its name, its port and its certificate.'),
    ]
  if (answer.status !== 200 || answer.json === undefined) {
    const mend =
      'Have the proxy and the host pass this path on to Mintmark, also where it lies outside of the issuer’s own path.'
    return [fail(check, `${url} answers ${answer.status} and no document.`, mend)]
  }
  const named = answer.json['issuer']
  // OIDC Discovery §4.3: identical, or the document is not to be used.
  if (named === issuer) return [ok(check, `The document is at ${url} and names this issuer.`)]
  const mend = `Give the server the issuer ${issuer}, or examine it by the address that it has; clients compare them byte for byte.`
  return [fail(check, `${url} names another issuer: ${typeof named === 'string' ? named : 'none'}.`, mend)]
}

/** Endpoints elsewhere, or in clear, are a sign that they were made from a request. */
function endpointFindings({ metadata, issuer }: DoctorTarget): readonly Finding[] {
  const endpoints = Object.entries(metadata).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
  if (endpoints.length === 0) return []
  const astray = endpoints
    .filter(([, url]) => typeof url !== 'string' || !url.startsWith(`${issuer}/`))
    .map(([name]) => name)
  if (astray.length === 0) return [ok('discovery.endpoints', 'All endpoints lie below the issuer.')]
  return [
    fail(
      'discovery.endpoints',
      `Endpoints lie outside of the issuer: ${astray.join(', ')}.`,
      'Let the server make them from its configured issuer, and do not rewrite the document on the way.',
    ),
  ]
}
