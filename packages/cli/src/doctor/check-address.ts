import { fail, ok, warn, type Finding } from './finding.ts'
import type { DoctorTarget } from './patient.ts'
import type { Answer } from './probe.ts'

/** https: RFC 8414 §2, RFC 9700 §2.6. */
export async function checkAddress({ issuer, probe }: DoctorTarget): Promise<readonly Finding[]> {
  const url = new URL(issuer)
  if (url.protocol === 'http:') {
    const mend = 'Serve it over https and change the issuer before anybody else uses it.'
    return [warn('address.https', 'The issuer is plain http, which is for development on one machine.', mend)]
  }
  const plainUrl = `http://${url.host}${url.pathname.replace(/\/$/, '')}${document}`
  const [secure, plain] = await Promise.all([probe(issuer + document), url.port === '' ? probe(plainUrl) : undefined])
  return [
    ok('address.https', 'The issuer uses https.'),
    ...(secure === undefined ? [] : [transportFinding(secure)]),
    plain?.status === 200
      ? fail(
          'address.plain_http',
          'The server answers over plain http as well, where secrets travel in clear.',
          'Have the proxy redirect http to https, or close the port.',
        )
      : ok('address.plain_http', 'Over plain http nothing of it is served.'),
  ]
}

/** RFC 6797 §7.1. */
const transportFinding = ({ headers }: Answer): Finding =>
  headers.has('strict-transport-security')
    ? ok('address.hsts', 'Browsers are told to come by https alone.')
    : warn(
        'address.hsts',
        'Browsers are not told to come by https alone.',
        'Have the proxy or the host send Strict-Transport-Security: max-age=31536000.',
      )

const document = '/.well-known/openid-configuration'
